/** What happened in a life, as lines; two lives of one seed have the same digest. */
import { createHash } from "node:crypto";

/** Lines that are kept for a report. */
const KEPT_MAX = 4_000;

export class Trace {
  readonly #hash = createHash("sha256");
  readonly lines: string[] = [];
  readonly #isKept: boolean;

  constructor(isKept: boolean) {
    this.#isKept = isKept;
  }

  note(atMs: number, text: string): void {
    const line = `${atMs.toFixed(3)} ${text}`;
    this.#hash.update(line);
    if (this.#isKept && this.lines.length < KEPT_MAX) this.lines.push(line);
  }

  digest(): string {
    return this.#hash.digest("hex");
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
