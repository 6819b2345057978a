/** The interface of every side of the comparison: it hosts sessions of a game that never ends, and reports each tick. */
import { createHash } from "node:crypto";
import type { Game, GameState } from "../../../games/game.ts";
import { shellrunners } from "../../../games/shellrunners/game.ts";

/** How a spectator connects: a socket and its first messages, each answered by one. */
export interface ConnectInfo {
  readonly url: string;
  readonly messages: readonly string[];
}

export interface OpenOptions {
  readonly compact?: boolean;
  /** True: the first connection is the player's. */
  readonly player?: boolean;
}

export interface BenchServer {
  /** Opens a session; returns how its spectators connect. The peers have neither players nor compact frames. */
  open(tickHz: number, viewers: number, extras?: OpenOptions): Promise<readonly ConnectInfo[]>;
}

/** Called once for each tick of each session with the session's number. */
export type OnTick = (session: number) => void;

const createSeed = (n: number): Buffer => createHash("sha256").update(`bench ${n}`).digest();

/** The game with an invulnerable runner: it never ends, and its frames are those of a real run. */
export const game: Game = {
  ...(shellrunners as unknown as Game),
  step: (state: GameState, codes) =>
    shellrunners.step(Object.assign(state, { safeBeats: 60, hunger: 0 }) as never, codes),
};

/** A session without the service: returns a function that steps the game and returns its frame message. */
export function makeSession(n: number, tickHz: number): () => object {
  const state = game.init(createSeed(n), tickHz);
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
