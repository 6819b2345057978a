import { type EndReason, type Phase, SESSION_TIMES } from "../../domain/session.ts";

type Hold = "restart" | "disconnect" | "player";

/** What the passing of time did. */
export type Turn =
  | { readonly turn: "pause_spent" | "grace_over" }
  | { readonly turn: "end"; readonly reason: EndReason };

const NOTHING: readonly Turn[] = [];
const ms = (seconds: number): number => seconds * 1000;

/**
 * The time rules of one session: when it starts, pauses, goes on and ends. All times are monotonic milliseconds that
 * the caller passes in.
 */
export class Liveness {
  readonly #openedMs: number;
  readonly #endsMs: number;
  readonly #holds = new Set<Hold>();
  #firstJoinMs: number | null = null;
  #started: boolean;
  #connected = false;
  #leftMs: number;
  #lastSignMs: number;
  #pausesLeft: number;
  #pauseLeftMs = ms(SESSION_TIMES.pauseSeconds);
  #pausedMs = 0;
  #ended = false;

  /** `restored`: found open after a restart, with what its recording tells. */
  constructor(
    nowMs: number,
    restored?: { readonly playedMs: number; readonly pauses: number; readonly pausedByPlayer: boolean },
  ) {
    this.#openedMs = nowMs;
    this.#leftMs = nowMs;
    this.#lastSignMs = nowMs;
    this.#endsMs = nowMs + ms(SESSION_TIMES.maxDurationSeconds) - (restored?.playedMs ?? 0);
    this.#pausesLeft = Math.max(0, SESSION_TIMES.pauseCount - (restored?.pauses ?? 0));
    this.#started = restored !== undefined && restored.playedMs > 0;
    if (restored) this.#holds.add("restart");
    if (restored?.pausedByPlayer) this.#holds.add("player");
    this.#pausedMs = nowMs;
  }

  get phase(): Phase {
    if (this.#ended) return "ended";
    if (this.#holds.size === 0) return this.#started ? "running" : "ready";
    return this.#started || this.#holds.has("restart") ? "paused" : "ready";
  }

  /** Why the game is paused, the strongest cause first. */
  get pausedBy(): Hold | null {
    for (const hold of ["restart", "disconnect", "player"] as const) if (this.#holds.has(hold)) return hold;
    return null;
  }

  get joined(): boolean {
    return this.#firstJoinMs !== null || this.#started;
  }

  get pausedByPlayer(): boolean {
    return this.#holds.has("player");
  }

  pauseBudget(nowMs: number): { readonly pausesLeft: number; readonly secondsLeft: number } {
    const spentMs = this.#holds.has("player") ? nowMs - this.#pausedMs : 0;
    return { pausesLeft: this.#pausesLeft, secondsLeft: Math.max(0, this.#pauseLeftMs - spentMs) / 1000 };
  }

  join(nowMs: number): void {
    this.#firstJoinMs ??= nowMs;
    this.#connected = true;
    this.#lastSignMs = nowMs;
    this.#holds.delete("disconnect");
    // A pause of the player that a restart found open starts to count when the player is back.
    if (this.#holds.delete("restart")) this.#pausedMs = nowMs;
  }

  leave(nowMs: number): void {
    this.#connected = false;
    this.#leftMs = nowMs;
    this.#lastSignMs = nowMs;
    if (!this.#ended) this.#holds.add("disconnect");
  }

  /** Notes a sign of life; answers the seconds until the session would end without another one. */
  heartbeat(nowMs: number): number {
    this.#lastSignMs = nowMs;
    const untilMs = this.#holds.has("restart")
      ? this.#openedMs + ms(SESSION_TIMES.restartGraceSeconds)
      : this.joined
        ? Math.min(nowMs + ms(SESSION_TIMES.heartbeatTimeoutSeconds), this.#awayEndsMs(nowMs))
        : this.#openedMs + ms(SESSION_TIMES.neverJoinedTimeoutSeconds);
    return Math.max(0, Math.ceil((Math.min(untilMs, this.#endsMs) - nowMs) / 1000));
  }

  /** `ignored` where there is nothing to pause, `denied` where the budget is spent. */
  pause(nowMs: number): "done" | "ignored" | "denied" {
    if (this.phase !== "running") return "ignored";
    if (this.#pausesLeft === 0 || this.#pauseLeftMs <= 0) return "denied";
    this.#pausesLeft -= 1;
    this.#pausedMs = nowMs;
    this.#holds.add("player");
    return "done";
  }

  resume(nowMs: number): "done" | "ignored" {
    if (!this.#holds.delete("player")) return "ignored";
    this.#pauseLeftMs = Math.max(0, this.#pauseLeftMs - (nowMs - this.#pausedMs));
    return "done";
  }

  end(): void {
    this.#ended = true;
  }

  /** Applies every rule that has fallen due. */
  advance(nowMs: number): readonly Turn[] {
    const reason = this.#endReason(nowMs);
    if (reason !== null) return [{ turn: "end", reason }];
    if (!this.#started && this.#firstJoinMs !== null && nowMs >= this.#firstJoinMs + ms(SESSION_TIMES.readySeconds)) {
      this.#started = true;
    }
    if (this.#holds.size === 0) return NOTHING;
    const turns: Turn[] = [];
    const spent = nowMs - this.#pausedMs >= this.#pauseLeftMs;
    if (this.#holds.has("player") && !this.#holds.has("restart") && spent) {
      this.resume(nowMs);
      turns.push({ turn: "pause_spent" });
    }
    const graceOver = nowMs - this.#leftMs >= ms(SESSION_TIMES.disconnectGraceSeconds);
    if (graceOver && this.#holds.delete("disconnect")) turns.push({ turn: "grace_over" });
    return turns;
  }

  #awayEndsMs(nowMs: number): number {
    return this.#connected ? Number.POSITIVE_INFINITY : Math.max(nowMs, this.#leftMs + ms(SESSION_TIMES.awaySeconds));
  }

  #endReason(nowMs: number): EndReason | null {
    if (nowMs >= this.#endsMs) return "max_duration";
    if (this.#holds.has("restart")) {
      return nowMs - this.#openedMs >= ms(SESSION_TIMES.restartGraceSeconds) ? "server_restart" : null;
    }
    if (this.#connected) return null;
    if (!this.joined) {
      return nowMs - this.#openedMs >= ms(SESSION_TIMES.neverJoinedTimeoutSeconds) ? "never_joined" : null;
    }
    if (nowMs - this.#lastSignMs >= ms(SESSION_TIMES.heartbeatTimeoutSeconds)) return "heartbeat_timeout";
    return nowMs - this.#leftMs >= ms(SESSION_TIMES.awaySeconds) ? "disconnect_timeout" : null;
  }
}
