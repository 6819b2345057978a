import { rm } from "node:fs/promises";
import type { Suite } from "../../helpers/suite.ts";

/** Takes the chain's node away from a running service. End the suite with `endWithoutChain` then. */
export const cutChain = (suite: Suite): Promise<void> => suite.chain.close();

export async function endWithoutChain(suite: Suite): Promise<void> {
  await suite.app.close();
  await rm(suite.dataDir, { recursive: true, force: true });
}
