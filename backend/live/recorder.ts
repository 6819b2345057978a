import { ArcadeError } from "../../domain/errors.ts";
import type { RewardsChain } from "../../domain/replay/build-replay.ts";
import { SESSION_TIMES } from "../../domain/session.ts";
import type { EndedSession, RecordedChunk, SessionRow, SessionStore } from "../ports/store/sessions.ts";
import type { Clock, Log } from "../ports/system.ts";
import { createRecordedEnd, toGameSessionHash } from "./outcome.ts";
import { toFingerprint } from "./recording.ts";
import type { LiveSession } from "./session.ts";

const FLUSH_MS = SESSION_TIMES.recordSeconds * 1000;
const RETRY_MS = 1000;
/** Sessions per transaction: this thread's ticks wait while it is written. */
const BATCH_SIZE = 64;
/** A flush of several batches is spread over this time. */
const FLUSH_SPREAD_MS = 500;

interface RecorderOptions {
  readonly sessions: SessionStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly chain: RewardsChain;
  readonly getSessions: () => Iterable<LiveSession>;
  /** Called once for each session that is stored as ended. */
  readonly onStored: (session: LiveSession, row: SessionRow) => void;
  /** Called if the store rejected a session because another backend owns it; may be called again. */
  readonly onMoved: (session: LiveSession) => void;
}

/** The store rejects all writes for a session that another backend owns. */
const isOwnershipLost = (error: unknown): boolean => error instanceof ArcadeError && error.code === "SHUTTING_DOWN";

/**
 * Stores the recordings: all sessions once a second, many in one transaction, and each end in a separate transaction. A
 * failing store never stops a tick; the recorder tries again.
 */
export class Recorder {
  /** Flushes and ends that failed. */
  failures = 0;
  readonly #options: RecorderOptions;
  readonly #pendingEnds = new Map<LiveSession, { attempt: Promise<SessionRow> }>();
  /** Sessions of a failed flush, which may have been committed before its response was lost. */
  readonly #unconfirmed = new WeakSet<LiveSession>();
  #flushing: Promise<boolean> | null = null;
  #cancel: (() => void) | null = null;
  #skipWait: (() => void) | null = null;
  #running = false;
  /** How often this process has lost its sessions. */
  #losses = 0;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** Ended sessions that are not stored yet. */
  get pendingEndCount(): number {
    return this.#pendingEnds.size;
  }

  start(): void {
    this.#running = true;
    this.#schedule();
  }

  /** Stops after storing everything a last time; running sessions stay open in the store. */
  async stop(): Promise<void> {
    this.#running = false;
    this.#cancel?.();
    this.#skipWait?.();
    await this.flush();
    // A flush that was already running may have used older facts.
    await this.flush();
    await Promise.allSettled([...this.#pendingEnds.values()].map((end) => end.attempt));
  }

  /** Stores the new entries of every running session; false when the store failed. Calls do not overlap. */
  flush(): Promise<boolean> {
    this.#flushing ??= this.#flushAll().finally(() => {
      this.#flushing = null;
    });
    return this.#flushing;
  }

  /** Stores an ended session, with retries until it is stored. */
  end(session: LiveSession): void {
    const endedAtMs = this.#options.clock.nowMs();
    this.#pendingEnds.set(session, { attempt: this.#tryEnd(session, endedAtMs) });
  }

  /** The current attempt to store an ended session, or the last failed one. */
  waitUntilStored(session: LiveSession): Promise<SessionRow> {
    const end = this.#pendingEnds.get(session);
    if (!end) throw new Error(`session ${session.row.sessionId} is not being stored`);
    return end.attempt;
  }

  /** Other processes own all sessions: stores nothing more for them. */
  abandonAll(): void {
    this.#losses += 1;
    this.#pendingEnds.clear();
  }

  /** Ends a stored session that cannot be replayed, with the score and the tick that were stored last. */
  endAsRecorded(row: SessionRow, recording: Awaited<ReturnType<SessionStore["getRecording"]>>): Promise<SessionRow> {
    return this.#store(row, createRecordedEnd(row, recording, this.#options.clock.nowMs()));
  }

  #schedule(): void {
    if (!this.#running) return;
    this.#cancel = this.#options.clock.after(FLUSH_MS, () => {
      void this.flush();
      this.#schedule();
    });
  }

  async #flushAll(): Promise<boolean> {
    const sessions = [...this.#options.getSessions()];
    const gapMs = (FLUSH_SPREAD_MS * BATCH_SIZE) / sessions.length;
    let isStored = true;
    const losses = this.#losses;
    for (let from = 0; from < sessions.length; from += BATCH_SIZE) {
      if (from > 0) await this.#wait(gapMs);
      if (losses !== this.#losses) return false;
      isStored = (await this.#flushBatch(sessions.slice(from, from + BATCH_SIZE))) && isStored;
    }
    return isStored;
  }

  /** Lets ticks run between two batches; resolves at once when the recorder stops. */
  #wait(ms: number): Promise<void> | undefined {
    if (!this.#running) return;
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(ms, resolve);
      this.#skipWait = () => {
        cancel();
        resolve();
      };
    });
  }

  async #flushBatch(sessions: readonly LiveSession[]): Promise<boolean> {
    const { log, onMoved } = this.#options;
    const confirmations = new Map<LiveSession, () => void>();
    const losses = this.#losses;
    try {
      await this.#readUnconfirmed(sessions);
      // This process may have claimed the session again since then, as a new object.
      if (losses !== this.#losses) return false;
      const moved = new Set(await this.#record(sessions, confirmations));
      for (const [session, markStored] of confirmations) {
        if (moved.has(session.row.sessionId)) onMoved(session);
        else markStored();
      }
      return true;
    } catch (error) {
      this.failures += 1;
      log.error({ err: error, sessions: sessions.length }, "the recorder could not store the inputs");
      for (const session of confirmations.keys()) {
        if (isOwnershipLost(error)) onMoved(session);
        else this.#unconfirmed.add(session);
      }
      return false;
    }
  }

  /** Otherwise a flush that was committed without a response would be stored twice. */
  async #readUnconfirmed(sessions: readonly LiveSession[]): Promise<void> {
    for (const session of sessions) {
      if (!this.#unconfirmed.has(session)) continue;
      const stored = await this.#options.sessions.getSettledRecording(session.row.sessionId);
      if (session.phase !== "ended") session.recording.setStored(stored);
      this.#unconfirmed.delete(session);
    }
  }

  /**
   * Adds the callbacks to run once it is stored to `confirmations`. Returns the ids of the sessions that have another
   * owner.
   */
  async #record(
    sessions: readonly LiveSession[],
    confirmations: Map<LiveSession, () => void>,
  ): Promise<readonly string[]> {
    const chunks: RecordedChunk[] = [];
    for (const session of sessions) {
      const { phase, tickCount: tick, score } = session;
      if (phase === "ended") continue;
      const { entropy } = session;
      const pending = session.recording.pending(toFingerprint({ phase, tick, score, entropy }));
      if (pending === null) continue;
      const { markStored, ...entries } = pending;
      chunks.push({ sessionId: session.row.sessionId, tick, score, phase, entropy, ...entries });
      confirmations.set(session, markStored);
    }
    return chunks.length === 0 ? [] : await this.#options.sessions.record(chunks);
  }

  #tryEnd(session: LiveSession, endedAtMs: number): Promise<SessionRow> {
    const attempt = this.#storeEnd(session, endedAtMs);
    attempt.then(
      (row) => {
        this.#pendingEnds.delete(session);
        this.#options.onStored(session, row);
      },
      (error) => {
        this.failures += 1;
        if (isOwnershipLost(error)) {
          this.#pendingEnds.delete(session);
          this.#options.onMoved(session);
          return;
        }
        const { sessionId } = session.row;
        this.#options.log.error({ err: error, sessionId }, "an ended session could not be stored; trying again");
        if (!this.#running) return;
        // safeguard: retry-storing-end
        this.#options.clock.after(RETRY_MS, () => {
          if (!this.#pendingEnds.has(session)) return;
          this.#pendingEnds.set(session, { attempt: this.#tryEnd(session, endedAtMs) });
        });
      },
    );
    return attempt;
  }

  async #storeEnd(session: LiveSession, endedAtMs: number): Promise<SessionRow> {
    return this.#store(session.row, session.getOutcome(endedAtMs));
  }

  /** A flush after the end has no effect: the store accepts only chunks of open sessions. */
  #store(row: SessionRow, ended: EndedSession): Promise<SessionRow> {
    const { sessions, chain } = this.#options;
    return sessions.end(ended, (sequence) => toGameSessionHash(chain, row, ended, sequence));
  }
}
