import type { StepRequest, StepResult } from "../../domain/protocol/step.ts";
import type { EndReason, Phase, SessionSource } from "../../domain/session.ts";
import type { SessionRow } from "./store/sessions.ts";

export interface LiveView {
  readonly phase: Phase;
  readonly score: number;
  readonly tick: number;
  /** The player was connected at least once. */
  readonly joined: boolean;
  /** The player can connect. */
  readonly joinable: boolean;
  readonly spectators: { readonly current: number; readonly max: number };
}

/** How many of the sessions left open by the last process run again. */
export interface RecoveryProgress {
  readonly done: number;
  readonly total: number;
  /** Since the start, some session has always waited. */
  readonly isStart: boolean;
}

export interface LiveHeartbeat {
  readonly phase: Phase;
  readonly expiresInSeconds: number;
}

export interface SeatRequest {
  readonly sessionId: string;
  readonly tokenHash: string;
  readonly ip: string | null;
  readonly expiresAtMs: number;
  /** The most seats of one address; null: no limit. */
  readonly perIpMax: number | null;
}

export interface SeatResult {
  readonly reserved: boolean;
  /** Taken and reserved seats. */
  readonly current: number;
  readonly max: number;
}

/** A session that is about to be stored and to run. */
export interface SessionStart {
  readonly sessionId: string;
  readonly slug: string;
  readonly source: SessionSource;
  /** Key of the caller's address; null for the service itself. */
  readonly ip: string | null;
  /** Practice that waits for its player. */
  readonly isLockstep: boolean;
  readonly player: Pick<SessionRow, "wallet" | "agentId" | "agentName" | "practiceTokenHash">;
}

export interface SessionStarts {
  /**
   * Stores a new session and runs it, in this process or another one. Throws `SERVER_FULL`, `RATE_LIMITED`,
   * `SESSION_ACTIVE`, and `SHUTTING_DOWN` if no process answers.
   */
  open(start: SessionStart): Promise<SessionRow>;
}

export interface LiveTotals {
  readonly sessions: number;
  readonly spectators: number;
}

/** At once if the session runs in this process, else a promise. */
export type Awaitable<Value> = Value | Promise<Value>;

/** The running games of all processes. New ones are hosted by this process. */
export interface LiveSessions {
  /**
   * Reserves a place for a session that is about to start; call the returned function once it is open or has failed.
   * Throws `RATE_LIMITED` when the address has too many sessions, `SERVER_FULL` when no session yields its place.
   */
  admit(session: { readonly source: SessionSource; readonly ip: string | null }): () => void;
  /** Hosts a session whose row was just stored; `ip` is the key of the address that started it. */
  open(row: SessionRow, ip: string | null, options?: { readonly isLockstep?: boolean }): void;
  /**
   * Runs the next ticks of a session with lockstep, with a move in the first one; repeats the call if another process's
   * response is lost. Null when the session does not run. Throws as `getView`, `SESSION_NOT_LOCKSTEP`, and
   * `VALIDATION_FAILED` for a move that the game does not know.
   */
  step(sessionId: string, request: StepRequest): Awaitable<StepResult | null>;
  /**
   * Waits for a session that the last process left open and that does not run again yet; resolves at once for all
   * others. Throws `SESSION_RECOVERING` after a second.
   */
  waitUntilRecovered(sessionId: string): Promise<void>;
  /** Call this after a failed start whose row may be stored: finds that session and hosts it as after a restart. */
  reclaim(): void;
  /**
   * The row of a session that runs in this process, as it was stored when it began to run here; null for all others.
   * Only score, tick, phase and entropy may have changed since.
   */
  findRow(sessionId: string): SessionRow | null;
  /** Changes with each change of a view, and of the set of running sessions. */
  getVersion(): number;
  /**
   * For records and lists: null when the session does not run, moves to another process, or runs in a process that does
   * not answer.
   */
  peekView(sessionId: string): Awaitable<LiveView | null>;
  /** Null when the session does not run. Throws `SHUTTING_DOWN` when the process that runs it does not answer. */
  getView(sessionId: string): Awaitable<LiveView | null>;
  /** Records a heartbeat; null when the session does not run. Throws as `getView`, like all calls below. */
  heartbeat(sessionId: string): Awaitable<LiveHeartbeat | null>;
  /** Ends a running session and stores it; null when it does not run. A second call joins the first. */
  end(sessionId: string, reason: EndReason): Promise<SessionRow | null>;
  /** Reserves a spectator's seat until the token is used or expires. Null when the session does not run. */
  reserveSeat(seat: SeatRequest): Awaitable<SeatResult | null>;
  /** Closes the channel that a token has opened, after the token was revoked. */
  closeChannel(sessionId: string, tokenHash: string): void;
  /** The running sessions of this process's own agents. */
  listDemo(slug: string): readonly SessionRow[];
  /** Running sessions of a game and their taken seats; of every source when none is given. */
  getTotals(slug: string, source?: SessionSource): LiveTotals;
}
