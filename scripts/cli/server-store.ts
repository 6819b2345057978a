/** For commands that get a chain: checks that it is the chain of the server's store on this machine. */
import type { PublicClient } from "viem";
import { checkServerStore } from "../../backend/app/connect.ts";
import { type Config, ConfigError } from "../../backend/config/config.ts";
import { getEnvironment } from "../../backend/config/environment.ts";
import { CommandError } from "./failures.ts";
import { findNodeFault } from "./node-faults.ts";
import { readServiceConfig } from "./service-config.ts";

/** Null if the settings have errors, which other commands report. */
function readSettings(): Config | null {
  try {
    return readServiceConfig();
  } catch (error) {
    if (error instanceof ConfigError) return null;
    throw error;
  }
}

/**
 * Throws `ConfigError` if the node or the contracts are not those of the server's store. A store in the default folder
 * may belong to another deployment; a configured one may not.
 */
export async function compareWithServerStore(
  client: Pick<PublicClient, "getBlock">,
  contracts: Parameters<typeof checkServerStore>[1],
): Promise<void> {
  const config = readSettings();
  if (config === null) return;
  const { ARCADE_DATA_DIR, ARCADE_DATABASE_URL } = getEnvironment();
  // Scores of any rewards contract can be verified, whatever the store.
  const isNamed = contracts.identity !== undefined && Boolean(ARCADE_DATA_DIR || ARCADE_DATABASE_URL);
  const readBlock = async (number: number | null) => {
    const block = await client.getBlock(number === null ? {} : { blockNumber: BigInt(number) });
    return { number: Number(block.number), hash: block.hash! };
  };
  await checkServerStore(config, contracts, { readBlock, isNamed }).catch((cause: unknown) => {
    if (cause instanceof ConfigError || findNodeFault(cause) !== null) throw cause;
    throw new CommandError("The chain could not be compared with the server's store.", {
      next: "repair the store, or set ARCADE_DATA_DIR to an empty folder and leave ARCADE_DATABASE_URL out",
      cause,
    });
  });
}
