/** Answers the player's input at once: the game's own rules move the player's figure on from the latest frame. */
import { BEATS_PER_SECOND, SUB_UNITS } from "../../backend/games/fixed.ts";
import { init as initFlappybots, step as stepFlappybots } from "../../backend/games/flappybots/sim.ts";
import type { Game, PlayFrame } from "../../backend/games/game.ts";
import { step as stepShellrunners } from "../../backend/games/shellrunners/sim.ts";
import { init as initShellrunners } from "../../backend/games/shellrunners/state.ts";

type Pawn = PlayFrame["pawn"];
/** The figure after some ticks, each with its input codes, on a course with nothing in it. */
type PawnRules = (pawn: Pawn, tickHz: number, codesByTick: readonly (readonly number[])[]) => readonly Pawn[];

const NO_SEED = new Uint8Array(32);
const DIRECTIONS: { readonly [dir: string]: number } = { left: -1, none: 0, right: 1 };

const PAWN_RULES: { readonly [slug: string]: PawnRules } = {
  shellrunners(pawn, tickHz, codesByTick) {
    const state = initShellrunners(NO_SEED, tickHz);
    state.x = pawn.x * SUB_UNITS;
    state.velocityX = Number(pawn.velocityX) * BEATS_PER_SECOND;
    state.dir = DIRECTIONS[String(pawn.dir)] ?? 0;
    return codesByTick.map((codes) => {
      state.things.length = 0;
      stepShellrunners(state, codes);
      return { ...pawn, x: state.x / SUB_UNITS, velocityX: Math.trunc(state.velocityX / BEATS_PER_SECOND) };
    });
  },
  flappybots(pawn, tickHz, codesByTick) {
    const state = initFlappybots(NO_SEED, tickHz);
    state.y = pawn.y * SUB_UNITS;
    state.velocityY = Number(pawn.velocityY) * BEATS_PER_SECOND;
    return codesByTick.map((codes) => {
      state.gates.length = 0;
      state.items.length = 0;
      stepFlappybots(state, codes);
      return { ...pawn, y: state.y / SUB_UNITS, velocityY: Math.trunc(state.velocityY / BEATS_PER_SECOND) };
    });
  },
};

/** A connection that stands still longer is shown standing still. */
const TICKS_MAX = 6;
/** How long a wrong prediction takes to become right, half by half. */
const CORRECTION_HALF_LIFE_MS = 40;

interface Sent {
  readonly seq: number;
  readonly code: number;
}

/** Follows one run. Games without rules here are shown as the frames say. */
export class PawnPredictor {
  readonly #game: Game;
  readonly #rules: PawnRules | undefined;
  #frame: PlayFrame | null = null;
  #frameMs = 0;
  #sent: Sent[] = [];
  #error = { x: 0, y: 0 };

  constructor(game: Game) {
    this.#game = game;
    this.#rules = PAWN_RULES[game.slug];
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

  /** Where the figure is now; null where the frames alone say it. */
  sample(nowMs: number, passedMs: number): Pawn | null {
    const pawn = this.#predict(nowMs);
    if (pawn === null) return null;
    const share = 0.5 ** (passedMs / CORRECTION_HALF_LIFE_MS);
    this.#error = { x: this.#error.x * share, y: this.#error.y * share };
    return { ...pawn, x: pawn.x + this.#error.x, y: pawn.y + this.#error.y };
  }

  #predict(nowMs: number): Pawn | null {
    const frame = this.#frame;
    if (frame === null || this.#rules === undefined || frame.phase !== "running") return null;
    const { tickHz } = this.#game;
    const ticks = Math.min(TICKS_MAX, Math.max(0, ((nowMs - this.#frameMs) * tickHz) / 1000));
    const whole = Math.floor(ticks);
    // What the service has not taken yet acts in the very next tick.
    const codesByTick = Array.from({ length: whole + 1 }, (_, index) =>
      index === 0 ? this.#sent.map(({ code }) => code) : [],
    );
    const pawns = this.#rules(frame.pawn, tickHz, codesByTick);
    const to = pawns[whole]!;
    const from = whole === 0 ? frame.pawn : pawns[whole - 1]!;
    const alpha = ticks - whole;
    return { ...to, x: from.x + (to.x - from.x) * alpha, y: from.y + (to.y - from.y) * alpha };
  }
}
