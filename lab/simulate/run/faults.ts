/** The faults of a run, drawn from the seed. A shrunk run has fewer or smaller ones. */
import type { Random } from "../../../testing/random.ts";
import type { RunKind } from "./kinds.ts";

/** Faults that begin at a time of the run and last for a while, in milliseconds. */
export const WINDOW_KINDS = [
  "node silent",
  "node errors",
  "node slow",
  "node behind",
  "log range limit",
  "fees risen",
  "disk full",
  "disk locked",
  "answers lost",
] as const;
/** Those of chain runs: the node has logs only later, or does not know the tag `finalized`. */
export const CHAIN_WINDOW_KINDS = ["logs late", "tag unknown"] as const;
export type WindowKind = (typeof WINDOW_KINDS | typeof CHAIN_WINDOW_KINDS)[number] | "chain halted" | "database away";

export type Fault =
  | {
      readonly kind:
        | "crash before commit"
        | "crash at commit"
        | "crash at statement"
        | "crash at send"
        | "crash at answer";
      /** The number of this moment among those of its kind in the run, from 1. */
      readonly count: number;
      readonly downMs: number;
    }
  /** `backend stopped`: by SIGTERM, as in a rolling deploy. */
  | { readonly kind: "crash" | "backend stopped"; readonly atMs: number; readonly downMs: number }
  | { readonly kind: "backend paused"; readonly atMs: number; readonly forMs: number }
  /**
   * `of`: the number of the only backend whose node has the fault. `lag`: how many blocks the node is behind, 1 by
   * default; each request to a pool reaches another node, which is behind by that many at most.
   */
  | {
      readonly kind: Exclude<WindowKind, "chain halted">;
      readonly atMs: number;
      readonly forMs: number;
      readonly of?: number;
      readonly lag?: number;
      readonly isPool?: boolean;
    }
  /** No blocks are mined for a while, and then the last ones are replaced. */
  | { readonly kind: "chain halted"; readonly atMs: number; readonly forMs: number; readonly depth: number }
  /**
   * The last blocks are replaced, and then a block is mined each second. For plans written by hand: a backend that is
   * down is then far behind. No run draws it, so that seeds keep their meaning.
   */
  | { readonly kind: "blocks frequent"; readonly atMs: number; readonly forMs: number; readonly depth: number }
  /** Of chain runs: blocks come as after a long stop of the backend; the disk is full at the n-th writing statement. */
  | { readonly kind: "blocks at once"; readonly atMs: number; readonly count: number }
  /** From the first block that could have included a transaction of the operator. */
  | { readonly kind: "fees risen for good" }
  /** The block of the first payout is dropped this long after it; with `feesRise` its fees are too low from then on. */
  | {
      readonly kind: "payout reorganized";
      readonly laterMs: number;
      readonly isForgotten: boolean;
      readonly feesRise: boolean;
    }
  /**
   * A waiting transaction loses its nonce to another one, which a reorganization undoes this long after it. Some time
   * later, fees may rise permanently.
   */
  | { readonly kind: "nonce by hand undone"; readonly laterMs: number; readonly feesRiseAfterMs?: number }
  | {
      readonly kind: "send lost" | "send refused but mined" | "estimate failed";
      readonly count: number;
    }
  /** `isError`: the node reports that the call runs out of gas. */
  | { readonly kind: "estimate too high"; readonly count: number; readonly isError?: true }
  | { readonly kind: "logs missing once" | "calls per day" | "commit unknown"; readonly count: number }
  /** At the n-th writing statement, or at the n-th one of a table. */
  | { readonly kind: "disk full once"; readonly count: number; readonly of?: "transactions" }
  /** In the n-th answer about a mined transaction, the node claims not to know it. */
  | { readonly kind: "receipt missing once"; readonly count: number }
  /** The n-th answer about an account's used nonces is wrong by this. */
  | { readonly kind: "nonce wrong once"; readonly count: number; readonly by: 1 | -1 }
  /** The operator's first waiting transaction becomes too cheap for this long, and its replacement is ordered. */
  | { readonly kind: "bump ordered" | "cancel ordered"; readonly waitMs: number }
  /** Before the first start, earlier processes have stored transactions: of this operator, and of two former ones. */
  | {
      readonly kind: "transactions left";
      readonly own: number;
      /** The price of these, tip included; the network's if left out. */
      readonly ownGwei?: number;
      readonly former: number;
      /** Of one that has lost its role. */
      readonly dismissed: number;
      readonly isSent: boolean;
    }
  /** Nodes propose this tip, may reject what the next block could not include, and may lack receipts of blocks. */
  | {
      readonly kind: "unusual node";
      readonly tipGwei: number;
      readonly rejectsCheap: boolean;
      readonly listsReceipts: boolean;
    }
  | { readonly kind: "mempool dropped" | "nonce used by hand"; readonly atMs: number }
  /** Backends cannot send each other messages: all of them, or the one that serves. */
  | { readonly kind: "messages cut"; readonly atMs: number; readonly forMs: number; readonly isWhole: boolean }
  | { readonly kind: "reorg"; readonly atMs: number; readonly depth: number; readonly forgotten: number }
  /** Right after the node's n-th answer to a method, so between two reads of one poll. */
  | {
      readonly kind: "reorg at answer";
      readonly method: string;
      readonly count: number;
      readonly depth: number;
      readonly forgotten: number;
    }
  /** Payouts of many wallets. */
  | { readonly kind: "calls at once"; readonly atMs: number; readonly count: number }
  | { readonly kind: "clock step"; readonly atMs: number; readonly byMs: number };

export type FaultPlan = readonly Fault[];

const DEPTHS = [1, 1, 2, 2, 3, 5, 10];
const CLOCK_STEPS_MS = [600_000, -600_000, 172_800_000, 5_000, -5_000];

/** Longer than the store's lease of 15 s. */
const PAUSED_LONG_MS = { least: 15_500, most: 24_000 };
const HALTED_MS = 26_000;
const PAYOUT_REORGANIZED_MAX_MS = 18_000;
const HAND_UNDONE_MS = { least: 10_000, most: 18_000 };
const FEES_RISE_AFTER_MAX_MS = 6_000;

export const drawTime = (random: Random, { faultsWithinMs }: RunKind): number =>
  Math.floor(random.between(500, faultsWithinMs));
export const drawDown = (random: Random): number => Math.floor(random.between(100, 4_000));

type Draw = (random: Random, kind: RunKind) => Fault;

const drawCrashAtCommit: Draw = (random, { moments }) => ({
  kind: "crash at commit",
  count: 1 + random.int(moments.commits),
  downMs: drawDown(random),
});
const drawExtent = (random: Random, depths = DEPTHS) => ({
  depth: random.pick(depths),
  forgotten: random.pick([0, 0, 0.3, 1]),
});
const drawReorg: Draw = (random, kind) => ({ kind: "reorg", atMs: drawTime(random, kind), ...drawExtent(random) });

/** `methods`: of what a backend asks in operations of several requests. */
export const drawReorgAtAnswer = (random: Random, methods: readonly string[], answersMax: number): Fault => ({
  kind: "reorg at answer",
  method: random.pick(methods),
  count: 1 + random.int(answersMax),
  ...drawExtent(random, [1, 2, 5, 10]),
});

const DRAWS: readonly Draw[] = [
  ...[drawCrashAtCommit, drawCrashAtCommit],
  (random, { moments }) => ({
    kind: "crash at statement",
    count: 1 + random.int(moments.statements),
    downMs: drawDown(random),
  }),
  (random, kind) => ({ kind: "crash", atMs: drawTime(random, kind), downMs: drawDown(random) }),
  (random, kind) => ({
    kind: "backend paused",
    atMs: drawTime(random, kind),
    forMs: Math.floor(random.between(500, kind.pausedMaxMs)),
  }),
  (random) => ({ kind: "send lost", count: 1 + random.int(2) }),
  (random) => ({ kind: "send refused but mined", count: 1 + random.int(2) }),
  (random) => ({ kind: "logs missing once", count: 1 + random.int(12) }),
  (random, kind) => ({ kind: "mempool dropped", atMs: drawTime(random, kind) }),
  (random, kind) => ({ kind: "nonce used by hand", atMs: drawTime(random, kind) }),
  ...[drawReorg, drawReorg],
  (random, kind) => ({ kind: "clock step", atMs: drawTime(random, kind), byMs: random.pick(CLOCK_STEPS_MS) }),
  ...WINDOW_KINDS.map(
    (window): Draw =>
      (random, kind) => {
        const forMs = Math.floor(random.between(500, window === "fees risen" ? kind.feesRisenMaxMs : kind.windowMaxMs));
        return { kind: window, atMs: drawTime(random, kind), forMs };
      },
  ),
];

/** Faults of harsh runs only, which draw from both lists. */
const HARSH_DRAWS: readonly Draw[] = [
  (random, { moments }) => ({
    kind: "crash before commit",
    count: 1 + random.int(moments.commits),
    downMs: drawDown(random),
  }),
  (random, { moments }) => ({ kind: "crash at send", count: 1 + random.int(moments.sends), downMs: drawDown(random) }),
  (random, { moments }) => ({
    kind: "crash at answer",
    count: 1 + random.int(moments.answers),
    downMs: drawDown(random),
  }),
  (random) => ({
    kind: "payout reorganized",
    laterMs: Math.floor(random.between(1_000, PAYOUT_REORGANIZED_MAX_MS)),
    isForgotten: random.chance(0.5),
    feesRise: random.chance(0.4),
  }),
  (random) => ({
    kind: "nonce by hand undone",
    laterMs: Math.floor(random.between(HAND_UNDONE_MS.least, HAND_UNDONE_MS.most)),
    ...(random.chance(0.5) && { feesRiseAfterMs: Math.floor(random.between(0, FEES_RISE_AFTER_MAX_MS)) }),
  }),
  () => ({ kind: "fees risen for good" }),
];

/** Harsh faults that last longer than many runs without faults. */
const LONG_DRAWS: readonly Draw[] = [
  (random, kind) => ({
    kind: "backend paused",
    atMs: drawTime(random, kind),
    forMs: Math.floor(random.between(PAUSED_LONG_MS.least, PAUSED_LONG_MS.most)),
  }),
  (random, kind) => ({
    kind: "chain halted",
    atMs: drawTime(random, kind),
    forMs: HALTED_MS,
    depth: 1 + random.int(3),
  }),
];

const listDraws = ({ isHarsh, hasLongFaults }: RunKind): readonly Draw[] => [
  ...DRAWS,
  ...(isHarsh ? HARSH_DRAWS : []),
  ...(isHarsh && hasLongFaults ? LONG_DRAWS : []),
];

/** Faults that only change something if the operator sends transactions. */
const OF_OPERATOR: readonly Fault["kind"][] = [
  ...(["send lost", "send refused but mined", "crash at send", "nonce used by hand", "nonce by hand undone"] as const),
  ...(["payout reorganized", "fees risen", "fees risen for good"] as const),
  ...(["nonce wrong once", "bump ordered", "cancel ordered"] as const),
];

/** `hasOperator`: whether the operator sends transactions in the run. */
export function drawFaults(random: Random, kind: RunKind, hasOperator: boolean): FaultPlan {
  const draws = listDraws(kind);
  const draw = (): Fault => {
    const fault = random.pick(draws)(random, kind);
    return hasOperator || !OF_OPERATOR.includes(fault.kind) ? fault : draw();
  };
  return Array.from({ length: kind.drawFaultCount(random) }, draw);
}

const RARE = 0.25;
const WAIT_MAX_MS = 8_000;
const ANSWERS_MAX = 12;

const RARE_DRAWS: readonly ((random: Random) => Fault)[] = [
  (random) => ({ kind: "receipt missing once", count: 1 + random.int(ANSWERS_MAX) }),
  (random) => ({ kind: "nonce wrong once", count: 1 + random.int(ANSWERS_MAX), by: random.pick([1, -1]) }),
  (random) => ({ kind: "bump ordered", waitMs: Math.floor(random.between(0, WAIT_MAX_MS)) }),
  (random) => ({ kind: "cancel ordered", waitMs: Math.floor(random.between(0, WAIT_MAX_MS)) }),
];

/** One more fault in some of the runs, drawn after all others. */
export function drawRareFaults(random: Random, hasOperator: boolean): FaultPlan {
  if (!random.chance(RARE)) return [];
  const fault = random.pick(RARE_DRAWS)(random);
  return hasOperator || !OF_OPERATOR.includes(fault.kind) ? [fault] : [];
}

const LEFT = 0.06;
const UNUSUAL = 0.3;
/** More than a batch, and more than are looked up one by one. */
const OWN_LEFT = [0, 2, 24, 66];
const TIPS_GWEI = [0, 0.1, 3, 70, 700];

/** How a run begins, drawn after all other faults. If fees rise for good, each block includes one transaction. */
export function drawInitialFaults(random: Random, plan: FaultPlan): FaultPlan {
  const riseForGood = plan.some(
    (fault) => fault.kind === "fees risen for good" || "feesRiseAfterMs" in fault || "feesRise" in fault,
  );
  const left = (): Fault => ({
    kind: "transactions left",
    own: random.pick(riseForGood ? OWN_LEFT.slice(0, 3) : OWN_LEFT),
    former: random.int(3),
    dismissed: random.int(2),
    isSent: random.chance(0.3),
  });
  const unusual = (): Fault => ({
    kind: "unusual node",
    tipGwei: random.pick(TIPS_GWEI),
    rejectsCheap: random.chance(0.5),
    listsReceipts: random.chance(0.6),
  });
  return [...(random.chance(LEFT) ? [left()] : []), ...(random.chance(UNUSUAL) ? [unusual()] : [])];
}

/** Whether the operator orders anything. */
export const hasOrders = (plan: FaultPlan): boolean =>
  plan.some(({ kind }) => kind === "bump ordered" || kind === "cancel ordered");
