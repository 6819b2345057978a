/** The states that the engine can go back to: callers' snapshots, and the state before each of the last blocks. */

export interface Snapshot {
  readonly journalLength: number;
  readonly blockNumber: number;
  readonly timeOffsetSeconds: number;
}

/** The deepest reorganization, in blocks. */
const DEPTH_MAX = 256;

export class Snapshots {
  readonly #byId = new Map<string, Snapshot>();
  readonly #callers = new Set<string>();
  /** The snapshots at which a reorganization can start, by the number of the last block. */
  readonly #heads = new Map<number, string>();

  /** The depths that a reorganization can have, for an error. */
  get depths(): string {
    const most = Math.min(this.#heads.size, DEPTH_MAX);
    return most === 0 ? "blocks mined since the last start, reset or load" : `a depth from 1 to ${most}`;
  }

  /** Saves a state that a caller may go back to. */
  add(id: string, snapshot: Snapshot): void {
    this.#byId.set(id, snapshot);
    this.#callers.add(id);
  }

  /** Saves the state before a block, and drops the one that is now too deep. */
  addHead(id: string, snapshot: Snapshot): void {
    this.#byId.set(id, snapshot);
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

  /** Whether a caller got this id; the engine counts the states before blocks, too. */
  isCallers(id: string): boolean {
    return this.#callers.has(id);
  }

  /** The id of the snapshot whose last block has this number. */
  findHead(blockNumber: number): string | undefined {
    return this.#heads.get(blockNumber);
  }

  /** Drops the states of blocks that are gone after a revert. */
  removeHeadsFrom(id: string): void {
    for (const [number, head] of this.#heads) if (BigInt(head) >= BigInt(id)) this.#heads.delete(number);
  }
}
