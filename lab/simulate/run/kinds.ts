/** The kinds of runs: how much happens, and how harsh the faults are. The seed of a run decides its kind. */
import type { Random } from "../../../testing/random.ts";
import { STAGES, type Stage } from "./stages.ts";

export interface RunKind {
  readonly name: "plain" | "harsh" | "short" | "stage" | "fleet" | "chain";
  /** Faults at the worst moments, messages that outlive their process, several backends, and deadlines for repairs. */
  readonly isHarsh: boolean;
  readonly drawAgents: (random: Random) => number;
  /** Two to four backends work side by side, on a shared database and over a message server. */
  readonly isFleet: boolean;
  /** The probabilities of three and of several backends. The others wait for the store's lease. */
  readonly backends: { readonly three: number; readonly several: number };
  /** How many sessions an agent intends to play. */
  readonly drawSessions: (random: Random) => number;
  readonly drawFaultCount: (random: Random) => number;
  readonly faultsWithinMs: number;
  /** The longest time that a fault of the node, the disk or the network lasts. */
  readonly windowMaxMs: number;
  readonly feesRisenMaxMs: number;
  /** Whether backends may stop for longer than their lease, and the chain may halt. */
  readonly hasLongFaults: boolean;
  /** The longest stop of a backend that keeps its lease. */
  readonly pausedMaxMs: number;
  /** A crash occurs at the n-th moment of a kind. n is drawn from 1 to this number, which most runs reach. */
  readonly moments: {
    readonly commits: number;
    readonly statements: number;
    readonly sends: number;
    readonly answers: number;
  };
}

const PLAIN: RunKind = {
  name: "plain",
  isHarsh: false,
  isFleet: false,
  backends: { three: 0, several: 0 },
  drawAgents: (random) => 1 + random.int(2),
  drawSessions: (random) => 1 + random.int(2),
  drawFaultCount: (random) => 3 + random.int(4),
  faultsWithinMs: 32_000,
  windowMaxMs: 9_000,
  feesRisenMaxMs: 60_000,
  hasLongFaults: true,
  pausedMaxMs: 20_000,
  moments: { commits: 120, statements: 500, sends: 5, answers: 40 },
};

const HARSH: RunKind = { ...PLAIN, name: "harsh", isHarsh: true, backends: { three: 0.1, several: 0.25 } };

/** Most have one agent with one session: enough for what follows a score, and a process can do more runs. */
const SHORT: RunKind = {
  ...HARSH,
  name: "short",
  drawAgents: (random) => (random.chance(0.15) ? 2 : 1),
  drawSessions: (random) => (random.chance(0.2) ? 2 : 1),
  drawFaultCount: (random) => 3 + random.int(2),
  faultsWithinMs: 20_000,
  feesRisenMaxMs: 20_000,
  moments: { commits: 60, statements: 250, sends: 3, answers: 20 },
};

/** One agent in one stage, which starts from a run without faults through the earlier stages. */
const STAGE: RunKind = {
  ...HARSH,
  name: "stage",
  backends: { three: 0.03, several: 0.1 },
  drawAgents: () => 1,
  drawSessions: () => 1,
  drawFaultCount: (random) => 3 + random.int(2),
  faultsWithinMs: 5_000,
  windowMaxMs: 4_000,
  feesRisenMaxMs: 6_000,
  hasLongFaults: false,
  pausedMaxMs: 4_000,
  moments: { commits: 20, statements: 90, sends: 2, answers: 5 },
};

/** Sockets and requests of an agent reach any backend. */
const FLEET: RunKind = { ...SHORT, name: "fleet", isFleet: true };

/** No agents: blocks of other wallets, and faults of what a backend reads of the chain. */
const CHAIN: RunKind = {
  ...SHORT,
  name: "chain",
  backends: { three: 0, several: 0 },
  drawAgents: () => 0,
  drawFaultCount: (random) => 2 + random.int(3),
  faultsWithinMs: 30_000,
  windowMaxMs: 12_000,
};

/** Runs from this seed on are harsh. */
const HARSH_SEED = 1_000_000;
/** Runs from this seed on are harsh and short. */
const SHORT_SEED = 10_000_000;
/** Runs from this seed on have one stage each, in turn. */
const STAGE_SEED = 100_000_000;
/** Runs from this seed on have a fleet of backends. */
const FLEET_SEED = 500_000_000;
/** Runs from this seed on only follow the chain. */
const CHAIN_SEED = 800_000_000;

/** The first seed whose run has this stage. */
export const toFirstSeed = (stage: Stage): number => STAGE_SEED + STAGES.indexOf(stage);

/** The stage of a run; null if it has all stages. */
export const toStage = (seed: number): Stage | null =>
  seed >= STAGE_SEED && seed < FLEET_SEED ? STAGES[seed % STAGES.length]! : null;

export function toKind(seed: number): RunKind {
  if (seed >= CHAIN_SEED) return CHAIN;
  if (seed >= FLEET_SEED) return FLEET;
  if (seed >= STAGE_SEED) return STAGE;
  if (seed >= SHORT_SEED) return SHORT;
  return seed >= HARSH_SEED ? HARSH : PLAIN;
}
