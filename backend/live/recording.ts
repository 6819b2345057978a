import type { Hex } from "viem";
import { type ReplayInput, STATE_DIGEST_EVERY_TICKS } from "../domain/replay/replay.ts";

/** The recording of one session, and how much of it is stored. */
export class Recording {
  readonly inputs: ReplayInput[];
  readonly stateDigests: Hex[];
  #storedInputs: number;
  #storedDigests: number;
  #storedFingerprint = "";

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
   * The entries that are not stored yet, or null. `fingerprint` covers the other columns of the row (tick, phase,
   * score). Call `markStored` once the store has the entries; until then they are returned again.
   */
  pending(fingerprint: string): {
    readonly inputs: readonly ReplayInput[];
    readonly stateDigests: readonly Hex[];
    readonly markStored: () => void;
  } | null {
    const inputsEnd = this.inputs.length;
    const digestsEnd = this.stateDigests.length;
    const changed =
      inputsEnd > this.#storedInputs || digestsEnd > this.#storedDigests || fingerprint !== this.#storedFingerprint;
    if (!changed) return null;
    return {
      inputs: this.inputs.slice(this.#storedInputs),
      stateDigests: this.stateDigests.slice(this.#storedDigests),
      markStored: () => {
        this.#storedInputs = inputsEnd;
        this.#storedDigests = digestsEnd;
        this.#storedFingerprint = fingerprint;
      },
    };
  }
}
