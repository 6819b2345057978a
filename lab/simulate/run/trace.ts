/** The events of a run as lines. The same seed gives the same digest. */
import { createHash } from "node:crypto";

/** The number of lines kept for a report. */
const KEPT_MAX = 4_000;
/** Characters hashed at once, since a call costs more than hashing a line. */
const HASHED_AT_ONCE = 65_536;

export interface TraceLine {
  readonly text: string;
  /** The agent whose request it concerns; null for other lines. Not part of the digest. */
  readonly agent: string | null;
}

export class Trace {
  readonly #hash = createHash("sha256");
  readonly lines: TraceLine[] = [];
  readonly #isKept: boolean;
  /** Text that is not hashed yet. */
  #text = "";

  constructor(isKept: boolean) {
    this.#isKept = isKept;
  }

  note(atMs: number, text: string, agent: string | null): void {
    const line = `${atMs.toFixed(3)} ${text}`;
    this.#text += line;
    if (this.#text.length >= HASHED_AT_ONCE) this.#hashText();
    if (this.#isKept && this.lines.length < KEPT_MAX) this.lines.push({ text: line, agent });
  }

  digest(): string {
    this.#hashText();
    return this.#hash.digest("hex");
  }

  #hashText(): void {
    this.#hash.update(this.#text);
    this.#text = "";
  }
}

/** An invariant that does not hold. */
export class Violation extends Error {
  readonly invariant: string;

  constructor(invariant: string, detail: string) {
    super(`${invariant}: ${detail}`);
    this.invariant = invariant;
  }
}
