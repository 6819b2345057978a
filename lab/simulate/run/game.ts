/** A minimal game, so that a run spends its time on what follows the score. */
import type { Game, GameState } from "../../../games/game.ts";

const MARK = 1;
const LAST_TICK = 40;

interface TallyState extends GameState {
  random: number;
}

/** The next number of a 32-bit linear congruential generator. */
const advance = (random: number): number => (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;

const noBot = () => null;

export const tally: Game<TallyState> = {
  slug: "tally",
  order: 1,
  title: "Tally",
  description: "Marks count; the seed determines how much.",
  rulesVersion: 1,
  tickHz: 10,
  livesMax: 1,
  hungerMax: 1,
  world: { width: 1, height: 1 },
  inputs: [{ code: MARK, message: { t: "action", action: "MARK" }, mode: "once" }],
  kinds: [],
  extraFields: {},
  nft: { name: "Tally", symbol: "TALLY", tiers: [{ tier: 1, name: "First", minScore: 20 }] },
  init: (seed, tickHz) => ({
    ...{ tick: 0, tickHz, lives: 1, score: 0, hunger: 0, over: false, events: [] },
    random: Buffer.from(seed).readUInt32LE(0),
  }),
  step: (state, codes) => {
    if (state.over) return state;
    state.tick += 1;
    for (const code of codes) {
      if (code !== MARK) continue;
      state.random = advance(state.random);
      state.score += 1 + (state.random % 9);
    }
    if (state.tick >= LAST_TICK) {
      state.lives = 0;
      state.over = true;
    }
    return state;
  },
  frame: ({ tick, score, lives, hunger }) => ({
    ...{ tick, score, lives, livesMax: 1, hunger, hungerMax: 1, entities: [], extra: {} },
    pawn: { x: 0, y: 0, w: 1, h: 1 },
  }),
  bots: { reference: () => noBot, random: () => noBot },
};

export const getRules = (slug: string, rulesVersion: number): Game | undefined =>
  slug === tally.slug && rulesVersion === tally.rulesVersion ? (tally as unknown as Game) : undefined;

export const simulatedGames = { games: [tally as unknown as Game], getRules, moduleUrl: import.meta.url };
