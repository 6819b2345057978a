import type { PublicClient } from "viem";
import type { Deployment } from "../../../ports/chain.ts";
import type { ChainStore } from "../../../ports/store/chain.ts";
import type { Clock, Log } from "../../../ports/system.ts";
import { decodeLog } from "../events.ts";
import { type MinedLog, readHeader, readLogs, toEvent } from "./fetch.ts";
import type { RangeLimit } from "./range-limit.ts";

/** After this time a lagging node of a pool has caught up. */
const DELAY_MS = 10_000;
/** Blocks indexed within this time are read again together: providers charge for each request of logs. */
const TOGETHER_MS = 5_000;
/** Every block is read again several times: each second read includes the blocks before it. */
const OVERLAP_BLOCKS = 64;
/** The last blocks are read again after a start, since the previous process may have ended between the two reads. */
const START_BLOCKS = 1_024;

export interface SecondReadOptions {
  readonly deployment: Deployment;
  readonly store: Pick<ChainStore, "getCursor" | "listEventKeys" | "findBlock" | "append">;
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly log: Log;
  readonly limit: RangeLimit;
  /** An event that was missing is stored now. */
  readonly onAdded: () => void;
}

/** Reads the logs of indexed blocks again some seconds later, and stores events that the first read missed. */
export class SecondRead {
  readonly #options: SecondReadOptions;
  /** The last block that was read again; null before `begin`. */
  #doneTo: number | null = null;
  /** The indexed blocks with the time of indexing, oldest first. */
  #marks: { readonly to: number; readonly atMs: number }[] = [];
  /** The blocks now being read again, in as many requests as the node's limit requires. */
  #pass: { from: number; readonly to: number } | null = null;

  constructor(options: SecondReadOptions) {
    this.#options = options;
  }

  /** `indexedBlock`: the last block that an earlier process has indexed; null if there is none. */
  begin(indexedBlock: number | null): void {
    const beforeFirst = this.#options.deployment.startBlock - 1;
    this.#doneTo = Math.max(beforeFirst, (indexedBlock ?? beforeFirst) - START_BLOCKS);
    if (indexedBlock !== null) this.mark(indexedBlock);
  }

  /** Records that the blocks up to this number are indexed. */
  mark(to: number): void {
    const atMs = this.#options.clock.monotonicMs();
    const beforeLast = this.#marks.at(-2);
    const last = this.#marks.at(-1);
    if (last !== undefined && last.to >= to) return;
    if (beforeLast !== undefined && atMs - beforeLast.atMs < TOGETHER_MS) this.#marks.pop();
    this.#marks.push({ to, atMs });
  }

  /** Forgets the blocks above this number, which are no longer part of the chain. */
  rewind(number: number): void {
    if (this.#doneTo !== null) this.#doneTo = Math.min(this.#doneTo, number);
    this.#marks = this.#marks.filter(({ to }) => to <= number);
    this.#pass = null;
  }

  /** The next blocks to read again, for one request; null if none are due. */
  next(): { readonly from: number; readonly to: number } | null {
    const { clock, deployment, limit } = this.#options;
    if (this.#pass === null) {
      const dueMs = clock.monotonicMs() - DELAY_MS;
      const due = this.#marks.findLast(({ atMs }) => atMs <= dueMs);
      if (this.#doneTo === null || due === undefined) return null;
      const from = Math.max(deployment.startBlock, this.#doneTo + 1 - OVERLAP_BLOCKS);
      if (from > due.to) return null;
      this.#pass = { from, to: due.to };
    }
    const { from, to } = this.#pass;
    return { from, to: Math.min(to, from + limit.blocks - 1) };
  }

  /** Reads the blocks again and stores what is missing. */
  async run(client: PublicClient, { from, to }: { readonly from: number; readonly to: number }): Promise<void> {
    const { deployment, store } = this.#options;
    const logs = await readLogs(client, deployment, from, to);
    const keys = await store.listEventKeys(from, to);
    const known = new Set(keys.map(({ blockHash, logIndex }) => `${blockHash}:${logIndex}`));
    for (const log of logs) if (!known.has(`${log.blockHash}:${log.logIndex}`)) await this.#addMissing(client, log);
    this.#finish(to);
  }

  #finish(to: number): void {
    if (this.#pass === null || to < this.#pass.to) {
      if (this.#pass !== null) this.#pass.from = to + 1;
      return;
    }
    this.#doneTo = to;
    this.#pass = null;
    this.#marks = this.#marks.filter((mark) => mark.to > to);
  }

  async #addMissing(client: PublicClient, entry: MinedLog): Promise<void> {
    const { deployment, store, log, onAdded } = this.#options;
    if (decodeLog(deployment, entry) === null) return;
    const number = Number(entry.blockNumber);
    const header = await readHeader(client, number);
    const event = toEvent(deployment, entry, header);
    const cursor = await store.getCursor();
    const stored = await store.findBlock(number);
    // The chain was reorganized after the logs were read, or since the last poll, so the next one reads the block.
    if (event === null || header.hash !== entry.blockHash) return;
    if (stored !== null && stored.hash !== header.hash) return;
    // The operator has rewound the store below this block, so the indexer reads it anyway.
    if (cursor === null || cursor.number < number) return;
    if (!(await store.append([{ number, hash: header.hash }], [event], cursor))) return;
    onAdded();
    log.warn({ block: number, txHash: event.txHash, event: event.name }, "an event was missing and is stored now");
  }
}
