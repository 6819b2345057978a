import { createInterface } from "node:readline/promises";
import { LOCAL_CHAIN_ID } from "../../domain/chain-ids.ts";
import { CommandError, UsageError } from "./failures.ts";

/**
 * Asks whether to send the plan; `yes` and the local chain skip the question. Throws `UsageError` without a terminal,
 * `CommandError` for any answer but yes.
 */
export async function confirmSending(yes: boolean, chainId: number): Promise<void> {
  if (yes || chainId === LOCAL_CHAIN_ID) return;
  if (process.stdin.isTTY !== true) {
    throw new UsageError(`Sending on chain ${chainId} needs your confirmation: answer on a terminal, or pass --yes`);
  }
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await reader.question("  Send it? [y/N] ");
    if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError("Nothing was sent.");
  } finally {
    reader.close();
  }
}
