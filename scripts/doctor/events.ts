/** Events of a deployment's contracts since its first block. */
import type { AbiEvent, Address } from "viem";
import type { DoctorTarget } from "./target.ts";

/** Blocks per query; public nodes limit the range. */
const MAX_RANGE_BLOCKS = 10_000n;

/** The events in chain order. */
export async function readEvents<const E extends readonly AbiEvent[]>(
  { client, record }: Pick<DoctorTarget, "client" | "record">,
  address: readonly Address[],
  events: E,
) {
  const head = await client.getBlockNumber();
  const read = (fromBlock: bigint, toBlock: bigint) =>
    client.getLogs({ address: [...address], events, fromBlock, toBlock, strict: true });
  const logs: Awaited<ReturnType<typeof read>>[number][] = [];
  for (let from = BigInt(record.startBlock); from <= head; from += MAX_RANGE_BLOCKS) {
    const to = from + MAX_RANGE_BLOCKS - 1n;
    logs.push(...(await read(from, to < head ? to : head)));
  }
  return logs;
}
