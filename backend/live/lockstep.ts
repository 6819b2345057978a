import { ArcadeError } from "../../domain/errors.ts";
import { type Phase, SESSION_TIMES } from "../../domain/session.ts";

/** Throws `SESSION_NOT_LOCKSTEP` where ticks are made by the clock. */
export function requireLockstep(lockstep: Lockstep | null): Lockstep {
  if (lockstep !== null) return lockstep;
  throw new ArcadeError("SESSION_NOT_LOCKSTEP", "This session runs in real time; start one with lockstep: true.");
}

/** When a session that waits for its player makes ticks: with each move, and after a while without one. */
export class Lockstep {
  #lastTickAtMs = 0;
  #isFrameDue = true;
  /** The last step by HTTP request; null while the player has a socket. */
  #requestAtMs: number | null = null;

  /** What the clock makes now: a tick, only a frame for a player that waits for it, or nothing. */
  getDue(phase: Phase, nowMs: number): "tick" | "frame" | "nothing" {
    if (phase !== "running" || this.#isFrameDue) {
      this.#isFrameDue = phase !== "running";
      this.#lastTickAtMs = nowMs;
      return "frame";
    }
    return nowMs - this.#lastTickAtMs < SESSION_TIMES.lockstepWaitSeconds * 1000 ? "nothing" : "tick";
  }

  /** The player comes by HTTP, without a socket, and has not asked for a step in a long time. */
  isAbandoned(nowMs: number): boolean {
    return this.#requestAtMs !== null && nowMs - this.#requestAtMs >= SESSION_TIMES.awaySeconds * 1000;
  }

  get isPlayedByRequests(): boolean {
    return this.#requestAtMs !== null;
  }

  /** A tick was made: the wait for the player begins again. */
  onTick(nowMs: number): void {
    this.#lastTickAtMs = nowMs;
  }

  /** A player has joined: it has to see the state before it can move. */
  onJoin(): void {
    this.#isFrameDue = true;
    this.#requestAtMs = null;
  }

  /** The player has asked for ticks by HTTP. */
  onRequest(nowMs: number): void {
    this.#isFrameDue = false;
    this.#requestAtMs = nowMs;
  }
}
