/** Where the deployer's key comes from: environment, Hardhat's keystore, or on a chain of this machine the known one. */
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { parsePrivateKey } from "../../backend/adapters/signer/keys.ts";
import { developmentServiceAccount, isWellKnownKey, LOCAL_CHAIN_ID } from "../../backend/config/dev-keys.ts";
import { DEPLOYER_KEY, readKeystore } from "../../deploy/public/hardhat.ts";
import { CommandError, EXIT, UsageError } from "../cli/failures.ts";
import { type Place, pathOf } from "./options.ts";

type Hex = `0x${string}`;

const HOW = `set it with \`npx hardhat keystore set ${DEPLOYER_KEY}\`, or give ${DEPLOYER_KEY} in the environment (0x… or @file)`;

/** Reads a key's text; its value never appears in a message. A file after @ is looked for where the command was typed. */
function parseKey(text: string): Hex {
  const value = text.trim();
  try {
    return parsePrivateKey(DEPLOYER_KEY, value.startsWith("@") ? `@${pathOf(value.slice(1))}` : value);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

async function findKey({ network, rpcUrl }: Place): Promise<Hex> {
  const given = process.env[DEPLOYER_KEY];
  if (given !== undefined && given !== "") return parseKey(given);
  // Hardhat would take an empty variable for the key.
  delete process.env[DEPLOYER_KEY];
  if (network.chainId === LOCAL_CHAIN_ID) return developmentServiceAccount(0).privateKey;
  try {
    return parseKey(await readKeystore({ network, rpcUrl }));
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    const { message } = cause as Error;
    const isLocked = /invalid password|ended without an answer/i.test(message);
    const sentence = isLocked ? `Hardhat's keystore stays closed: ${message}` : "There is no deployer's key";
    throw new CommandError(`${sentence} (${network.title})`, { exitCode: EXIT.auth, next: HOW, cause });
  }
}

/** The account that deploys. Well-known development keys are refused on any chain but 31337. */
export async function findDeployer(place: Place): Promise<PrivateKeyAccount> {
  const key = await findKey(place);
  if (place.network.chainId !== LOCAL_CHAIN_ID && isWellKnownKey(key)) {
    throw new CommandError(
      `${DEPLOYER_KEY} is a development key that everybody knows; it is refused on chain ${place.network.chainId}`,
      { exitCode: EXIT.auth, next: `make a new key; ${HOW}` },
    );
  }
  return privateKeyToAccount(key);
}
