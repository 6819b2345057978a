import type { BlockId, OperatorWallet } from "./operator-wallet.ts";

/** After this many polls in a row a shorter chain counts as a reorganization: before, the node may only lag. */
const SHORTER_CHAIN_POLLS = 2;

export interface Comparison {
  readonly head: BlockId;
  /** True when blocks may have been replaced. */
  readonly isChanged: boolean;
  /** True if the last head is still a block of the chain. If the node may only lag, both are false. */
  readonly isConfirmed: boolean;
  /** Call this after everything that depends on the blocks was checked. */
  readonly accept: () => void;
}

/**
 * Checks with one request whether known blocks may have been replaced: while the last seen head keeps its hash, all
 * blocks below it are unchanged.
 */
export class ChainHistory {
  readonly #wallet: Pick<OperatorWallet, "readHead">;
  #lastHead: BlockId | null = null;
  #shorterPolls = 0;

  constructor(wallet: Pick<OperatorWallet, "readHead">) {
    this.#wallet = wallet;
  }

  /** Blocks above this number may have changed at the next poll. */
  get lastNumber(): number {
    return this.#lastHead?.number ?? -1;
  }

  async compare(): Promise<Comparison> {
    const last = this.#lastHead;
    const { head, hashAtNumber } = await this.#wallet.readHead(last?.number ?? 0);
    const isShorter = last !== null && hashAtNumber === null;
    if (isShorter && this.#shorterPolls + 1 < SHORTER_CHAIN_POLLS) {
      this.#shorterPolls += 1;
      return { head, isChanged: false, isConfirmed: false, accept: () => undefined };
    }
    const accept = (): void => {
      this.#lastHead = head;
      this.#shorterPolls = 0;
    };
    // safeguard: compare-blocks
    const isChanged = last === null || hashAtNumber !== last.hash;
    return { head, isChanged, isConfirmed: !isChanged, accept };
  }

  forget(): void {
    this.#lastHead = null;
    this.#shorterPolls = 0;
  }
}
