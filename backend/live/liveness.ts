import type { HelloMessage } from "../../domain/protocol/messages.ts";
import { PAUSE_CODES, type PauseReason } from "../../domain/replay/replay.ts";
import { type EndReason, type Phase, SESSION_TIMES } from "../../domain/session.ts";
import { COMMAND_CODES } from "../../games/game.ts";
import type { RestoredSession } from "./run.ts";

/** A change of the session that is due because time has passed. */
export type Transition =
  | { readonly type: "pause_spent" | "grace_over" }
  | { readonly type: "end"; readonly reason: EndReason };

const toMs = (seconds: number): number => seconds * 1000;

export type PauseBudget = HelloMessage["pauseBudget"];

const NO_TRANSITIONS: readonly Transition[] = [];

/** The time that a session open before a restart has already used. */
export interface PlayedTime {
  readonly playedMs: number;
  readonly pauses: number;
  readonly pausedByPlayer: boolean;
  /** How much of each kind's pause budget is used. */
  readonly playerPauseMs: number;
  readonly disconnectPauseMs: number;
}

export function toPlayedTime({ state, inputs, pauses }: RestoredSession, tickHz: number): PlayedTime {
  const count = (code: number): number => inputs.filter((input) => input[1] === code).length;
  const listMs = (reason: PauseReason): readonly number[] =>
    pauses.filter(([, code]) => code === PAUSE_CODES[reason]).map(([, , ms]) => ms);
  const pauseCount = count(COMMAND_CODES.pause);
  return {
    playedMs: (state.tick * 1000) / tickHz,
    pauses: pauseCount,
    pausedByPlayer: pauseCount > count(COMMAND_CODES.resume),
    playerPauseMs: listMs("player").reduce((sum, ms) => sum + ms, 0),
    disconnectPauseMs: listMs("disconnect").reduce((sum, ms) => sum + toDisconnectCostMs(ms), 0),
  };
}

const toDisconnectCostMs = (pausedMs: number): number => Math.max(pausedMs, toMs(SESSION_TIMES.disconnectCostSeconds));

/**
 * The time rules of one session: when it starts, pauses, resumes and ends. All times are monotonic milliseconds that
 * the caller passes in.
 */
export class Liveness {
  readonly #openedAtMs: number;
  readonly #endsAtMs: number;
  readonly #pauseReasons = new Set<PauseReason>();
  #firstJoinedAtMs: number | null = null;
  #started: boolean;
  #connected = false;
  #disconnectedAtMs: number;
  #lastHeartbeatAtMs: number;
  #pausesLeft: number;
  #pauseRemainingMs: number;
  #pausedAtMs = 0;
  #graceRemainingMs: number;
  /** The disconnect pauses are used up and the player is away: the held input must be released. */
  #mustReleaseInput = false;
  #ended = false;

  /**
   * `restored`: for a session that was open before a restart, the facts from its recording. `disconnectPauseSeconds`:
   * how long disconnects may pause the session in total.
   */
  constructor(
    nowMs: number,
    restored?: PlayedTime,
    disconnectPauseSeconds: number = SESSION_TIMES.disconnectPauseSeconds,
  ) {
    this.#openedAtMs = nowMs;
    this.#disconnectedAtMs = nowMs;
    this.#lastHeartbeatAtMs = nowMs;
    this.#endsAtMs = nowMs + toMs(SESSION_TIMES.maxDurationSeconds) - (restored?.playedMs ?? 0);
    this.#pausesLeft = Math.max(0, SESSION_TIMES.pauseCount - (restored?.pauses ?? 0));
    this.#pauseRemainingMs = Math.max(0, toMs(SESSION_TIMES.pauseSeconds) - (restored?.playerPauseMs ?? 0));
    this.#graceRemainingMs = Math.max(0, toMs(disconnectPauseSeconds) - (restored?.disconnectPauseMs ?? 0));
    this.#started = restored !== undefined && restored.playedMs > 0;
    if (restored) this.#pauseReasons.add("restart");
    if (restored?.pausedByPlayer) this.#pauseReasons.add("player");
    this.#pausedAtMs = nowMs;
  }

  get phase(): Phase {
    if (this.#ended) return "ended";
    if (this.#pauseReasons.size === 0) return this.#started ? "running" : "ready";
    return this.#started || this.#pauseReasons.has("restart") ? "paused" : "ready";
  }

  /** Why the game is paused; if there are several reasons, the strongest. */
  get pausedBy(): PauseReason | null {
    for (const reason of ["restart", "disconnect", "player"] as const)
      if (this.#pauseReasons.has(reason)) return reason;
    return null;
  }

  get joined(): boolean {
    return this.#firstJoinedAtMs !== null || this.#started;
  }

  get pausedByPlayer(): boolean {
    return this.#pauseReasons.has("player");
  }

  /** The remaining pause time of the player, and of lost sockets. */
  pauseBudget(nowMs: number): PauseBudget {
    const spentMs = this.#pauseReasons.has("player") ? nowMs - this.#pausedAtMs : 0;
    const secondsLeft = Math.max(0, this.#pauseRemainingMs - spentMs) / 1000;
    const awayMs = this.#pauseReasons.has("disconnect") ? toDisconnectCostMs(nowMs - this.#disconnectedAtMs) : 0;
    const disconnects = { secondsLeft: Math.max(0, this.#graceRemainingMs - awayMs) / 1000 };
    return { pauses: { left: this.#pausesLeft, secondsLeft }, disconnects };
  }

  /** The player has connected. */
  join(nowMs: number): void {
    this.#firstJoinedAtMs ??= nowMs;
    this.#connected = true;
    this.#lastHeartbeatAtMs = nowMs;
    this.#mustReleaseInput = false;
    if (this.#pauseReasons.delete("disconnect")) this.#spendGrace(nowMs);
    // A player's pause that was open before a restart counts from the player's return.
    if (this.#pauseReasons.delete("restart")) this.#pausedAtMs = nowMs;
  }

  /** The player's last socket is gone: the game pauses if there is time left for that. */
  leave(nowMs: number): void {
    this.#connected = false;
    this.#disconnectedAtMs = nowMs;
    this.#lastHeartbeatAtMs = nowMs;
    if (this.#ended) return;
    if (this.#graceRemainingMs > 0) this.#pauseReasons.add("disconnect");
    else this.#mustReleaseInput = true;
  }

  /** Records a heartbeat; returns the seconds until the session would end without another one. */
  heartbeat(nowMs: number): number {
    this.#lastHeartbeatAtMs = nowMs;
    const endsAtMs = Math.min(this.#silenceEndsAtMs(nowMs), this.#endsAtMs);
    return Math.max(0, Math.ceil((endsAtMs - nowMs) / 1000));
  }

  /** `ignored`: the game is not running; `denied`: the pause budget is used up. */
  pause(nowMs: number): "done" | "ignored" | "denied" {
    if (this.phase !== "running") return "ignored";
    if (this.#pausesLeft === 0 || this.#pauseRemainingMs <= 0) return "denied";
    this.#pausesLeft -= 1;
    this.#pausedAtMs = nowMs;
    this.#pauseReasons.add("player");
    return "done";
  }

  /** Ends the player's pause; `ignored` if there is none. */
  resume(nowMs: number): "done" | "ignored" {
    if (!this.#pauseReasons.delete("player")) return "ignored";
    this.#pauseRemainingMs = Math.max(0, this.#pauseRemainingMs - (nowMs - this.#pausedAtMs));
    return "done";
  }

  /** Starts a game whose player is connected, without the time to get ready. */
  startNow(): void {
    if (this.#firstJoinedAtMs !== null) this.#started = true;
  }

  /** No rule applies after this. */
  end(): void {
    this.#ended = true;
  }

  /** Applies every rule that is due, and returns what changed. */
  advance(nowMs: number): readonly Transition[] {
    const reason = this.#endReason(nowMs);
    if (reason !== null) return [{ type: "end", reason }];
    if (
      !this.#started &&
      this.#firstJoinedAtMs !== null &&
      nowMs >= this.#firstJoinedAtMs + toMs(SESSION_TIMES.readySeconds)
    ) {
      this.#started = true;
    }
    if (this.#pauseReasons.size === 0 && !this.#mustReleaseInput) return NO_TRANSITIONS;
    const transitions: Transition[] = [];
    const pauseSpent = nowMs - this.#pausedAtMs >= this.#pauseRemainingMs;
    if (this.#pauseReasons.has("player") && !this.#pauseReasons.has("restart") && pauseSpent) {
      this.resume(nowMs);
      transitions.push({ type: "pause_spent" });
    }
    const graceMs = Math.min(toMs(SESSION_TIMES.disconnectGraceSeconds), this.#graceRemainingMs);
    if (nowMs - this.#disconnectedAtMs >= graceMs && this.#pauseReasons.delete("disconnect")) {
      this.#spendGrace(this.#disconnectedAtMs + graceMs);
      this.#mustReleaseInput = true;
    }
    if (this.#mustReleaseInput) transitions.push({ type: "grace_over" });
    this.#mustReleaseInput = false;
    return transitions;
  }

  /** Deducts a disconnect pause that ended at `endedAtMs` from the budget. */
  #spendGrace(endedAtMs: number): void {
    const costMs = toDisconnectCostMs(endedAtMs - this.#disconnectedAtMs);
    this.#graceRemainingMs = Math.max(0, this.#graceRemainingMs - costMs);
  }

  /** When the session ends if its player neither connects nor sends a heartbeat from now on. */
  #silenceEndsAtMs(nowMs: number): number {
    if (this.#pauseReasons.has("restart")) return this.#openedAtMs + toMs(SESSION_TIMES.restartGraceSeconds);
    if (!this.joined) return this.#openedAtMs + toMs(SESSION_TIMES.neverJoinedTimeoutSeconds);
    return Math.min(nowMs + toMs(SESSION_TIMES.heartbeatTimeoutSeconds), this.#disconnectEndsAtMs(nowMs));
  }

  #disconnectEndsAtMs(nowMs: number): number {
    return this.#connected
      ? Number.POSITIVE_INFINITY
      : Math.max(nowMs, this.#disconnectedAtMs + toMs(SESSION_TIMES.awaySeconds));
  }

  #endReason(nowMs: number): EndReason | null {
    if (nowMs >= this.#endsAtMs) return "max_duration";
    if (this.#pauseReasons.has("restart")) {
      return nowMs - this.#openedAtMs >= toMs(SESSION_TIMES.restartGraceSeconds) ? "server_restart" : null;
    }
    if (this.#connected) return null;
    if (!this.joined) {
      return nowMs - this.#openedAtMs >= toMs(SESSION_TIMES.neverJoinedTimeoutSeconds) ? "never_joined" : null;
    }
    if (nowMs - this.#lastHeartbeatAtMs >= toMs(SESSION_TIMES.heartbeatTimeoutSeconds)) return "heartbeat_timeout";
    return nowMs - this.#disconnectedAtMs >= toMs(SESSION_TIMES.awaySeconds) ? "disconnect_timeout" : null;
  }
}
