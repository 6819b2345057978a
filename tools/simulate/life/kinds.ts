/** The kinds of lives: how much happens in one, and how hard its faults are. The seed of a life says its kind. */
import type { Random } from "../world/random.ts";

export interface LifeKind {
  readonly name: "plain" | "harsh" | "short";
  /** Faults at the worst moments, messages that outlive their process, several backends, and repairs that have to be in time. */
  readonly isHarsh: boolean;
  readonly drawAgents: (random: Random) => number;
  /** How many sessions an agent wants to have played. */
  readonly drawSessions: (random: Random) => number;
  readonly drawFaultCount: (random: Random) => number;
  /** Faults begin within this time. */
  readonly faultsWithinMs: number;
  readonly feesRisenMaxMs: number;
  /** For a crash at the n-th moment of a kind: n is drawn from 1 to this number, which most lives reach. */
  readonly moments: {
    readonly commits: number;
    readonly statements: number;
    readonly sends: number;
    readonly answers: number;
  };
}

const PLAIN: LifeKind = {
  name: "plain",
  isHarsh: false,
  drawAgents: (random) => 1 + random.int(2),
  drawSessions: (random) => 1 + random.int(2),
  drawFaultCount: (random) => 3 + random.int(4),
  faultsWithinMs: 32_000,
  feesRisenMaxMs: 60_000,
  moments: { commits: 120, statements: 500, sends: 5, answers: 40 },
};

const HARSH: LifeKind = { ...PLAIN, name: "harsh", isHarsh: true };

/** Most have one agent with one session: what follows a score needs no more, and a process runs more of them. */
const SHORT: LifeKind = {
  name: "short",
  isHarsh: true,
  drawAgents: (random) => (random.chance(0.15) ? 2 : 1),
  drawSessions: (random) => (random.chance(0.2) ? 2 : 1),
  drawFaultCount: (random) => 3 + random.int(2),
  faultsWithinMs: 20_000,
  feesRisenMaxMs: 20_000,
  moments: { commits: 60, statements: 250, sends: 3, answers: 20 },
};

/** Lives from this seed on are harsh. */
const HARSH_SEED = 1_000_000;
/** Lives from this seed on are harsh and short. */
const SHORT_SEED = 10_000_000;

export function toKind(seed: number): LifeKind {
  if (seed >= SHORT_SEED) return SHORT;
  return seed >= HARSH_SEED ? HARSH : PLAIN;
}
