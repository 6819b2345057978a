import type { PublicClient } from "viem";
import { isLocalChain } from "../../../../domain/chain-ids.ts";
import { ArcadeError } from "../../../../domain/errors.ts";
import type { Deployment, Head } from "../../../ports/chain.ts";
import type { BlockRef, ChainStore } from "../../../ports/store/chain.ts";
import type { Clock, Log } from "../../../ports/system.ts";
import type { Rpc } from "../rpc.ts";
import { isRejection } from "../rpc-errors.ts";
import { type BlockRange, type LatestBlock, type RangeStart, readFarRange, readHeader, readNearHead } from "./fetch.ts";
import { RangeLimit } from "./range-limit.ts";
import { SecondRead } from "./second-read.ts";

/** Within this distance of the head every block is stored, so that a reorganization is located to the block. */
const REORG_WINDOW_BLOCKS = 64;
/** The deadline of one call to the node: short, so that the end of an outage is noticed soon. */
export const DEADLINE_MS = 3_000;
const OTHER_CHAIN =
  "The node has none of the stored blocks, so it serves another chain. Expected one of the stored chain: change ARCADE_RPC_URL.";
/** How long the local chain must stay shorter than before until that counts as a reorganization. */
const SHORTER_CHAIN_CONFIRM_MS = 1_000;

export interface BlockSyncOptions {
  readonly rpc: Rpc;
  readonly deployment: Deployment;
  readonly store: ChainStore;
  readonly clock: Clock;
  readonly log: Log;
  /** False while another backend stores the blocks; this one then follows the store. */
  readonly mayWrite: () => boolean;
  /** The store holds the events up to a block; also called if it held them before. */
  readonly onStored: () => void;
}

/** `more`: there are more blocks to read at once. `behind`: another backend has not stored the head yet; null: neither. */
export type SyncStep = "more" | "behind" | null;

/**
 * Syncs the store to the chain's head block by block: appends blocks, and removes those that a reorganization dropped.
 */
export class BlockSync {
  readonly #options: BlockSyncOptions;
  readonly #limit = new RangeLimit();
  readonly #secondRead: SecondRead;
  #indexedBlock: number | null = null;
  /** The last block that another backend has stored. */
  #followed: BlockRef | null = null;
  #writes = 0;
  #hasBegun = false;
  #shorterChainSinceMs: number | null = null;

  constructor(options: BlockSyncOptions) {
    this.#options = options;
    const { deployment, store, clock, log } = options;
    const onAdded = (): void => {
      this.#writes += 1;
    };
    this.#secondRead = new SecondRead({ deployment, store, clock, log, limit: this.#limit, onAdded });
  }

  /** The last block whose events are stored, null before the first step. */
  get indexedBlock(): number | null {
    return this.#indexedBlock;
  }

  /** How often the stored blocks or their events have changed. */
  get writes(): number {
    return this.#writes;
  }

  /** Reads the next blocks up to this head. */
  async advance(latest: LatestBlock): Promise<SyncStep> {
    const { store, deployment } = this.#options;
    const cursor = await store.getCursor();
    if (!this.#options.mayWrite()) return this.#follow(cursor, latest);
    if (!this.#hasBegun) this.#secondRead.begin(cursor?.number ?? null);
    this.#hasBegun = true;
    this.#followRewind(cursor?.number ?? deployment.startBlock - 1);
    if (cursor === null && latest.number < deployment.startBlock) return null;
    if (cursor !== null && cursor.number >= latest.number) {
      // safeguard: compare-head-hash
      if (cursor.number !== latest.number || cursor.hash !== latest.hash) {
        return (await this.#rewindToAncestor(cursor, latest.number)) ? "more" : null;
      }
      this.#shorterChainSinceMs = null;
      this.#setIndexedBlock(cursor.number);
      return null;
    }
    this.#shorterChainSinceMs = null;
    return (await this.#appendNext(cursor, latest)) ? "more" : null;
  }

  /** The last block that another backend has stored; null if it is the one with this hash, or has left the chain. */
  async readFollowed(knownHash: string | undefined): Promise<Head | null> {
    const followed = this.#followed;
    if (followed === null || followed.hash === knownHash) return null;
    const { hash, timestamp } = await this.#callNode((client) => readHeader(client, followed.number));
    return hash === followed.hash ? { number: followed.number, hash, timestamp: Number(timestamp) } : null;
  }

  /** Follows what another backend has stored. */
  #follow(cursor: BlockRef | null, latest: Head): SyncStep {
    const isBeforeStart = cursor === null && latest.number < this.#options.deployment.startBlock;
    if (cursor !== null) this.#setIndexedBlock(cursor.number);
    this.#followed = cursor;
    return isBeforeStart || cursor?.hash === latest.hash ? null : "behind";
  }

  /** The operator may rewind the store while the service runs: `npm run admin -- chain resync`. */
  #followRewind(storedBlock: number): void {
    if (this.#indexedBlock === null || this.#indexedBlock <= storedBlock) return;
    this.#secondRead.rewind(storedBlock);
    this.#indexedBlock = storedBlock;
  }

  async #appendNext(cursor: BlockRef | null, latest: LatestBlock): Promise<boolean> {
    const { store, deployment } = this.#options;
    const start = { from: cursor === null ? deployment.startBlock : cursor.number + 1, parent: cursor };
    const range = await this.#fetchRange(start, latest);
    if (range === null) {
      // Either the range was too long, or the cursor's block is no longer part of the chain.
      if (cursor !== null && !(await this.#isCanonical(cursor))) await this.#rewindToAncestor(cursor, latest.number);
      return true;
    }
    // False: the operator has rewound the store, so this range is no longer the next one.
    if (!(await store.append(range.blocks, range.events, cursor))) return true;
    const last = range.blocks.at(-1)!.number;
    this.#secondRead.mark(last);
    this.#setIndexedBlock(last);
    return last < latest.number;
  }

  /** The next range of blocks; null if it changed during the read, or if the node rejected its length. */
  async #fetchRange(start: RangeStart, latest: LatestBlock): Promise<BlockRange | null> {
    const { deployment } = this.#options;
    if (latest.number - start.from < REORG_WINDOW_BLOCKS)
      return await this.#callNode((client) => readNearHead(client, deployment, start, latest));
    const length = Math.min(latest.number - REORG_WINDOW_BLOCKS - start.from + 1, this.#limit.blocks);
    const to = start.from + length - 1;
    return await this.#withinLimit(length, (client) => readFarRange(client, deployment, start, to));
  }

  /** Reads some blocks again; true if more of them are due. Fails like a poll. */
  async readAgain(): Promise<boolean> {
    const range = this.#secondRead.next();
    if (range === null) return false;
    const length = range.to - range.from + 1;
    await this.#withinLimit(length, (client) => this.#secondRead.run(client, range));
    return this.#secondRead.next() !== null;
  }

  /** Null when the node rejected a range of this length; each node reports its limit differently. */
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
    const { rpc, deployment } = this.#options;
    const { ancestor, isDropped } = await this.#findAncestor(cursor, headNumber);
    if (headNumber < cursor.number && !isDropped && !this.#isShorterForLong()) return false;
    if (ancestor === null && !isLocalChain(rpc.chainId) && cursor.number - deployment.startBlock > REORG_WINDOW_BLOCKS)
      throw new ArcadeError("CHAIN_UNAVAILABLE", OTHER_CHAIN);
    await this.#rewindTo(ancestor?.number ?? deployment.startBlock - 1, cursor);
    return true;
  }

  /** Removes the stored blocks above this number. `cursor`: the last stored block when the chain was read. */
  async #rewindTo(number: number, cursor: BlockRef): Promise<void> {
    const { store, log } = this.#options;
    const left = await store.rewind(number, cursor);
    // Another backend has taken over while this one was paused, and has stored other blocks.
    if (left !== null && left.number > number) return;
    log.info({ from: this.#indexedBlock, to: number }, "the chain was reorganized; the store has the common blocks");
    this.#secondRead.rewind(number);
    this.#setIndexedBlock(number);
  }

  /**
   * The last stored block that is still part of the chain, or null; and whether any stored block up to the head is not.
   * Far from the head not every block is stored.
   */
  async #findAncestor(
    cursor: BlockRef,
    headNumber: number,
  ): Promise<{ readonly ancestor: BlockRef | null; readonly isDropped: boolean }> {
    const { store, deployment } = this.#options;
    let isDropped = false;
    let stored = await store.findLastBlock(Math.min(cursor.number, headNumber));
    while (stored !== null && stored.number >= deployment.startBlock) {
      // safeguard: check-common-block
      if (await this.#isCanonical(stored)) return { ancestor: stored, isDropped };
      isDropped = true;
      stored = await store.findLastBlock(stored.number - 1);
    }
    return { ancestor: null, isDropped };
  }

  /**
   * A chain that only lost its last blocks looks like a lagging node. The local chain has only one node, so it must
   * stay shorter for a while.
   */
  #isShorterForLong(): boolean {
    const { rpc, clock } = this.#options;
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
    this.#options.onStored();
  }

  #callNode<T>(run: (client: PublicClient) => Promise<T>, passThrough?: "errors"): Promise<T> {
    return this.#options.rpc.withDeadline(run, { deadlineMs: DEADLINE_MS, ...(passThrough ? { passThrough } : {}) });
  }
}
