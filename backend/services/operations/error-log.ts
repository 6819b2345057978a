/** The last error responses by request id, in memory, so that a user's report is found without searching the log. */
import type { ArcadeError } from "../../../domain/errors.ts";

export interface LoggedError {
  readonly requestId: string;
  readonly atMs: number;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

const ENTRIES_MAX = 500;

export class ErrorLog {
  readonly #entries: LoggedError[] = [];
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** The message that the client got; that of an unexpected error has no details. */
  add(
    request: { readonly requestId: string; readonly method: string; readonly route: string },
    { status, code, message }: Pick<ArcadeError, "status" | "code" | "message">,
  ): void {
    const { requestId, method, route } = request;
    this.#entries.push({ requestId, method, route, atMs: this.#nowMs(), status, code, message });
    if (this.#entries.length > ENTRIES_MAX) this.#entries.shift();
  }

  /** Newest first; `requestId` null: of every request. */
  list(requestId: string | null, limit: number): readonly LoggedError[] {
    const found = requestId === null ? this.#entries : this.#entries.filter((entry) => entry.requestId === requestId);
    return found.slice(-limit).reverse();
  }
}
