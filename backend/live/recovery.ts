import { ArcadeError } from "../../domain/errors.ts";
import type { Recording } from "../../domain/replay/build-replay.ts";
import type { Game } from "../../games/game.ts";
import type { RecoveryProgress } from "../ports/live.ts";
import type { SessionRow, SessionStore } from "../ports/store/sessions.ts";
import type { Clock, Log } from "../ports/system.ts";
import { Reclaim } from "./reclaim.ts";
import { RecordingReader } from "./recording-reader.ts";
import { replayRecording } from "./replay-recording.ts";
import type { RestoredSession } from "./run.ts";
import type { LiveSession } from "./session.ts";

/** How long a request waits for its session to be recovered. */
const WAIT_MAX_MS = 1_000;
/** The maximum number of sessions taken over in one transaction. */
const CLAIM_SIZE = 64;
/** After a failure of the store, the same session is tried again after this time. */
const RETRY_MS = 1_000;

interface RecoveryOptions {
  readonly sessions: Pick<SessionStore, "claimOpen" | "listOpen" | "claimAbandoned" | "getRecording">;
  readonly getRules: (slug: string, rulesVersion: number) => Game | undefined;
  readonly clock: Pick<Clock, "after" | "monotonicMs">;
  /** `unknown`: this process claimed the session, but cannot tell whether it still holds its lease. */
  readonly getOwnership: (row: SessionRow) => "own" | "other" | "unknown";
  readonly isHosted: (sessionId: string) => boolean;
  /** Hosts a session that waits for its player. */
  readonly host: (row: SessionRow, restored: RestoredSession) => LiveSession;
  /** Stores the end of a session that cannot be replayed. */
  readonly endAsRecorded: (row: SessionRow, recording: Recording) => Promise<unknown>;
  /** Called when a session no longer waits. */
  readonly onChange: () => void;
  readonly log: Log;
}

export interface RecoveryResult {
  /** Sessions that now wait for their player. */
  readonly resumed: number;
  /** Sessions whose game was over or could not be replayed. */
  readonly ended: number;
}

interface WaitingSession {
  readonly row: SessionRow;
  hasFailed: boolean;
  /** When to try it, in monotonic milliseconds. */
  dueAtMs: number;
  /** The requests that wait for it. */
  readonly waiters: Set<() => void>;
}

/**
 * The sessions that the last process left open. Each is replayed from its seed and its recorded inputs up to the last
 * recorded tick, and hosted paused. Those that requests wait for come first.
 */
export class Recovery {
  readonly #options: RecoveryOptions;
  /** The sessions not recovered yet, in the order of their start. */
  readonly #waiting = new Map<string, WaitingSession>();
  /** The ids of waiting sessions that requests wait for. */
  readonly #requested = new Set<string>();
  #total = 0;
  #resumed = 0;
  #ended = 0;
  #isStart = true;
  #isStopped = false;
  #cancelPause = (): void => undefined;
  #running: Promise<RecoveryResult> | null = null;
  readonly #reclaim: Reclaim;
  readonly #recordings: RecordingReader;

  constructor(options: RecoveryOptions) {
    this.#options = options;
    this.#recordings = new RecordingReader(options.sessions);
    this.#reclaim = new Reclaim({
      ...options,
      isOwn: (row) => this.isOwn(row),
      isKnown: (sessionId) => options.isHosted(sessionId) || this.#waiting.has(sessionId),
      onFound: (rows) => {
        this.#add(rows);
        void this.run();
      },
    });
  }

  /**
   * Takes over all open sessions of the store, if no other node runs them. Call this before requests are accepted,
   * which then wait for their session.
   */
  async prepare(): Promise<void> {
    const { sessions } = this.#options;
    await sessions.claimOpen();
    // safeguard: recover-open-sessions
    this.#add(await sessions.listOpen());
  }

  /** Takes over the sessions that no node runs, in small batches, so that other nodes get some too. */
  async claimAbandoned(): Promise<void> {
    for (;;) {
      const rows = await this.#options.sessions.claimAbandoned(CLAIM_SIZE).catch((error: unknown) => {
        this.reclaim();
        throw error;
      });
      this.#add(rows);
      if (rows.length < CLAIM_SIZE || this.#isStopped) return;
    }
  }

  /** Whether the session belongs to the lease that this process holds. */
  isOwn(row: SessionRow): boolean {
    return this.#options.getOwnership(row) === "own";
  }

  /** Call this after a write without a response that may have assigned a session to this process. */
  reclaim(): void {
    this.#reclaim.start();
  }

  /** Other processes own the waiting sessions; requests for them go there. */
  abandonAll(): void {
    const waiting = [...this.#waiting.values()];
    this.#total -= waiting.length;
    this.#waiting.clear();
    this.#requested.clear();
    this.#recordings.clear();
    this.#cancelPause();
    this.#options.onChange();
    for (const { waiters } of waiting) for (const onRecovered of waiters) onRecovered();
  }

  #add(rows: readonly SessionRow[]): void {
    for (const row of rows) this.#waiting.set(row.sessionId, { row, hasFailed: false, dueAtMs: 0, waiters: new Set() });
    this.#total += rows.length;
    if (rows.length > 0) this.#cancelPause();
  }

  /**
   * Recovers all sessions, including those added during the run; lets other work run between two of them, and retries
   * while the store fails. Calls during a run get its promise, which stays pending while a session cannot be read.
   */
  run(): Promise<RecoveryResult> {
    this.#running ??= this.#recoverAll()
      .finally(() => {
        this.#running = null;
      })
      .then(() => {
        // These sessions were added after the last check, by a caller that has this promise.
        if (this.#waiting.size > 0 && !this.#isStopped) return this.run();
        return { resumed: this.#resumed, ended: this.#ended };
      });
    return this.#running;
  }

  /** Ends the recovery after the current session; the others stay open in the store for the next process. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelPause();
    await this.#reclaim.stop();
    await this.#running;
    await this.#recordings.waitUntilRead();
  }

  progress(): RecoveryProgress {
    return { done: this.#total - this.#waiting.size, total: this.#total, isStart: this.#isStart };
  }

  /** Resolves when the session no longer waits, at once if it does not wait. Throws `SESSION_RECOVERING`. */
  async waitFor(sessionId: string): Promise<void> {
    const session = this.#waiting.get(sessionId);
    if (session === undefined) return;
    this.#requested.add(sessionId);
    const isRecovered = await new Promise<boolean>((resolve) => {
      const onRecovered = (): void => {
        cancel();
        resolve(true);
      };
      const cancel = this.#options.clock.after(WAIT_MAX_MS, () => {
        session.waiters.delete(onRecovered);
        resolve(false);
      });
      session.waiters.add(onRecovered);
    });
    if (isRecovered) return;
    const { done, total } = this.progress();
    throw new ArcadeError(
      "SESSION_RECOVERING",
      `Session ${sessionId} is being recovered after a restart, as ${total - done} of ${total}; try again in a second.`,
      { sessionId },
    );
  }

  async #recoverAll(): Promise<void> {
    const isNeeded = this.#waiting.size > 0;
    while (this.#waiting.size > 0 && !this.#isStopped) {
      const [session] = this.#listDue();
      if (session === undefined) {
        await this.#pause(this.#untilDueMs());
        continue;
      }
      this.#recordings.readAhead(this.#listDueRows());
      try {
        await this.#recoverNext(session);
      } catch (error) {
        this.#postpone(session, error);
      }
      await this.#pause(0);
    }
    if (this.#waiting.size === 0) this.#isStart = false;
    if (isNeeded && !this.#isStopped)
      this.#options.log.info({ resumed: this.#resumed, ended: this.#ended }, "open sessions were recovered");
  }

  /** The sessions to try now, first those that requests wait for; none while all are waiting after a failure. */
  *#listDue(): Generator<WaitingSession> {
    const nowMs = this.#options.clock.monotonicMs();
    for (const sessionIds of [this.#requested, this.#waiting.keys()])
      for (const sessionId of sessionIds) {
        const session = this.#waiting.get(sessionId)!;
        if (session.dueAtMs <= nowMs) yield session;
      }
  }

  #untilDueMs(): number {
    let dueAtMs = Number.POSITIVE_INFINITY;
    for (const session of this.#waiting.values()) dueAtMs = Math.min(dueAtMs, session.dueAtMs);
    return dueAtMs - this.#options.clock.monotonicMs();
  }

  async #recoverNext(session: WaitingSession): Promise<void> {
    const { row, waiters } = session;
    const isResumed = await this.#recover(row);
    if (this.#waiting.get(row.sessionId) !== session) return;
    if (isResumed) this.#resumed += 1;
    else this.#ended += 1;
    this.#waiting.delete(row.sessionId);
    this.#requested.delete(row.sessionId);
    this.#options.onChange();
    for (const onRecovered of waiters) onRecovered();
  }

  *#listDueRows(): Generator<SessionRow> {
    for (const { row } of this.#listDue()) yield row;
  }

  /** Moves a session behind the others, which then do not wait for it. */
  #postpone(session: WaitingSession, error: unknown): void {
    const { sessionId } = session.row;
    if (this.#waiting.get(sessionId) !== session) return;
    this.#requested.delete(sessionId);
    this.#waiting.delete(sessionId);
    this.#waiting.set(sessionId, session);
    // Logged once per session: /readyz reports that it still waits.
    if (!session.hasFailed)
      this.#options.log.warn({ err: error, sessionId }, "an open session could not be recovered; it is tried again");
    session.hasFailed = true;
    session.dueAtMs = this.#options.clock.monotonicMs() + RETRY_MS;
  }

  /** True if the session now waits for its player. */
  async #recover(row: SessionRow): Promise<boolean> {
    const { host, endAsRecorded, log } = this.#options;
    const recording = await this.#recordings.take(row.sessionId);
    const ownership = this.#options.getOwnership(row);
    if (ownership === "other") return false;
    // If the lease is renewed, no other node takes over the session: try again.
    if (ownership === "unknown") throw new Error("this node's lease is not renewed yet");
    const restored = replayRecording(this.#options, row, recording);
    if (restored === null) {
      // An open session would keep its wallet from starting the next one. Its score cannot be verified until a build
      // has its rules again, so nothing is signed for it.
      await endAsRecorded(row, recording);
      log.error({ sessionId: row.sessionId, slug: row.slug }, "an open session could not be replayed and was ended");
      return false;
    }
    const session = host(row, restored);
    if (!restored.state.over) return true;
    session.end("lives_lost");
    return false;
  }

  #pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(delayMs, resolve);
      this.#cancelPause = () => {
        cancel();
        resolve();
      };
      if (this.#isStopped) this.#cancelPause();
    });
  }
}
