import type { TransactionChange, TransactionRow, TransactionStore } from "../../../ports/store/chain.ts";
import { hashTransaction } from "./account.ts";

export interface PollResult {
  readonly waiting: number;
  /** The lowest number of blocks on top of a transaction that is not final; null if there is none. */
  readonly youngestDepth: number | null;
}

/** The findings of one poll: changes that many rows share are stored together, after all rows were checked. */
export class Findings {
  readonly #toSend: TransactionRow[] = [];
  readonly #idsByChange = new Map<string, { readonly change: TransactionChange; readonly ids: string[] }>();

  change(id: string, change: TransactionChange): void {
    const key = JSON.stringify(change);
    const known = this.#idsByChange.get(key) ?? { change, ids: [] };
    known.ids.push(id);
    this.#idsByChange.set(key, known);
  }

  /**
   * Sends the row's stored bytes after all rows were checked. Its hash may be that of another version, whose bytes are
   * unknown, from a block that was replaced; polls then look up the version that is sent.
   */
  send(row: TransactionRow): void {
    const txHash = hashTransaction(row.raw);
    if (row.txHash !== txHash) this.change(row.id, { txHash });
    this.#toSend.push({ ...row, txHash });
  }

  get toSend(): readonly TransactionRow[] {
    return this.#toSend;
  }

  async store(store: TransactionStore): Promise<void> {
    await Promise.all([...this.#idsByChange.values()].map(({ ids, change }) => store.updateMany(ids, change)));
  }
}
