/** Optional behavior of all agents of a run. A separate random source draws it, so that other draws stay the same. */
import { Random } from "../../../testing/random.ts";

export interface Behavior {
  /** They have no ether: the operator pays for their calls until it declines. */
  readonly areSponsored: boolean;
  /** Most of their starts and payouts carry an `Idempotency-Key`. */
  readonly useKeys: boolean;
  /** They make calls out of turn, do not send some of the signed calls, and send others again later. */
  readonly callOutOfTurn: boolean;
}

const SPONSORED = 0.2;
const KEYED = 0.3;
const OUT_OF_TURN = 0.2;

export const PLAIN_BEHAVIOR: Behavior = { areSponsored: false, useKeys: false, callOutOfTurn: false };

export const createBehaviorRandom = (seed: number): Random => new Random(seed + 0.25 * 2 ** 52);

/** The agents' random source for calls out of turn. */
export const createTurnsRandom = (seed: number): Random => new Random(seed + 0.75 * 2 ** 52);

export const drawBehavior = (random: Random, turnsRandom: Random): Behavior => ({
  areSponsored: random.chance(SPONSORED),
  useKeys: random.chance(KEYED),
  callOutOfTurn: turnsRandom.chance(OUT_OF_TURN),
});
