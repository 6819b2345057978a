import { ArcadeError } from "../../../../domain/errors.ts";
import type { BlockFinality } from "../../../../domain/session.ts";
import type { Deployment, Head } from "../../../ports/chain.ts";
import type { ChainStore } from "../../../ports/store/chain.ts";
import type { Clock, Log } from "../../../ports/system.ts";
import type { Rpc } from "../rpc.ts";
import { toLogFields } from "../rpc-errors.ts";
import { BlockSync, DEADLINE_MS } from "./block-sync.ts";
import { HeadTracker } from "./head.ts";
import { ConditionWaits, PollWaits } from "./waits.ts";

const BACKOFF_MAX_MS = 1_000;
const ANNOUNCED_POLL_MS = 2_000;
/** When the poll for `waitForNextPoll` starts at the latest, and how long its callers wait for it then. */
const NEXT_POLL_MS = 1_000;
const NEXT_POLL_MAX_MS = 500;
/** How soon a backend checks again whether another one has stored the head. */
const FOLLOW_MS = 100;
/** How long a request waits for an announced change of the local chain. */
const CHANGE_MAX_MS = 1_000;

/** After a poll with this many waiting requests the next one starts later, so that more requests join it. */
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
  /** Whether `announceChange` is called for each change of the chain. Then polls only find what was not announced. */
  readonly isAnnounced?: boolean;
  /** Blocks on top of one before it counts as safe. */
  readonly confirmations: number;
  readonly log: Log;
  /** False while another backend stores the blocks. */
  readonly mayWrite: () => boolean;
}

/** Polls the chain, and keeps the store equal to a full sync of the contracts' events. */
export class Indexer {
  readonly #options: IndexerOptions;
  readonly #tracker: HeadTracker;
  readonly #sync: BlockSync;
  readonly #polls: PollWaits;
  readonly #blocks: ConditionWaits;
  readonly #announced: ConditionWaits;
  readonly #indexedCallbacks: ((head: Head) => Promise<void> | void)[] = [];
  #lastAnswerAtMs: number;
  #failures = 0;
  #problem: string | null = null;
  #stopped = false;
  #wake: (() => void) | null = null;
  #isPollRequested = false;
  #cancelNextPoll: (() => void) | null = null;
  #isPollFinished = false;
  /** Another backend has not stored the head yet. */
  #isBehind = false;
  /** Counts of changes: announced, announced before the current poll, and stored. The start counts as one. */
  #changes: number;
  #polledChanges = 0;
  #storedChanges = 0;
  /** The head of the last poll that stored every event up to it, and of the last one whose callbacks have returned. */
  #storedHead: Head | null = null;
  #finishedHead: Head | null = null;
  #running: Promise<void> = Promise.resolve();

  constructor(options: IndexerOptions) {
    this.#options = options;
    this.#changes = options.isAnnounced === true ? 1 : 0;
    const { rpc, deployment, store, clock, log, confirmations, mayWrite } = options;
    this.#tracker = new HeadTracker({ chainId: rpc.chainId, confirmations, clock });
    this.#sync = new BlockSync({ rpc, deployment, store, clock, log, mayWrite, onStored: () => this.#onStored() });
    this.#polls = new PollWaits(clock);
    this.#blocks = new ConditionWaits(clock);
    this.#announced = new ConditionWaits(clock);
    this.#lastAnswerAtMs = clock.monotonicMs();
  }

  start(): this {
    this.#running = this.#run();
    return this;
  }

  status(): IndexerStatus {
    const head = this.#tracker.head?.number ?? null;
    const followed = this.#sync.indexedBlock;
    const lagBlocks = head === null || followed === null ? null : Math.max(0, head - followed);
    const isFailing = this.#failures > 0;
    const outageMs = isFailing ? this.#options.clock.monotonicMs() - this.#lastAnswerAtMs : 0;
    return { head, followed, lagBlocks, healthy: !isFailing && lagBlocks === 0, outageMs };
  }

  /** The chain's head at the last poll, null before the first one. */
  get head(): Head | null {
    return this.#tracker.head;
  }

  /** The last head up to which the store holds every event; null before the first one, and after a rewind below it. */
  get storedHead(): Head | null {
    const head = this.#storedHead;
    return head !== null && head.number <= (this.#sync.indexedBlock ?? head.number) ? head : null;
  }

  /** Why the last poll failed; null if it succeeded, and before the first one. */
  get problem(): string | null {
    return this.#failures === 0 ? null : this.#problem;
  }

  /** The highest safe and final block numbers; -1 before the first poll. */
  get finality(): BlockFinality {
    return this.#tracker.finality;
  }

  /**
   * Polls at once; resolves to true when every event up to the head of that poll is stored, to false when the poll
   * failed or after `timeoutMs`. Simultaneous calls share one poll.
   */
  waitForHead(timeoutMs: number): Promise<boolean> {
    const waiting = this.#polls.wait(timeoutMs);
    this.pollNow();
    return waiting;
  }

  /**
   * Waits for the next poll, which starts within a second, or for announced changes; returns at once while polls fail.
   * However many wait, they cause one poll a second.
   */
  async waitForNextPoll(): Promise<void> {
    const { clock, pollMs } = this.#options;
    if (this.#changes > 0) return await this.waitForChanges();
    if (this.#failures > 0) return;
    const startMs = Math.min(pollMs, NEXT_POLL_MS);
    if (pollMs > startMs)
      this.#cancelNextPoll ??= clock.after(startMs, () => {
        this.#cancelNextPoll = null;
        this.pollNow();
      });
    await this.#polls.wait(startMs + NEXT_POLL_MAX_MS);
  }

  /** Polls at once; for a chain that reports its changes, as the local one in this process does. */
  announceChange(): void {
    this.#changes += 1;
    this.pollNow();
  }

  /** Changes whenever stored chain data or the known head may have changed. */
  get revision(): string {
    return `${this.#changes} ${this.#sync.writes} ${this.#finishedHead?.hash ?? ""}`;
  }

  /** Waits until announced changes are stored; returns at once if there are none, and while polls fail. */
  async waitForChanges(): Promise<void> {
    const changes = this.#changes;
    const isStored = (): boolean => this.#storedChanges >= changes || this.#failures > 0 || this.#stopped;
    await this.#announced.wait(isStored, CHANGE_MAX_MS);
  }

  /** Called after each poll that has stored every event up to the head; the poll waits for it. */
  onIndexed(callback: (head: Head) => Promise<void> | void): void {
    this.#indexedCallbacks.push(callback);
  }

  /** Polls the chain at once instead of after the interval. */
  pollNow(): void {
    this.#isPollRequested = true;
    this.#wake?.();
  }

  /** Resolves to true once every event up to this block is stored, to false after `timeoutMs`. */
  waitForBlock(blockNumber: number, timeoutMs: number): Promise<boolean> {
    const isIndexed = (): boolean => (this.#sync.indexedBlock ?? -1) >= blockNumber;
    const waiting = this.#blocks.wait(isIndexed, timeoutMs);
    if (!isIndexed()) this.pollNow();
    return waiting;
  }

  /** The same, but also waits for the contracts' state that is read after each new head. */
  waitUntilFinished(blockNumber: number, timeoutMs: number): Promise<boolean> {
    const isFinished = (): boolean => (this.#finishedHead?.number ?? -1) >= blockNumber;
    const waiting = this.#blocks.wait(isFinished, timeoutMs);
    if (!isFinished()) this.pollNow();
    return waiting;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelNextPoll?.();
    this.pollNow();
    await this.#running;
    this.#polls.stop();
  }

  async #run(): Promise<void> {
    const { log, isAnnounced = false } = this.#options;
    const pollMs = isAnnounced ? Math.max(ANNOUNCED_POLL_MS, this.#options.pollMs) : this.#options.pollMs;
    while (!this.#stopped) {
      let hasMore = false;
      const gapMs = this.#polls.size >= SHARED_POLL_WAITERS ? SHARED_POLL_GAP_MS : 0;
      this.#polledChanges = this.#changes;
      this.#isPollFinished = false;
      this.#polls.begin();
      try {
        hasMore = await this.#poll();
        this.#failures = 0;
        if (!hasMore && !this.#isBehind) await this.#finishPoll();
      } catch (error) {
        this.#failures += 1;
        this.#problem = error instanceof ArcadeError ? error.message : "the chain's events cannot be read";
        this.#finishWaits(false);
        // Log only the start of an outage: the status reports how long it lasts.
        if (this.#failures === 1) log.warn(toLogFields(error), "the indexer cannot read the chain; trying again");
      }
      if (this.#stopped || hasMore) continue;
      if (gapMs > 0) await new Promise<void>((resolve) => this.#options.clock.after(gapMs, resolve));
      const backoffMs = Math.min(BACKOFF_MAX_MS, pollMs * 2 ** Math.min(this.#failures, 6));
      const waitMs = this.#isBehind ? Math.min(FOLLOW_MS, pollMs) : pollMs;
      if (!this.#isPollRequested || this.#isBehind) await this.#sleep(this.#failures === 0 ? waitMs : backoffMs);
      this.#isPollRequested = false;
      this.#wake = null;
    }
  }

  /** Reads the next blocks; true if there are more to read at once. */
  async #poll(): Promise<boolean> {
    const { rpc, clock } = this.#options;
    const latest = await rpc.withDeadline((client) => this.#tracker.poll(client), { deadlineMs: DEADLINE_MS });
    this.#lastAnswerAtMs = clock.monotonicMs();
    const step = await this.#sync.advance(latest);
    this.#isBehind = step === "behind";
    if (this.#isBehind) {
      // If the other backend always stores a block just before the next one comes, no poll finds the store at the head.
      const stored = await this.#sync.readFollowed(this.#finishedHead?.hash);
      if (stored !== null) await this.#finishHead(stored);
      return false;
    }
    if (step === "more") return true;
    // Also after a new block: if blocks come as often as polls, no poll finds the chain unchanged.
    await this.#finishPoll();
    // safeguard: read-blocks-twice
    return await this.#sync.readAgain();
  }

  /** Every event up to the head is stored. */
  async #finishPoll(): Promise<void> {
    if (this.#isPollFinished) return;
    this.#isPollFinished = true;
    await this.#finishHead(this.#tracker.head!);
    this.#storedChanges = this.#polledChanges;
    this.#finishWaits(true);
  }

  async #finishHead(head: Head): Promise<void> {
    this.#storedHead = head;
    // In order: later callbacks may use what earlier ones have read.
    for (const callback of this.#indexedCallbacks) await callback(head);
    this.#finishedHead = head;
    this.#blocks.check();
  }

  #onStored(): void {
    // Before the waiting requests continue: the status that they read must show that the outage is over.
    this.#failures = 0;
    this.#blocks.check();
  }

  #finishWaits(isIndexed: boolean): void {
    this.#announced.check();
    this.#polls.finish(isIndexed);
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
}

export const startIndexer = (options: IndexerOptions): Indexer => new Indexer(options).start();
