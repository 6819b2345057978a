/** The source of a command's key: environment, Hardhat's keystore, or the development key on a local chain. */
import { privateKeyToAccount } from "viem/accounts";
import { createRemoteAccount } from "../../backend/adapters/signer/remote-signer.ts";
import { systemClock } from "../../backend/adapters/system/clock.ts";
import { developmentServiceAccount, isWellKnownKey } from "../../backend/config/dev-keys.ts";
import { getEnvironment, removeVariable } from "../../backend/config/environment.ts";
import { readKeySource, readSecretText } from "../../backend/config/private-keys.ts";
import { DEPLOYER_KEY, readKeystore } from "../../deploy/public/hardhat.ts";
import type { SendingAccount } from "../../deploy/public/transactions.ts";
import { LOCAL_CHAIN_ID } from "../../domain/chain-ids.ts";
import type { KeySource as Key, RemoteKey } from "../../domain/keys.ts";
import { CommandError, EXIT, UsageError } from "../cli/failures.ts";
import { resolveUserPath } from "../cli/user-paths.ts";
import type { DeployContext } from "./options.ts";

/** A key that a command signs with. */
export interface KeySource {
  /** The name of the variable and of the keystore's entry. */
  readonly name: string;
  /** `the deployer`, `the guardian`. */
  readonly holder: string;
  /** The development account with this duty on the local chain (`developmentServiceAccount`). */
  readonly localOffset: number;
}

export const GUARDIAN: KeySource = { name: "ARCADE_GUARDIAN_KEY", holder: "the guardian", localOffset: 1 };
const DEPLOYER: KeySource = { name: DEPLOYER_KEY, holder: "the deployer", localOffset: 0 };

/** How to set a key. */
export const describeKeySource = ({ name }: KeySource): string =>
  `set it with \`npx hardhat keystore set ${name}\`, or give ${name} in the environment ` +
  "(0x…, @file, keystore:FILE,PASSPHRASE_FILE or a remote signer's https://HOST/PATH#0xADDRESS)";

/** Paths in settings are relative to the user's folder. */
const resolvePaths = (value: string): string =>
  value.replace(
    /^(@|keystore:)(.+)$/,
    (_, form: string, paths: string) => `${form}${paths.split(",").map(resolveUserPath).join(",")}`,
  );

/** Reads a key in any form that the service's settings accept; never shows it in a message. */
function parseKey(name: string, text: string): Key {
  try {
    const key = readKeySource(name, resolvePaths(text.trim()));
    const token = getEnvironment().ARCADE_SIGNER_TOKEN;
    if (typeof key === "string" || !token) return key;
    return { ...key, token: readSecretText("ARCADE_SIGNER_TOKEN", resolvePaths(token)) };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** The account of a key in another process. Throws `CommandError` if it cannot sign. */
function createRemoteSender(name: string, key: RemoteKey): SendingAccount {
  const account = createRemoteAccount(key, systemClock);
  const fail = (message: string, cause?: unknown): never => {
    throw new CommandError(`${name}: ${message}`, { exitCode: EXIT.auth, next: "check the signer's log", cause });
  };
  return {
    address: account.address,
    signTransaction: (transaction) =>
      transaction.type === "eip1559"
        ? account.signTransaction(transaction).catch((cause: Error) => fail(cause.message, cause))
        : fail("a remote signer signs EIP-1559 transactions only, and the chain has no base fee"),
  };
}

function toAccount({ network }: DeployContext, { name }: KeySource, key: Key, next: string): SendingAccount {
  if (typeof key !== "string") return createRemoteSender(name, key);
  if (network.chainId === LOCAL_CHAIN_ID || !isWellKnownKey(key)) return privateKeyToAccount(key);
  throw new CommandError(`${name} is a well-known or guessable key, which is not allowed on chain ${network.chainId}`, {
    exitCode: EXIT.auth,
    next: `make a new key; ${next}`,
  });
}

/** The account of the environment's key, or of the development account on the local chain; null without both. */
export function findGivenAccount(context: DeployContext, source: KeySource): SendingAccount | null {
  const given = getEnvironment()[source.name];
  if (given !== undefined && given !== "") {
    return toAccount(context, source, parseKey(source.name, given), describeKeySource(source));
  }
  if (context.network.chainId !== LOCAL_CHAIN_ID) return null;
  return privateKeyToAccount(developmentServiceAccount(source.localOffset).privateKey);
}

/** The account of the keystore's key. Throws `CommandError` (auth) if it is missing or the password is wrong. */
export async function readKeystoreAccount(context: DeployContext, source: KeySource): Promise<SendingAccount> {
  const { name, holder } = source;
  const next = describeKeySource(source);
  // Hardhat would use an empty variable as the key.
  removeVariable(name);
  try {
    const key = parseKey(name, await readKeystore({ ...context, keyName: name }));
    return toAccount(context, source, key, next);
  } catch (cause) {
    if (cause instanceof UsageError || cause instanceof CommandError) throw cause;
    const { message } = cause as Error;
    const isLocked = /invalid password|ended without an answer/i.test(message);
    const reason = isLocked ? `Hardhat's keystore stays closed: ${message}` : `There is no key of ${holder}`;
    throw new CommandError(`${reason} (${context.network.title})`, { exitCode: EXIT.auth, next, cause });
  }
}

/** The account that deploys. Well-known development keys are rejected on any chain but 31337. */
export const findDeployer = async (context: DeployContext): Promise<SendingAccount> =>
  findGivenAccount(context, DEPLOYER) ?? readKeystoreAccount(context, DEPLOYER);
