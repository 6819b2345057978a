import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 20;

/** Resolves when the condition is true. If it never is, the timeout of the test ends the wait. */
export async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(POLL_MS);
}
