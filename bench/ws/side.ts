/** What every side of the comparison does: host sessions of one game that never ends, and tell when each ticks. */
import { createHash } from "node:crypto";
import type { Game, GameState } from "../../backend/games/game.ts";
import { shellrunners } from "../../backend/games/shellrunners/game.ts";

/** How a viewer gets in: a socket to open and what to say first, each answered by a message (`greets`: one more before), or a Colyseus room to join. */
export type Ticket =
  | { readonly via: "ws"; readonly url: string; readonly greets?: boolean; readonly say: readonly string[] }
  | { readonly via: "colyseus"; readonly url: string; readonly roomId: string };

export interface Extras {
  readonly compact?: boolean;
  /** The first ticket is the player's. Without it the game plays by itself. */
  readonly player?: boolean;
}

export interface Side {
  /** Opens a session; its viewers get in by the tickets. The peers know no players and nothing compact. */
  open(tickHz: number, viewers: number, extras?: Extras): Promise<readonly Ticket[]>;
}

/** Called once for each tick of each session with the session's number. */
export type OnTick = (session: number) => void;

export const seedOf = (n: number): Buffer => createHash("sha256").update(`bench ${n}`).digest();

/** The game, with a runner that nothing hurts: it never ends, and its frames are those of a real run. */
export const game: Game = {
  ...(shellrunners as unknown as Game),
  step: (state: GameState, codes) =>
    shellrunners.step(Object.assign(state, { safeBeats: 60, hunger: 0 }) as never, codes),
};

/** A session without the service: a state, stepped and shown as the same JSON frame. */
export function makeSession(n: number, tickHz: number): () => object {
  const state = game.init(seedOf(n), tickHz);
  const sessionId = `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`;
  return () => {
    game.step(state, []);
    const { score, extra, tick, ...rest } = game.frame(state);
    return {
      t: "frame",
      frame: {
        ...extra,
        v: 1,
        sessionId,
        slug: game.slug,
        tick,
        tMs: Math.round((tick * 1000) / tickHz),
        phase: "running",
        score: { current: score, high: score },
        ...rest,
        spectators: { current: 4, max: 50 },
      },
    };
  };
}
