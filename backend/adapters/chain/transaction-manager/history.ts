import type { BlockId, OperatorWallet } from "./operator-wallet.ts";

/** A node that is behind is not a reorganization: so many polls in a row have to find the chain shorter. */
const SHORTER_CHAIN_POLLS = 2;

/**
 * Tells with one request whether blocks that were seen before may have been replaced: as long as the last head that was
 * seen has its hash, every block below it is the same.
 */
export class ChainHistory {
  readonly #wallet: Pick<OperatorWallet, "readHead">;
  #lastHead: BlockId | null = null;
  #shorterPolls = 0;

  constructor(wallet: Pick<OperatorWallet, "readHead">) {
    this.#wallet = wallet;
  }

  /** Blocks above this number are not known to be the same at the next poll. */
  get lastNumber(): number {
    return this.#lastHead?.number ?? -1;
  }

  /** Compares the chain with the last head; call `accept` when everything that depends on it was checked. */
  async compare(): Promise<{ readonly head: BlockId; readonly isChanged: boolean; readonly accept: () => void }> {
    const last = this.#lastHead;
    const { head, hashAtNumber } = await this.#wallet.readHead(last?.number ?? 0);
    const isShorter = last !== null && hashAtNumber === null;
    if (isShorter && this.#shorterPolls + 1 < SHORTER_CHAIN_POLLS) {
      this.#shorterPolls += 1;
      return { head, isChanged: false, accept: () => undefined };
    }
    const accept = (): void => {
      this.#lastHead = head;
      this.#shorterPolls = 0;
    };
    return { head, isChanged: last === null || hashAtNumber !== last.hash, accept };
  }

  forget(): void {
    this.#lastHead = null;
    this.#shorterPolls = 0;
  }
}
