/** Optional behavior of all agents of a run. A separate random source draws it, so that other draws stay the same. */
import { Random } from "../../../testing/random.ts";

export interface Behavior {
  /** They hold no ether: the operator is to pay for their calls, until it refuses to. */
  readonly areSponsored: boolean;
  /** Most of their starts and payouts carry an `Idempotency-Key`. */
  readonly useKeys: boolean;
  /** They make calls when it is not their turn, skip some of the calls they get signed, and send others again later. */
  readonly callOutOfTurn: boolean;
}

const SPONSORED = 0.2;
const KEYED = 0.3;
const OUT_OF_TURN = 0.2;

export const PLAIN_BEHAVIOR: Behavior = { areSponsored: false, useKeys: false, callOutOfTurn: false };

export const createBehaviorRandom = (seed: number): Random => new Random(seed + 0.25 * 2 ** 52);

/** What agents draw for calls out of turn. */
export const createTurnsRandom = (seed: number): Random => new Random(seed + 0.75 * 2 ** 52);

export const drawBehavior = (random: Random, turnsRandom: Random): Behavior => ({
  areSponsored: random.chance(SPONSORED),
  useKeys: random.chance(KEYED),
  callOutOfTurn: turnsRandom.chance(OUT_OF_TURN),
});
