import { BlockNotFoundError, type PublicClient } from "viem";
import { isLocalChain } from "../../../../domain/chain-ids.ts";
import type { BlockFinality } from "../../../../domain/session.ts";
import type { Head } from "../../../ports/chain.ts";
import type { Clock } from "../../../ports/system.ts";
import { isRateLimit, isRejection } from "../rpc-errors.ts";
import type { LatestBlock } from "./fetch.ts";

/**
 * If the node lacks the tag `finalized`, a block counts as final this many blocks below the head: two epochs of
 * Ethereum.
 */
const FINAL_DEPTH_BLOCKS = 64;
/**
 * A block is final if all reads agree on it while the head rises by this number of blocks: a single one may be wrong.
 * The tag is read at most once per this number of blocks, since providers charge for each request.
 */
const AGREED_BLOCKS = 3;
/** The time before asking a node for the tag again if it did not know it. */
const TAG_RETRY_MS = 60_000;

export interface HeadOptions {
  readonly chainId: number;
  /** Blocks on top of one before it counts as safe. */
  readonly confirmations: number;
  readonly clock: Pick<Clock, "monotonicMs">;
}

/** The chain's head and finality as of the last poll, so that other code need not query the node. */
export class HeadTracker {
  readonly #options: HeadOptions;
  #head: Head | null = null;
  /** The highest block that the polls have agreed on; a lagging node cannot lower it. */
  #final = -1;
  /** The lowest final block and the lowest head since the polls last agreed. */
  #lowest: { readonly final: number; readonly head: number } | null = null;
  #hasTag = false;
  #tagRetryAtMs = 0;
  /** The head when the tag was read last; null before. */
  #tagHead: number | null = null;

  constructor(options: HeadOptions) {
    this.#options = options;
  }

  /** Null before the first poll. */
  get head(): Head | null {
    return this.#head;
  }

  /** The highest safe and final block numbers; -1 before the first poll, and for `final` until polls agree. */
  get finality(): BlockFinality {
    const { chainId, confirmations } = this.#options;
    if (this.#head === null) return { safe: -1, final: -1 };
    const { number } = this.#head;
    const safe = Math.max(0, number - confirmations);
    if (isLocalChain(chainId)) return { safe, final: safe };
    return { safe: Math.max(safe, this.#final), final: this.#final };
  }

  /** The final block of this poll, at most a safe block; null if unknown, or if the tag was not read. */
  #findFinal(number: number, finalized: number | null): number | null {
    // Do not fall back to the last response: it may be the wrong one, and would confirm itself.
    if (finalized === null && this.#hasTag) return null;
    const safe = Math.max(0, number - this.#options.confirmations);
    return Math.min(safe, finalized ?? Math.max(0, number - FINAL_DEPTH_BLOCKS));
  }

  #raiseFinal(final: number, head: number): void {
    const agreed = Math.min(final, this.#lowest?.final ?? final);
    const start = Math.min(head, this.#lowest?.head ?? head);
    if (head - start < AGREED_BLOCKS) {
      this.#lowest = { final: agreed, head: start };
      return;
    }
    this.#final = Math.max(this.#final, agreed);
    this.#lowest = { final, head };
  }

  /** Whether the head is at another place than when the tag was read last. A node that was behind can make it lower. */
  #isTagDue(): boolean {
    const { chainId, clock } = this.#options;
    if (isLocalChain(chainId) || clock.monotonicMs() < this.#tagRetryAtMs) return false;
    if (this.#head === null || this.#tagHead === null) return true;
    return Math.abs(this.#head.number - this.#tagHead) >= AGREED_BLOCKS;
  }

  async poll(client: PublicClient): Promise<LatestBlock> {
    const isTagRead = this.#isTagDue();
    const [header, finalized] = await Promise.all([
      client.getBlock({ blockTag: "latest" }),
      isTagRead ? readFinalized(client) : null,
    ]);
    const { number, hash, timestamp } = header;
    this.#head = { number: Number(number), hash, timestamp: Number(timestamp) };
    if (isTagRead) this.#tagHead = this.#head.number;
    if (finalized !== null) this.#hasTag = true;
    else if (isTagRead) this.#tagRetryAtMs = this.#options.clock.monotonicMs() + TAG_RETRY_MS;
    const final = this.#findFinal(this.#head.number, finalized);
    if (final !== null) this.#raiseFinal(final, this.#head.number);
    return { ...this.#head, header };
  }
}

/** The finalized block; null if the node does not have the tag. */
async function readFinalized(client: PublicClient): Promise<number | null> {
  try {
    return Number((await client.getBlock({ blockTag: "finalized" })).number);
  } catch (error) {
    if (isRateLimit(error)) throw error;
    if (isRejection(error) || error instanceof BlockNotFoundError) return null;
    throw error;
  }
}
