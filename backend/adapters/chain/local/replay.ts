import { type RpcBlock, toHex } from "viem";
import type { Provider } from "./engine.ts";
import type { JournalBlock, JournalEntry } from "./journal.ts";

export interface Replayed {
  readonly blockNumber: number;
  readonly travelSeconds: number;
  /** True where the last block has the very hash it had before, and with it all others. */
  readonly exact: boolean;
}

/**
 * Makes a fresh engine what the journal says: the same transactions in the same blocks at the same times. Afterwards
 * the chain's clock runs with the wall clock plus the recorded travel, and never behind the last block.
 * Throws where the engine refuses an entry.
 */
export async function replayJournal(
  provider: Provider,
  entries: readonly JournalEntry[],
  nowSeconds: () => number,
): Promise<Replayed> {
  const ask = (method: string, params: readonly unknown[]): Promise<unknown> =>
    provider.request({ method, params: [...params] });
  let travelSeconds = 0;
  let last: JournalBlock | undefined;
  let blockNumber = 0;

  await ask("evm_setAutomine", [false]);
  for (const [index, entry] of entries.entries()) {
    try {
      if (entry.kind === "call") await ask(entry.method, entry.params);
      else if (entry.kind === "travel") travelSeconds = entry.seconds;
      else {
        for (const transaction of entry.transactions) {
          if (typeof transaction === "string") await ask("eth_sendRawTransaction", [transaction]);
          else await ask("eth_sendTransaction", [transaction]);
        }
        await ask("evm_mine", [toHex(entry.timestamp)]);
        last = entry;
        blockNumber += 1;
      }
    } catch (cause) {
      throw new Error(`The local chain's journal cannot be replayed (line ${index + 2}). Start again with --fresh.`, {
        cause,
      });
    }
  }
  await ask("evm_setAutomine", [true]);

  const pending = (await ask("eth_getBlockByNumber", ["pending", false])) as RpcBlock;
  const behind = nowSeconds() + travelSeconds - Number(pending.timestamp);
  if (behind > 0) await ask("evm_increaseTime", [behind]);
  const head = (await ask("eth_getBlockByNumber", ["latest", false])) as RpcBlock;
  const exact = Number(head.number) === blockNumber && (last === undefined || head.hash === last.hash);
  return { blockNumber, travelSeconds, exact };
}
