/** `chain resync`: rebuilds the stored chain data from a block on. */
import type { Deployment } from "../../backend/ports/chain.ts";
import type { Store } from "../../backend/ports/store/store.ts";
import { defineCommand } from "../cli/command.ts";
import { CommandError, UsageError } from "../cli/failures.ts";
import { AS_FLAG, createAuditStamp, readServiceDeployment, withStore } from "./context.ts";

function parseBlock(text: string | undefined, { startBlock }: Deployment): number {
  if (text === undefined || !/^\d{1,15}$/.test(text))
    throw new UsageError(`--from: expected a block number, ${startBlock} (the deployment's first block) or later`);
  return Math.max(startBlock, Number(text));
}

/** Deletes the stored chain data from the block on. Returns the last indexed block before and after. */
async function rewind(
  { chain }: Store,
  fromBlock: number,
): Promise<{ readonly before: number; readonly after: number }> {
  const cursor = await chain.getCursor();
  if (cursor === null) throw new CommandError("No block is indexed yet: nothing to read again.");
  if (cursor.number < fromBlock)
    throw new CommandError(`The last indexed block is ${cursor.number}; give it or an earlier one with --from.`);
  // A running service reads the blocks again at once.
  const left = await chain.rewind(fromBlock - 1);
  return { before: cursor.number, after: left?.number ?? fromBlock - 1 };
}

const resync = defineCommand({
  name: "chain resync",
  summary: "reads the contracts' events again from a block on, if the stored ones are wrong",
  flags: {
    from: { type: "string", value: "BLOCK", help: "the first block to read again, as in /readyz" },
    ...AS_FLAG,
  },
  examples: ["npm run admin -- chain resync --from 12345678"],
  notes: [
    "A running service reads them at once, a stopped one when it starts. Until then scorebanks, payout histories and NFTs lack these blocks.",
    "Sessions, scores, payouts and transactions do not change.",
  ],
  async run({ flags }, terminal) {
    const stamp = createAuditStamp(flags);
    return withStore(async (store, config) => {
      const fromBlock = parseBlock(flags.from, await readServiceDeployment(config));
      const { before, after } = await rewind(store, fromBlock);
      const change = { before: JSON.stringify({ block: before }), after: JSON.stringify({ block: after }) };
      await store.operator.addAuditRow({ ...stamp, action: "chain.resync", subject: "chain", ...change });
      terminal.print(`The service reads blocks ${after + 1} to ${before} again`);
      return { fromBlock: after + 1, toBlock: before };
    });
  },
});

export const RESYNC_COMMANDS = [resync];
