/** Shows the effect of an input at once: the game's rules advance the player's figure from the latest frame. */
import type { Game, PlayFrame } from "../../games/game.ts";

type Pawn = PlayFrame["pawn"];

/** The picture freezes if the connection pauses for longer. */
const TICKS_MAX = 6;
/** The half-life of the error of a wrong prediction. */
const CORRECTION_HALF_LIFE_MS = 40;

interface Sent {
  readonly seq: number;
  readonly code: number;
}

/** Follows one run. A game that cannot be resumed from a frame is drawn from the frames. */
export class PawnPredictor {
  readonly #game: Game;
  #frame: PlayFrame | null = null;
  #frameMs = 0;
  #sent: Sent[] = [];
  #error = { x: 0, y: 0 };

  constructor(game: Game) {
    this.#game = game;
  }

  /** `nowMs`: the monotonic time of arrival. */
  onFrame(frame: PlayFrame, nowMs: number): void {
    const before = this.#predict(nowMs);
    this.#frame = frame;
    this.#frameMs = nowMs;
    this.#sent = this.#sent.filter(({ seq }) => seq > (frame.ackSeq ?? 0));
    const after = this.#predict(nowMs);
    if (before === null || after === null) return;
    this.#error = { x: this.#error.x + before.x - after.x, y: this.#error.y + before.y - after.y };
  }

  onSend(code: number, seq: number): void {
    this.#sent.push({ seq, code });
  }

  /** Where the figure is now; null if only the frames contain it. */
  sample(nowMs: number, passedMs: number): Pawn | null {
    const pawn = this.#predict(nowMs);
    if (pawn === null) return null;
    const share = 0.5 ** (passedMs / CORRECTION_HALF_LIFE_MS);
    this.#error = { x: this.#error.x * share, y: this.#error.y * share };
    return { ...pawn, x: pawn.x + this.#error.x, y: pawn.y + this.#error.y };
  }

  #predict(nowMs: number): Pawn | null {
    const frame = this.#frame;
    const game = this.#game;
    if (frame === null || game.resume === undefined || frame.phase !== "running") return null;
    const ticks = Math.min(TICKS_MAX, Math.max(0, ((nowMs - this.#frameMs) * game.tickHz) / 1000));
    const whole = Math.floor(ticks);
    const state = game.resume(frame);
    let from = frame.pawn;
    let to = frame.pawn;
    for (let tick = 0; tick <= whole; tick += 1) {
      // Inputs that the service has not acknowledged take effect in the next tick.
      game.step(state, tick === 0 ? this.#sent.map(({ code }) => code) : []);
      from = to;
      to = game.frame(state).pawn;
    }
    const alpha = ticks - whole;
    return { ...to, x: from.x + (to.x - from.x) * alpha, y: from.y + (to.y - from.y) * alpha };
  }
}
