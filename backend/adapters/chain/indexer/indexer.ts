import type { PublicClient } from "viem";
import { isLocalChain } from "../../../domain/chain-ids.ts";
import { ArcadeError } from "../../../domain/errors.ts";
import type { BlockFinality } from "../../../domain/session.ts";
import type { Deployment, Head } from "../../../ports/chain.ts";
import type { BlockRef, ChainStore } from "../../../ports/store/chain.ts";
import type { Clock, Log } from "../../../ports/system.ts";
import { isRejection, type Rpc, toLogFields } from "../rpc.ts";
import { type BlockRange, type RangeStart, readFarRange, readHeader, readNearHead } from "./fetch.ts";
import { HeadTracker } from "./head.ts";
import { RangeLimit } from "./range-limit.ts";
import { SecondRead } from "./second-read.ts";

/** Within this distance of the head every block is stored, so that a reorganization is located to the block. */
const REORG_WINDOW_BLOCKS = 64;
/** The deadline of one request: short, so that the end of an outage is noticed soon. */
const DEADLINE_MS = 3_000;
const BACKOFF_MAX_MS = 1_000;
/** How long a poll may take for those who wait for one that they have not asked for. */
const NEXT_POLL_MAX_MS = 500;
/** How long a request waits for a change of the local chain that was announced. */
const CHANGE_MAX_MS = 1_000;
/** How long the local chain must stay shorter than before until that counts as a reorganization. */
const SHORTER_CHAIN_CONFIRM_MS = 1_000;

/** Under load, a poll that so many requests wait for is followed by the next one after a time in which more join it. */
const SHARED_POLL_WAITERS = 4;
const SHARED_POLL_GAP_MS = 20;

export interface IndexerStatus {
  /** The chain's head at the last poll, null before the first one. */
  readonly head: number | null;
  /** The last block whose events are stored, null before the first one. */
  readonly followed: number | null;
  readonly lagBlocks: number | null;
  /** True when the last poll succeeded and every block up to the head is stored. */
  readonly healthy: boolean;
  /** How long the chain has not answered; 0 while it does. */
  readonly outageMs: number;
}

export interface IndexerOptions {
  readonly rpc: Rpc;
  readonly deployment: Deployment;
  readonly store: ChainStore;
  readonly clock: Clock;
  readonly pollMs: number;
  /** Blocks on top of one before it counts as safe. */
  readonly confirmations: number;
  readonly log: Log;
}

/** Waits for a poll that began after the wait; `null`: none has begun yet. */
interface PollWaiter {
  hasBegun: boolean;
  readonly finish: (isIndexed: boolean) => void;
}

/** Reads the contracts' events block by block and keeps the store equal to what a full sync would give. */
export class Indexer {
  readonly #options: IndexerOptions;
  readonly #limit = new RangeLimit();
  readonly #tracker: HeadTracker;
  readonly #secondRead: SecondRead;
  readonly #waiters = new Set<() => void>();
  readonly #pollWaiters = new Set<PollWaiter>();
  readonly #changeWaiters = new Set<() => void>();
  readonly #indexedCallbacks: ((head: Head) => Promise<void> | void)[] = [];
  #indexedBlock: number | null = null;
  #lastAnswerAtMs: number;
  #failures = 0;
  #problem: string | null = null;
  #hasBegun = false;
  #shorterChainSinceMs: number | null = null;
  #stopped = false;
  #wake: (() => void) | null = null;
  #isPollRequested = false;
  #isPollFinished = false;
  /** How many changes were announced, were so before the present poll, and are stored. */
  #changes = 0;
  #polledChanges = 0;
  #storedChanges = 0;
  /** How often the store was written, and the head at the last poll that reached it. */
  #writes = 0;
  #finishedHash = "";
  #running: Promise<void> = Promise.resolve();

  constructor(options: IndexerOptions) {
    this.#options = options;
    const { rpc, deployment, store, clock, log, confirmations } = options;
    this.#tracker = new HeadTracker({ chainId: rpc.chainId, confirmations, clock });
    this.#secondRead = new SecondRead({ deployment, store, clock, log, limit: this.#limit });
    this.#lastAnswerAtMs = clock.monotonicMs();
  }

  start(): void {
    this.#running = this.#run();
  }

  status(): IndexerStatus {
    const head = this.#tracker.head?.number ?? null;
    const followed = this.#indexedBlock;
    const lagBlocks = head === null || followed === null ? null : Math.max(0, head - followed);
    const isFailing = this.#failures > 0;
    const outageMs = isFailing ? this.#options.clock.monotonicMs() - this.#lastAnswerAtMs : 0;
    return { head, followed, lagBlocks, healthy: !isFailing && lagBlocks === 0, outageMs };
  }

  /** The chain's head at the last poll, null before the first one. */
  get head(): Head | null {
    return this.#tracker.head;
  }

  /** Why the last poll failed; null where it succeeded, and before the first one. */
  get problem(): string | null {
    return this.#failures === 0 ? null : this.#problem;
  }

  /** Blocks up to these numbers are safe, final; -1 before the first poll. */
  get finality(): BlockFinality {
    return this.#tracker.finality;
  }

  /**
   * Polls at once; resolves to true when every event up to the head of that poll is stored, to false when the poll
   * failed or after `timeoutMs`. Simultaneous calls share one poll.
   */
  waitForHead(timeoutMs: number): Promise<boolean> {
    const waiting = this.#waitForPoll(timeoutMs);
    this.pollNow();
    return waiting;
  }

  /** Waits for the next poll that begins by itself, not at all while polls fail. */
  async waitForNextPoll(): Promise<void> {
    if (this.#failures === 0) await this.#waitForPoll(this.#options.pollMs + NEXT_POLL_MAX_MS);
  }

  /** The chain tells that it has changed, as the local one in this process does: the indexer polls at once. */
  announceChange(): void {
    this.#changes += 1;
    this.pollNow();
  }

  /** Another text whenever what is stored of the chain, or known of its head, may have changed. */
  get revision(): string {
    return `${this.#changes} ${this.#writes} ${this.#finishedHash}`;
  }

  /** Waits until announced changes are stored; at once where none was announced, and while polls fail. */
  async waitForChanges(): Promise<void> {
    const changes = this.#changes;
    if (this.#storedChanges >= changes || this.#failures > 0) return;
    await new Promise<void>((resolve) => {
      const check = (): void => {
        if (this.#storedChanges < changes && this.#failures === 0 && !this.#stopped) return;
        finish();
      };
      const finish = (): void => {
        this.#changeWaiters.delete(check);
        cancel();
        resolve();
      };
      const cancel = this.#options.clock.after(CHANGE_MAX_MS, finish);
      this.#changeWaiters.add(check);
    });
  }

  /** Calls back after each poll with which every event up to the head is stored; the poll ends with what it returns. */
  onIndexed(callback: (head: Head) => Promise<void> | void): void {
    this.#indexedCallbacks.push(callback);
  }

  #waitForPoll(timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const waiter: PollWaiter = {
        hasBegun: false,
        finish: (isIndexed) => {
          this.#pollWaiters.delete(waiter);
          cancel();
          resolve(isIndexed);
        },
      };
      const cancel = this.#options.clock.after(timeoutMs, () => waiter.finish(false));
      this.#pollWaiters.add(waiter);
    });
  }

  /** Polls the chain at once instead of after the interval. */
  pollNow(): void {
    this.#isPollRequested = true;
    this.#wake?.();
  }

  /** Resolves to true once every event up to this block is stored, to false after `timeoutMs`. */
  waitForBlock(blockNumber: number, timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const isIndexed = (): boolean => this.#indexedBlock !== null && this.#indexedBlock >= blockNumber;
      if (isIndexed()) return resolve(true);
      const finish = (result: boolean): void => {
        this.#waiters.delete(check);
        cancel();
        resolve(result);
      };
      const check = (): void => {
        if (isIndexed()) finish(true);
      };
      const cancel = this.#options.clock.after(timeoutMs, () => finish(false));
      this.#waiters.add(check);
      this.pollNow();
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.pollNow();
    await this.#running;
    for (const waiter of this.#pollWaiters) waiter.finish(false);
  }

  async #run(): Promise<void> {
    const { pollMs, log } = this.#options;
    while (!this.#stopped) {
      let hasMore = false;
      const gapMs = this.#pollWaiters.size >= SHARED_POLL_WAITERS ? SHARED_POLL_GAP_MS : 0;
      this.#polledChanges = this.#changes;
      this.#isPollFinished = false;
      for (const waiter of this.#pollWaiters) waiter.hasBegun = true;
      try {
        hasMore = await this.#poll();
        this.#failures = 0;
        if (!hasMore) await this.#finishPoll();
      } catch (error) {
        this.#failures += 1;
        this.#problem = error instanceof ArcadeError ? error.message : "the chain's events cannot be read";
        this.#finishWaiters(false);
        // One line for the beginning of an outage: the status reports how long it lasts.
        if (this.#failures === 1) log.warn(toLogFields(error), "the indexer cannot read the chain; it tries again");
      }
      if (this.#stopped || hasMore) continue;
      if (gapMs > 0) await new Promise<void>((resolve) => this.#options.clock.after(gapMs, resolve));
      const backoffMs = Math.min(BACKOFF_MAX_MS, pollMs * 2 ** Math.min(this.#failures, 6));
      if (!this.#isPollRequested) await this.#sleep(this.#failures === 0 ? pollMs : backoffMs);
      this.#isPollRequested = false;
      this.#wake = null;
    }
  }

  /** Every event up to the head is stored. */
  async #finishPoll(): Promise<void> {
    if (this.#isPollFinished) return;
    this.#isPollFinished = true;
    // One after the other: later ones may use what earlier ones have read.
    for (const callback of this.#indexedCallbacks) await callback(this.#tracker.head!);
    this.#storedChanges = this.#polledChanges;
    this.#finishedHash = this.#tracker.head!.hash;
    this.#finishWaiters(true);
  }

  #finishWaiters(isIndexed: boolean): void {
    for (const check of this.#changeWaiters) check();
    for (const waiter of this.#pollWaiters) if (waiter.hasBegun) waiter.finish(isIndexed);
  }

  #sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(delayMs, () => resolve());
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }

  /** Reads the next blocks; true when there are more to read at once. */
  async #poll(): Promise<boolean> {
    const { store, deployment, clock } = this.#options;
    const latest = await this.#callNode((client) => this.#tracker.poll(client));
    const headNumber = latest.number;
    this.#lastAnswerAtMs = clock.monotonicMs();
    const cursor = await store.getCursor();
    if (!this.#hasBegun) this.#secondRead.begin(cursor?.number ?? null);
    this.#hasBegun = true;
    this.#followRewind(cursor?.number ?? deployment.startBlock - 1);
    if (cursor === null && headNumber < deployment.startBlock) return false;
    if (cursor !== null && cursor.number >= headNumber) {
      if (cursor.number !== headNumber || cursor.hash !== latest.hash) {
        return await this.#rewindToAncestor(cursor, headNumber);
      }
      this.#shorterChainSinceMs = null;
      this.#setIndexedBlock(cursor.number);
      await this.#finishPoll();
      return await this.#readAgain();
    }
    this.#shorterChainSinceMs = null;
    return await this.#appendNext(cursor, headNumber);
  }

  /** The operator may rewind the store while the service runs: `npm run admin -- chain resync`. */
  #followRewind(storedBlock: number): void {
    if (this.#indexedBlock === null || this.#indexedBlock <= storedBlock) return;
    this.#secondRead.rewind(storedBlock);
    this.#indexedBlock = storedBlock;
  }

  async #appendNext(cursor: BlockRef | null, headNumber: number): Promise<boolean> {
    const { store, deployment } = this.#options;
    const start = { from: cursor === null ? deployment.startBlock : cursor.number + 1, parent: cursor };
    const range = await this.#fetchRange(start, headNumber);
    if (range === null) {
      // Either the range was too long, or the cursor's block is no longer part of the chain.
      if (cursor !== null && !(await this.#isCanonical(cursor))) await this.#rewindToAncestor(cursor, headNumber);
      return true;
    }
    // False: the operator has rewound the store meanwhile, so that this range is not the next one any more.
    if (!(await store.append(range.blocks, range.events, cursor))) return true;
    const last = range.blocks.at(-1)!.number;
    this.#secondRead.mark(last);
    this.#setIndexedBlock(last);
    return last < headNumber;
  }

  /** The next range of blocks; null when it changed meanwhile, or when the node rejected its length. */
  async #fetchRange(start: RangeStart, headNumber: number): Promise<BlockRange | null> {
    const { deployment } = this.#options;
    if (headNumber - start.from < REORG_WINDOW_BLOCKS)
      return await this.#callNode((client) => readNearHead(client, deployment, start, headNumber));
    const length = Math.min(headNumber - REORG_WINDOW_BLOCKS - start.from + 1, this.#limit.blocks);
    const to = start.from + length - 1;
    return await this.#withinLimit(length, (client) => readFarRange(client, deployment, start, to));
  }

  /** Reads some blocks for the second time; true when there are more of them. Failures are those of a poll. */
  async #readAgain(): Promise<boolean> {
    const range = this.#secondRead.next();
    if (range === null) return false;
    const length = range.to - range.from + 1;
    await this.#withinLimit(length, (client) => this.#secondRead.run(client, range));
    return this.#secondRead.next() !== null;
  }

  /** Null when the node rejected a range of this length; nodes limit it, each with an error of its own. */
  async #withinLimit<T>(length: number, run: (client: PublicClient) => Promise<T>): Promise<T | null> {
    try {
      const result = await this.#callNode(run, "errors");
      this.#limit.accept(length);
      return result;
    } catch (error) {
      if (!isRejection(error) || !this.#limit.reject(length)) throw error;
      return null;
    }
  }

  /** Rewinds the store to the last block that it shares with the chain; false while a reorganization is not certain. */
  async #rewindToAncestor(cursor: BlockRef, headNumber: number): Promise<boolean> {
    const { store, deployment, log } = this.#options;
    const ancestor = await this.#findAncestor(cursor, headNumber);
    if (!this.#isConfirmedReorg(cursor, headNumber, ancestor)) return false;
    this.#shorterChainSinceMs = null;
    const number = ancestor?.number ?? deployment.startBlock - 1;
    log.info({ from: cursor.number, to: number }, "the chain was reorganized; the store goes back to the common block");
    await store.rewind(number);
    this.#secondRead.rewind(number);
    this.#setIndexedBlock(number);
    return true;
  }

  /** The last stored block that is still part of the chain, or null. */
  async #findAncestor(cursor: BlockRef, headNumber: number): Promise<BlockRef | null> {
    const { store, deployment } = this.#options;
    for (let number = Math.min(cursor.number, headNumber); number >= deployment.startBlock; number--) {
      const stored = await store.findBlock(number);
      if (stored !== null && (await this.#isCanonical(stored))) return stored;
    }
    return null;
  }

  /** A chain that only lost its last blocks looks like a node that lags behind; the local chain has a single node. */
  #isConfirmedReorg(cursor: BlockRef, headNumber: number, ancestor: BlockRef | null): boolean {
    const { rpc, clock } = this.#options;
    const isOnlyShorter = headNumber < cursor.number && ancestor?.number === headNumber;
    if (!isOnlyShorter) return true;
    if (!isLocalChain(rpc.chainId)) return false;
    this.#shorterChainSinceMs ??= clock.monotonicMs();
    return clock.monotonicMs() - this.#shorterChainSinceMs >= SHORTER_CHAIN_CONFIRM_MS;
  }

  async #isCanonical(block: BlockRef): Promise<boolean> {
    return (await this.#callNode((client) => readHeader(client, block.number))).hash === block.hash;
  }

  #setIndexedBlock(number: number): void {
    if (this.#indexedBlock !== number) this.#writes += 1;
    this.#indexedBlock = number;
    // Before the waiters run: the status they read must show that the outage is over.
    this.#failures = 0;
    for (const check of this.#waiters) check();
  }

  #callNode<T>(run: (client: PublicClient) => Promise<T>, passThrough?: "errors"): Promise<T> {
    return this.#options.rpc.withDeadline(run, { deadlineMs: DEADLINE_MS, ...(passThrough ? { passThrough } : {}) });
  }
}

export function startIndexer(options: IndexerOptions): Indexer {
  const indexer = new Indexer(options);
  indexer.start();
  return indexer;
}
