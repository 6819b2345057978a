import { ArcadeError } from "../../domain/errors.ts";
import { type Phase, SESSION_TIMES } from "../../domain/session.ts";

/** Throws `SESSION_NOT_LOCKSTEP` if the clock makes the ticks. */
export function requireLockstep(lockstep: Lockstep | null): Lockstep {
  if (lockstep !== null) return lockstep;
  throw new ArcadeError("SESSION_NOT_LOCKSTEP", "This session runs in real time; start one with lockstep: true.");
}

/** Decides when a session that waits for its player ticks: with each move, and after a while without one. */
export class Lockstep {
  #lastTickAtMs = 0;
  #isFrameDue = true;
  /** The last step by HTTP; null while the player has a socket. */
  #requestAtMs: number | null = null;

  /** What is due now: a tick, only a frame for a player that waits for it, or nothing. */
  getDue(phase: Phase, nowMs: number): "tick" | "frame" | "nothing" {
    if (phase !== "running" || this.#isFrameDue) {
      this.#isFrameDue = phase !== "running";
      this.#lastTickAtMs = nowMs;
      return "frame";
    }
    return nowMs - this.#lastTickAtMs < SESSION_TIMES.lockstepWaitSeconds * 1000 ? "nothing" : "tick";
  }

  /** The player uses HTTP, without a socket, and has not requested a step for a long time. */
  isAbandoned(nowMs: number): boolean {
    return this.#requestAtMs !== null && nowMs - this.#requestAtMs >= SESSION_TIMES.awaySeconds * 1000;
  }

  get isPlayedByRequests(): boolean {
    return this.#requestAtMs !== null;
  }

  /** A tick was made: waiting for the player starts again. */
  onTick(nowMs: number): void {
    this.#lastTickAtMs = nowMs;
  }

  /** A player has joined and must see the state before it can move. */
  onJoin(): void {
    this.#isFrameDue = true;
    this.#requestAtMs = null;
  }

  /** The player has requested ticks by HTTP. */
  onRequest(nowMs: number): void {
    this.#isFrameDue = false;
    this.#requestAtMs = nowMs;
  }
}
