/** Where a key comes from: environment, Hardhat's keystore, or on a chain of this machine the known one. */
import type { Hex } from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { developmentServiceAccount, isWellKnownKey } from "../../backend/config/dev-keys.ts";
import { getEnvironment, removeVariable } from "../../backend/config/environment.ts";
import { readPrivateKey } from "../../backend/config/private-keys.ts";
import { DEPLOYER_KEY, readKeystore } from "../../deploy/public/hardhat.ts";
import { LOCAL_CHAIN_ID } from "../../domain/chain-ids.ts";
import { CommandError, EXIT, UsageError } from "../cli/failures.ts";
import { type DeployContext, resolveUserPath } from "./options.ts";

/** A key that a command signs with. */
export interface KeySource {
  /** The name of the variable and of the keystore's entry. */
  readonly name: string;
  /** `the deployer`, `the guardian`. */
  readonly holder: string;
  /** Which development account has the duty on the local chain (`developmentServiceAccount`). */
  readonly localOffset: number;
}

const DEPLOYER: KeySource = { name: DEPLOYER_KEY, holder: "the deployer", localOffset: 0 };

/** How a key is given. */
export const describeKeySource = ({ name }: KeySource): string =>
  `set it with \`npx hardhat keystore set ${name}\`, or give ${name} in the environment (0x… or @file)`;

/** Reads a key's text; its value never appears in a message. A file after @ is looked for where the command was typed. */
function parseKey(name: string, text: string): Hex {
  const value = text.trim();
  try {
    return readPrivateKey(name, value.startsWith("@") ? `@${resolveUserPath(value.slice(1))}` : value);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function toAccount({ network }: DeployContext, { name }: KeySource, key: Hex, next: string): PrivateKeyAccount {
  if (network.chainId === LOCAL_CHAIN_ID || !isWellKnownKey(key)) return privateKeyToAccount(key);
  throw new CommandError(
    `${name} is a development key that everybody knows; it is refused on chain ${network.chainId}`,
    { exitCode: EXIT.auth, next: `make a new key; ${next}` },
  );
}

/** The account of the environment's key, of the development account on the local chain; null where there is neither. */
export function findGivenAccount(context: DeployContext, source: KeySource): PrivateKeyAccount | null {
  const given = getEnvironment()[source.name];
  if (given !== undefined && given !== "") {
    return toAccount(context, source, parseKey(source.name, given), describeKeySource(source));
  }
  if (context.network.chainId !== LOCAL_CHAIN_ID) return null;
  return privateKeyToAccount(developmentServiceAccount(source.localOffset).privateKey);
}

/** The account of the keystore's key. Throws `CommandError` (auth) where there is none or the password is wrong. */
export async function readKeystoreAccount(context: DeployContext, source: KeySource): Promise<PrivateKeyAccount> {
  const { name, holder } = source;
  const next = describeKeySource(source);
  // Hardhat would take an empty variable for the key.
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

/** The account that deploys. Well-known development keys are refused on any chain but 31337. */
export const findDeployer = async (context: DeployContext): Promise<PrivateKeyAccount> =>
  findGivenAccount(context, DEPLOYER) ?? readKeystoreAccount(context, DEPLOYER);
