import type { Recording } from "../../domain/replay/build-replay.ts";
import type { SessionRow, SessionStore } from "../ports/store/sessions.ts";

/** The number of recordings read at once: a read waits for several database responses, a replay takes a millisecond. */
const READ_AHEAD = 8;

/** Reads the recordings of the next sessions while one of them is replayed. */
export class RecordingReader {
  readonly #sessions: Pick<SessionStore, "getRecording">;
  /** By session id. */
  readonly #reading = new Map<string, Promise<Recording>>();

  constructor(sessions: Pick<SessionStore, "getRecording">) {
    this.#sessions = sessions;
  }

  /** Starts to read the first of these. */
  readAhead(rows: Iterable<SessionRow>): void {
    for (const { sessionId } of rows) {
      if (this.#reading.size >= READ_AHEAD) return;
      this.#read(sessionId);
    }
  }

  async take(sessionId: string): Promise<Recording> {
    this.#read(sessionId);
    try {
      return await this.#reading.get(sessionId)!;
    } finally {
      this.#reading.delete(sessionId);
    }
  }

  /** Discards reads for sessions of other processes. */
  clear(): void {
    this.#reading.clear();
  }

  async waitUntilRead(): Promise<void> {
    await Promise.allSettled(this.#reading.values());
  }

  #read(sessionId: string): void {
    if (this.#reading.has(sessionId)) return;
    const recording = this.#sessions.getRecording(sessionId);
    // The session's turn comes later, or never.
    recording.catch(() => undefined);
    this.#reading.set(sessionId, recording);
  }
}
