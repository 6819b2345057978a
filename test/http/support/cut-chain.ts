import { rm } from "node:fs/promises";
import type { TestStack } from "../../helpers/suite.ts";

/** Disconnects a running service from the chain's node. Then end the suite with `endWithoutChain`. */
export const stopChain = (stack: TestStack): Promise<void> => stack.chain.close();

export async function closeWithoutChain(stack: TestStack): Promise<void> {
  await stack.app.close();
  await rm(stack.dataDir, { recursive: true, force: true });
}
