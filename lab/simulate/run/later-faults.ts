/** Faults of fleets, and of some of the other harsh runs, drawn after the others so that those stay the same. */
import type { Random } from "../../../testing/random.ts";
import { drawDown, drawReorgAtAnswer, drawTime, type Fault, type FaultPlan, hasOrders } from "./faults.ts";
import type { RunKind } from "./kinds.ts";

const STOPPED = 0.2;
const ESTIMATE_FAILED = 0.15;
const ESTIMATE_HIGH = 0.1;
const OUT_OF_GAS = 0.05;
const AT_ONCE = 0.02;
/** More than six batches of 20. */
const AT_ONCE_CALLS = 130;
const UNKNOWN = 0.5;
const ONE_NODE = 0.4;
const FLEET_MAX = 4;
const FEW_CALLS = 0.15;
const STOPPED_AFTER_OUTAGE = 0.3;
const JOINING_MS = 600;
const FAR_BEHIND = 0.2;
const LAG_MAX = 3;
const POOL = 0.6;
const REORG_AT_ANSWER = 0.3;
/** What the transaction manager asks. */
const QUESTIONS = [
  ...["eth_getTransactionCount", "eth_getTransactionReceipt", "eth_getBlockReceipts", "eth_getTransactionByHash"],
  ...["eth_getBlockByNumber", "eth_estimateGas", "eth_sendRawTransaction"],
];
const ANSWERS_MAX = 10;
const LEFT = 0.35;
const DISK_FULL = 0.15;
const WRITES_MAX = 8;
/** Shorter than the time after which fees are raised. */
const RISEN_MS = 8_000;
const BLOCKS_MS = 6_000;
/** 40 raises, and no fewer, reach the lowest fee of a block. */
const OLD_PRICE_GWEI = 0.0095;
/** One raise reaches the fee cap, and no more. */
const DEAR_PRICE_GWEI = 88;
/** More than one request looks up. */
const MANY = 66;

type Unusual = Extract<Fault, { readonly kind: "unusual node" }>;
type Left = Extract<Fault, { readonly kind: "transactions left" }>;
const NONE_LEFT: Left = { kind: "transactions left", own: 0, former: 0, dismissed: 0, isSent: true };
const RISEN: Fault = { kind: "fees risen", atMs: 0, forMs: RISEN_MS };
const ORDER: Fault = { kind: "bump ordered", waitMs: 0 };
const REJECTING: Unusual = { kind: "unusual node", tipGwei: 0.1, rejectsCheap: true, listsReceipts: true };

/** Ways to begin with stored transactions. */
const BEGINNINGS: readonly ((random: Random) => FaultPlan)[] = [
  (random) => [{ ...NONE_LEFT, former: 2, dismissed: 1, isSent: random.chance(0.7) }],
  (random) => [
    { ...NONE_LEFT, former: 1, dismissed: 1, isSent: true },
    { ...REJECTING, rejectsCheap: random.chance(0.5), listsReceipts: false },
  ],
  (random) => [
    { ...NONE_LEFT, former: 2, isSent: random.chance(0.8) },
    { ...REJECTING, rejectsCheap: false, listsReceipts: false },
  ],
  () => [{ ...NONE_LEFT, dismissed: 1 }, ORDER],
  () => [{ ...NONE_LEFT, own: 2, ownGwei: OLD_PRICE_GWEI, isSent: false }],
  () => [{ ...NONE_LEFT, own: 2, ownGwei: DEAR_PRICE_GWEI }, RISEN, ORDER],
  () => [{ ...NONE_LEFT, own: MANY }, RISEN],
  // All of them get into one block, which is replaced, and some are forgotten.
  (random) => [
    { ...NONE_LEFT, own: MANY },
    RISEN,
    { kind: "reorg", atMs: RISEN_MS + 2_000 + random.int(BLOCKS_MS), depth: 5, forgotten: 0.3 },
  ],
  // The calls of a former operator do not count.
  () => [
    { ...NONE_LEFT, former: 2, isSent: false },
    { kind: "calls per day", count: 2 },
  ],
  () => [{ ...NONE_LEFT, own: 2, isSent: false }, RISEN, REJECTING],
];

/** Only if nothing else decides how long a transaction waits. */
function drawBeginning(random: Random, drawn: FaultPlan): FaultPlan {
  const beginning = random.pick(BEGINNINGS)(random);
  const isOther = drawn.some(
    (fault) =>
      ["transactions left", "unusual node", "fees risen", "fees risen for good", "nonce used by hand"].includes(
        fault.kind,
      ) ||
      "feesRise" in fault ||
      "feesRiseAfterMs" in fault,
  );
  return isOther || hasOrders(drawn) ? [] : beginning;
}

/** A backend that has lost its lease in an outage stops while it joins the others again. */
function drawStopAfterOutage(random: Random, drawn: FaultPlan): FaultPlan {
  const outage = drawn.find((fault) => fault.kind === "database away");
  if (outage === undefined || !("forMs" in outage) || !random.chance(STOPPED_AFTER_OUTAGE)) return [];
  const atMs = outage.atMs + outage.forMs + random.int(JOINING_MS);
  return [{ kind: "backend stopped", atMs, downMs: drawDown(random) }];
}

/** Nodes that are behind by more than one block, or by different numbers of blocks. */
export const drawFarBehind = (random: Random, kind: RunKind): Fault => ({
  kind: "node behind",
  atMs: drawTime(random, kind),
  forMs: Math.floor(random.between(500, kind.windowMaxMs)),
  lag: 1 + random.int(LAG_MAX),
  isPool: random.chance(POOL),
});

/** The backends of a fleet ask different nodes. */
const drawFaultOfOneNode = (random: Random, kind: RunKind): Fault => ({
  kind: random.pick(["node behind", "node behind", "node errors", "node silent", "node slow"]),
  atMs: drawTime(random, kind),
  forMs: Math.floor(random.between(500, kind.windowMaxMs)),
  of: 1 + random.int(FLEET_MAX),
});

/** Faults between the backends of a fleet: longer than their leases, which are 3 s, in half of the cases. */
const FLEET_DRAWS: readonly ((random: Random, kind: RunKind) => Fault)[] = [
  (random, kind) => ({ kind: "database away", atMs: drawTime(random, kind), forMs: drawOutage(random) }),
  (random, kind) => ({
    kind: "messages cut",
    atMs: drawTime(random, kind),
    forMs: drawOutage(random),
    isWhole: random.chance(0.4),
  }),
  (random, kind) => ({ kind: "backend paused", atMs: drawTime(random, kind), forMs: drawOutage(random) }),
];

const drawOutage = (random: Random): number => Math.floor(random.between(200, 6_000));

/** One to three more faults of a fleet, drawn after all others. */
export const drawFleetFaults = (random: Random, kind: RunKind): FaultPlan =>
  Array.from({ length: 1 + random.int(3) }, () => random.pick(FLEET_DRAWS)(random, kind));

/** `drawn`: the run's other faults. */
export const drawLaterFaults = (random: Random, kind: RunKind, hasOperator: boolean, drawn: FaultPlan): FaultPlan => [
  ...(random.chance(STOPPED)
    ? [{ kind: "backend stopped", atMs: drawTime(random, kind), downMs: drawDown(random) } as const]
    : []),
  ...(hasOperator && random.chance(ESTIMATE_FAILED)
    ? [{ kind: "estimate failed", count: 1 + random.int(4) } as const]
    : []),
  ...(random.chance(LEFT) ? drawBeginning(random, drawn) : []),
  ...(hasOperator && random.chance(DISK_FULL)
    ? [{ kind: "disk full once", count: 1 + random.int(WRITES_MAX), of: "transactions" } as const]
    : []),
  ...(hasOperator && random.chance(ESTIMATE_HIGH) ? [{ kind: "estimate too high", count: 1 } as const] : []),
  ...(hasOperator && random.chance(FEW_CALLS) ? [{ kind: "calls per day", count: 1 + random.int(2) } as const] : []),
  ...(hasOperator && random.chance(REORG_AT_ANSWER) ? [drawReorgAtAnswer(random, QUESTIONS, ANSWERS_MAX)] : []),
  ...(random.chance(FAR_BEHIND) ? [drawFarBehind(random, kind)] : []),
  ...(kind.isFleet ? drawStopAfterOutage(random, drawn) : []),
  ...(kind.isFleet && random.chance(UNKNOWN)
    ? [{ kind: "commit unknown", count: 1 + random.int(kind.moments.commits) } as const]
    : []),
  ...(kind.isFleet && random.chance(ONE_NODE) ? [drawFaultOfOneNode(random, kind)] : []),
  ...(hasOperator && random.chance(OUT_OF_GAS)
    ? [{ kind: "estimate too high", count: 1, isError: true } as const]
    : []),
  ...(hasOperator && random.chance(AT_ONCE)
    ? [{ kind: "calls at once", atMs: drawTime(random, kind), count: AT_ONCE_CALLS } as const]
    : []),
];

/** How often the operator may sign a day; null for the usual limit, which no run reaches. */
export function findCallsPerDay(plan: FaultPlan): number | null {
  for (const fault of plan) if (fault.kind === "calls per day") return fault.count;
  return null;
}
