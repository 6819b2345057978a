import type { Hex } from "viem";
import type { Recording as StoredRecording } from "../../domain/replay/build-replay.ts";
import { advanceInputsDigest, computeInputsDigest } from "../../domain/replay/inputs-digest.ts";
import { PAUSE_CODES, type PauseReason, type ReplayInput, type ReplayPause } from "../../domain/replay/replay.ts";
import type { Phase } from "../../domain/session.ts";

/** A pause that has not ended. */
interface OpenPause {
  readonly tick: number;
  readonly reason: PauseReason;
  readonly sinceMs: number;
}

/** The mutable columns of a running session's row. */
export const toFingerprint = (columns: {
  readonly phase: Phase;
  readonly tick: number;
  readonly score: number;
  readonly entropy: Hex | null;
}): string => `${columns.phase} ${columns.tick} ${columns.score} ${columns.entropy}`;

/** The recording of one session, and how much of it is stored. */
export class Recording {
  readonly inputs: ReplayInput[];
  readonly pauses: ReplayPause[];
  /** The digest of the inputs so far. */
  inputsDigest: Hex;
  #openPause: OpenPause | null = null;
  #storedInputs: number;
  #storedPauses: number;
  #storedFingerprint: string;

  /** `fingerprint`: of the stored row. */
  constructor(stored: Pick<StoredRecording, "inputs" | "pauses">, fingerprint: string) {
    this.#storedFingerprint = fingerprint;
    this.inputs = [...stored.inputs];
    this.pauses = [...stored.pauses];
    this.inputsDigest = computeInputsDigest(this.inputs);
    this.#storedInputs = this.inputs.length;
    this.#storedPauses = this.pauses.length;
  }

  /** Records an input of the tick, and advances the digest of the inputs. */
  add(tick: number, code: number): void {
    const input = [tick, code] as const;
    this.inputs.push(input);
    this.inputsDigest = advanceInputsDigest(this.inputsDigest, input);
  }

  /**
   * Sets the reason for which the game is paused from now on, or null. A pause is recorded when it ends, or when its
   * reason changes.
   */
  setPause(reason: PauseReason | null, tick: number, nowMs: number): void {
    const open = this.#openPause;
    if (reason === (open?.reason ?? null)) return;
    if (open !== null) this.pauses.push([open.tick, PAUSE_CODES[open.reason], Math.round(nowMs - open.sinceMs)]);
    this.#openPause = reason === null ? null : { tick, reason, sinceMs: nowMs };
  }

  /** Takes over the store's state if the outcome of a write is unknown; the row counts as changed. */
  setStored({ inputs, pauses }: Pick<StoredRecording, "inputs" | "pauses">): void {
    this.#storedInputs = inputs.length;
    this.#storedPauses = pauses.length;
    this.#storedFingerprint = "";
  }

  /**
   * The entries that are not stored yet, or null if the row has not changed either (`toFingerprint`). Call `markStored`
   * once the store has the entries; until then they are returned again.
   */
  pending(fingerprint: string): {
    readonly inputs: readonly ReplayInput[];
    readonly pauses: readonly ReplayPause[];
    readonly markStored: () => void;
  } | null {
    const inputsEnd = this.inputs.length;
    const pausesEnd = this.pauses.length;
    const changed =
      inputsEnd > this.#storedInputs || pausesEnd > this.#storedPauses || fingerprint !== this.#storedFingerprint;
    if (!changed) return null;
    return {
      inputs: this.inputs.slice(this.#storedInputs),
      pauses: this.pauses.slice(this.#storedPauses),
      markStored: () => {
        this.#storedInputs = inputsEnd;
        this.#storedPauses = pausesEnd;
        this.#storedFingerprint = fingerprint;
      },
    };
  }
}
