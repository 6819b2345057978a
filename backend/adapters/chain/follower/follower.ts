import type { PublicClient } from "viem";
import type { BlockRef, ChainStore, Clock, Deployment, Log } from "../../../ports.ts";
import { isLocalChain } from "../chain-id.ts";
import { findRpcError, loggable, type Rpc } from "../rpc.ts";
import { type Range, readHeader, readRange, type Start } from "./fetch.ts";

/** Within this distance of the head every block is kept, so that a reorganization is found to the block. */
const NEAR_BLOCKS = 64;
/** Blocks a request for logs covers while far behind; halved where the node refuses. */
const CHUNK_BLOCKS = 2_000;
/** A request hangs no longer than this, so that a node that is back is noticed soon. */
const DEADLINE_MS = 3_000;
const BACKOFF_MAX_MS = 1_000;
/** How long the local chain must stay shorter than before until it is believed: another node may only be late. */
const SHORTER_MS = 1_000;

export interface FollowerStatus {
  /** The chain's head as last seen, null before the first answer. */
  readonly head: number | null;
  readonly followed: number | null;
  readonly lagBlocks: number | null;
  /** True where the last look at the chain succeeded and nothing is left to follow. */
  readonly healthy: boolean;
  /** How long the chain has not answered; 0 where it does. */
  readonly outageMs: number;
}

export interface Follower {
  status(): FollowerStatus;
  /** Looks at the chain at once instead of after the interval. */
  nudge(): void;
  /** True once every event up to this block is stored; false after `timeoutMs`. */
  caughtUp(blockNumber: number, timeoutMs: number): Promise<boolean>;
  stop(): Promise<void>;
}

export interface FollowerOptions {
  readonly rpc: Rpc;
  readonly deployment: Deployment;
  readonly store: ChainStore;
  readonly clock: Clock;
  readonly pollMs: number;
  readonly log: Log;
}

/** Follows the chain block by block and keeps the store equal to what a fresh sync would hold. */
export function startFollower({ rpc, deployment, store, clock, pollMs, log }: FollowerOptions): Follower {
  const waiters = new Set<() => void>();
  let head: number | null = null;
  let followed: number | null = null;
  let lastAnswerAtMs = clock.monotonicMs();
  let failures = 0;
  let chunkBlocks = CHUNK_BLOCKS;
  let shorterSinceMs: number | null = null;
  let stopped = false;
  let wake: (() => void) | null = null;
  let nudged = false;

  const ask = <T>(run: (client: PublicClient) => Promise<T>, answers?: "errors"): Promise<T> =>
    rpc.guard(run, { deadlineMs: DEADLINE_MS, ...(answers ? { answers } : {}) });

  function setFollowed(number: number): void {
    followed = number;
    for (const check of waiters) check();
  }

  /** The last stored block that the chain still has; null where none of them is left. */
  async function findAncestor(cursor: BlockRef, headNumber: number): Promise<BlockRef | null> {
    for (let number = Math.min(cursor.number, headNumber); number >= deployment.startBlock; number--) {
      const stored = await store.blockAt(number);
      if (stored !== null && (await ask((client) => readHeader(client, number))).hash === stored.hash) return stored;
    }
    return null;
  }

  /** A chain that only lost its last blocks looks like a node that is late; the local one has no other nodes. */
  function isBelieved(cursor: BlockRef, headNumber: number, ancestor: BlockRef | null): boolean {
    const isOnlyShorter = headNumber < cursor.number && ancestor?.number === headNumber;
    if (!isOnlyShorter) return true;
    if (!isLocalChain(rpc.chainId)) return false;
    shorterSinceMs ??= clock.monotonicMs();
    return clock.monotonicMs() - shorterSinceMs >= SHORTER_MS;
  }

  /** Walks back to where store and chain agree. False where that is not clear yet. */
  async function rewindTo(cursor: BlockRef, headNumber: number): Promise<boolean> {
    const ancestor = await findAncestor(cursor, headNumber);
    if (!isBelieved(cursor, headNumber, ancestor)) return false;
    shorterSinceMs = null;
    const number = ancestor?.number ?? deployment.startBlock - 1;
    log.info({ from: cursor.number, to: number }, "the chain was reorganized; going back to the common block");
    await store.rewind(number);
    setFollowed(number);
    return true;
  }

  async function fetch(start: Start, headNumber: number): Promise<Range | null> {
    const near = headNumber - start.from < NEAR_BLOCKS;
    const to = near ? headNumber : Math.min(headNumber - NEAR_BLOCKS, start.from + chunkBlocks - 1);
    try {
      const range = await ask((client) => readRange(client, deployment, start, to, near), "errors");
      chunkBlocks = Math.min(CHUNK_BLOCKS, chunkBlocks * 2);
      return range;
    } catch (error) {
      // Nodes bound the range of a request for logs, each in its own words.
      if (findRpcError(error) === null || chunkBlocks === 1) throw error;
      chunkBlocks = Math.max(1, Math.floor(chunkBlocks / 2));
      return null;
    }
  }

  /** One look at the chain. Answers true where there is more to do at once. */
  async function step(): Promise<boolean> {
    const latest = await ask((client) => client.getBlock({ blockTag: "latest" }));
    const headNumber = Number(latest.number);
    head = headNumber;
    lastAnswerAtMs = clock.monotonicMs();
    const cursor = await store.cursor();
    if (cursor === null && headNumber < deployment.startBlock) return false;
    if (cursor !== null && cursor.number >= headNumber) {
      const same = cursor.number === headNumber && cursor.hash === latest.hash;
      if (same) {
        shorterSinceMs = null;
        setFollowed(cursor.number);
        return false;
      }
      return await rewindTo(cursor, headNumber);
    }
    shorterSinceMs = null;
    const start = { from: cursor === null ? deployment.startBlock : cursor.number + 1, parent: cursor };
    const range = await fetch(start, headNumber);
    if (range === null) {
      // Either the range was too long, or the block we stand on is no longer part of the chain.
      const stands = cursor === null || (await ask((client) => readHeader(client, cursor.number))).hash === cursor.hash;
      if (!stands) await rewindTo(cursor, headNumber);
      return true;
    }
    await store.append(range.blocks, range.events);
    const last = range.blocks.at(-1)!.number;
    setFollowed(last);
    return last < headNumber;
  }

  const sleep = (delayMs: number): Promise<void> =>
    new Promise((resolve) => {
      const cancel = clock.after(delayMs, () => resolve());
      wake = () => {
        cancel();
        resolve();
      };
    });

  async function loop(): Promise<void> {
    while (!stopped) {
      let more = false;
      try {
        more = await step();
        failures = 0;
      } catch (error) {
        failures += 1;
        // The outage itself is told by the status; a line for its beginning is enough.
        if (failures === 1) log.warn(loggable(error), "the chain could not be followed; trying again");
      }
      if (stopped || more) continue;
      if (!nudged) await sleep(failures === 0 ? pollMs : Math.min(BACKOFF_MAX_MS, pollMs * 2 ** Math.min(failures, 6)));
      nudged = false;
      wake = null;
    }
  }
  const running = loop();

  const nudge = (): void => {
    nudged = true;
    wake?.();
  };

  return {
    status: () => {
      const lagBlocks = head === null || followed === null ? null : Math.max(0, head - followed);
      const outageMs = failures === 0 ? 0 : clock.monotonicMs() - lastAnswerAtMs;
      return { head, followed, lagBlocks, healthy: failures === 0 && lagBlocks === 0, outageMs };
    },
    nudge,
    caughtUp: (blockNumber, timeoutMs) =>
      new Promise((resolve) => {
        const isThere = (): boolean => followed !== null && followed >= blockNumber;
        if (isThere()) return resolve(true);
        const finish = (answer: boolean): void => {
          waiters.delete(check);
          cancel();
          resolve(answer);
        };
        const check = (): void => {
          if (isThere()) finish(true);
        };
        const cancel = clock.after(timeoutMs, () => finish(false));
        waiters.add(check);
        nudge();
      }),
    stop: async () => {
      stopped = true;
      nudge();
      await running;
    },
  };
}
