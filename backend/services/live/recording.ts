import { type Hex, type ReplayInput, STATE_DIGEST_EVERY_TICKS } from "../../domain/replay.ts";

/** What one session has recorded, and how much of it is stored. */
export class Recording {
  readonly inputs: ReplayInput[];
  readonly stateDigests: Hex[];
  #storedInputs: number;
  #storedDigests: number;
  #storedMark = "";

  constructor(stored: { readonly inputs: readonly ReplayInput[]; readonly stateDigests: readonly Hex[] }) {
    this.inputs = [...stored.inputs];
    this.stateDigests = [...stored.stateDigests];
    this.#storedInputs = this.inputs.length;
    this.#storedDigests = this.stateDigests.length;
  }

  add(tick: number, code: number): void {
    this.inputs.push([tick, code]);
  }

  isDigestTick(tick: number): boolean {
    return tick % STATE_DIGEST_EVERY_TICKS === 0;
  }

  /**
   * What is not stored yet, or null. `mark` stands for the rest of the row (tick, phase, score). Call `stored` once the
   * store has it; until then the same entries are offered again.
   */
  pending(mark: string): {
    readonly inputs: readonly ReplayInput[];
    readonly stateDigests: readonly Hex[];
    readonly stored: () => void;
  } | null {
    const inputsEnd = this.inputs.length;
    const digestsEnd = this.stateDigests.length;
    const changed = inputsEnd > this.#storedInputs || digestsEnd > this.#storedDigests || mark !== this.#storedMark;
    if (!changed) return null;
    return {
      inputs: this.inputs.slice(this.#storedInputs),
      stateDigests: this.stateDigests.slice(this.#storedDigests),
      stored: () => {
        this.#storedInputs = inputsEnd;
        this.#storedDigests = digestsEnd;
        this.#storedMark = mark;
      },
    };
  }
}
