/** What all agents of a life do or do not do. Drawn apart from everything else, which it must not change. */
import { Random } from "../../../testing/random.ts";

export interface Habits {
  /** They hold no ether: the operator is to pay for their calls, until it refuses to. */
  readonly areSponsored: boolean;
  /** Most of their starts and payouts carry an `Idempotency-Key`. */
  readonly useKeys: boolean;
  /** They make calls when it is not their turn, do not send all that they get signed, and send some of it again later. */
  readonly callOutOfTurn: boolean;
}

const SPONSORED = 0.2;
const KEYED = 0.3;
const OUT_OF_TURN = 0.2;

/** None of them. */
export const PLAIN_HABITS: Habits = { areSponsored: false, useKeys: false, callOutOfTurn: false };

export const createHabitsRandom = (seed: number): Random => new Random(seed + 0.25 * 2 ** 52);

/** What agents draw for calls out of turn. */
export const createTurnsRandom = (seed: number): Random => new Random(seed + 0.75 * 2 ** 52);

export const drawHabits = (random: Random, turnsRandom: Random): Habits => ({
  areSponsored: random.chance(SPONSORED),
  useKeys: random.chance(KEYED),
  callOutOfTurn: turnsRandom.chance(OUT_OF_TURN),
});
