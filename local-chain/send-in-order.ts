/** Programs send transactions in parallel, so one can arrive before those with lower nonces. Nodes keep it in a queue. */
import { setTimeout as sleep } from "node:timers/promises";

/** How long a transaction waits while no earlier one arrives. */
const WAIT_MS = 500;
/** About the time of one transaction. */
const STEP_MS = 5;

/** How many transactions must come before this one; 0 for any other error. */
function countMissing(error: unknown): number {
  const [, expected, received] = /^Nonce too high\. Expected nonce to be (\d+) but got (\d+)/.exec(
    String((error as { readonly message?: unknown }).message),
  ) ?? [0, 0, 0];
  return Number(received) - Number(expected);
}

/** Sends a transaction again while those before it arrive. Throws the engine's error when they stop. */
export async function sendInOrder(send: () => Promise<unknown>): Promise<unknown> {
  let fewest = Number.POSITIVE_INFINITY;
  let endsAtMs = 0;
  for (;;)
    try {
      return await send();
    } catch (error) {
      const missing = countMissing(error);
      if (missing > 0 && missing < fewest) endsAtMs = performance.now() + WAIT_MS;
      else if (missing === 0 || performance.now() >= endsAtMs) throw error;
      fewest = Math.min(fewest, missing);
      await sleep(Math.min(missing * STEP_MS, WAIT_MS));
    }
}
