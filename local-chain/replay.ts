import { type RpcBlock, toHex } from "viem";
import type { Provider } from "./engine.ts";
import type { JournalBlock, JournalEntry } from "./journal.ts";

export interface JournalReplayResult {
  readonly blockNumber: number;
  readonly timeOffsetSeconds: number;
  /** True if the last block has the same hash as before, which proves all others. */
  readonly isExact: boolean;
}

/**
 * Replays the journal into a new engine: the same transactions in the same blocks at the same times. Afterwards the
 * chain's clock is the wall clock plus the recorded offset, and never before the last block. Throws if the engine
 * rejects an entry.
 */
export async function replayJournal(
  provider: Provider,
  entries: readonly JournalEntry[],
  nowSeconds: () => number,
): Promise<JournalReplayResult> {
  const callEngine = (method: string, params: readonly unknown[]): Promise<unknown> =>
    provider.request({ method, params: [...params] });
  let timeOffsetSeconds = 0;
  let last: JournalBlock | undefined;
  let blockNumber = 0;

  await callEngine("evm_setAutomine", [false]);
  for (const [index, entry] of entries.entries()) {
    try {
      if (entry.kind === "call") await callEngine(entry.method, entry.params);
      else if (entry.kind === "travel") timeOffsetSeconds = entry.seconds;
      else {
        for (const transaction of entry.transactions) {
          if (typeof transaction === "string") await callEngine("eth_sendRawTransaction", [transaction]);
          else await callEngine("eth_sendTransaction", [transaction]);
        }
        await callEngine("evm_mine", [toHex(entry.timestamp)]);
        last = entry;
        blockNumber += 1;
      }
    } catch (cause) {
      throw new Error(`The local chain's journal cannot be replayed (line ${index + 2}). Start again with --fresh.`, {
        cause,
      });
    }
  }
  await callEngine("evm_setAutomine", [true]);

  const pending = (await callEngine("eth_getBlockByNumber", ["pending", false])) as RpcBlock;
  const behindSeconds = nowSeconds() + timeOffsetSeconds - Number(pending.timestamp);
  if (behindSeconds > 0) await callEngine("evm_increaseTime", [behindSeconds]);
  const head = (await callEngine("eth_getBlockByNumber", ["latest", false])) as RpcBlock;
  const isExact = Number(head.number) === blockNumber && (last === undefined || head.hash === last.hash);
  return { blockNumber, timeOffsetSeconds, isExact };
}
