import { rm } from "node:fs/promises";
import type { TestStack } from "../../helpers/suite.ts";

/** Takes the chain's node away from a running service. End the suite with `endWithoutChain` then. */
export const stopChain = (stack: TestStack): Promise<void> => stack.chain.close();

export async function closeWithoutChain(stack: TestStack): Promise<void> {
  await stack.app.close();
  await rm(stack.dataDir, { recursive: true, force: true });
}
