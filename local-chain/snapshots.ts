/** Where the engine can go back to: what callers have saved, and the state before each of the last blocks. */

export interface Snapshot {
  readonly journalLength: number;
  readonly blockNumber: number;
  readonly timeOffsetSeconds: number;
}

/** The deepest reorganization, in blocks. */
const DEPTH_MAX = 256;

export class Snapshots {
  readonly #byId = new Map<string, Snapshot>();
  /** The snapshots from which a reorganization can begin, by the number of the last block. */
  readonly #heads = new Map<number, string>();

  /** How many blocks can be removed at most. */
  get depth(): number {
    return Math.min(this.#heads.size, DEPTH_MAX);
  }

  add(id: string, snapshot: Snapshot): void {
    this.#byId.set(id, snapshot);
  }

  /** Keeps the state before a block, and forgets the one that is too deep now. */
  addHead(id: string, snapshot: Snapshot): void {
    this.add(id, snapshot);
    this.#heads.set(snapshot.blockNumber, id);
    const tooDeep = snapshot.blockNumber - DEPTH_MAX - 1;
    const old = this.#heads.get(tooDeep);
    if (old === undefined) return;
    this.#heads.delete(tooDeep);
    this.#byId.delete(old);
  }

  find(id: string): Snapshot | undefined {
    return this.#byId.get(id);
  }

  /** The id of the snapshot whose last block has this number. */
  findHead(blockNumber: number): string | undefined {
    return this.#heads.get(blockNumber);
  }

  /** Forgets the states of blocks that are gone after going back to a snapshot. */
  removeHeadsFrom(id: string): void {
    for (const [number, head] of this.#heads) if (BigInt(head) >= BigInt(id)) this.#heads.delete(number);
  }
}
