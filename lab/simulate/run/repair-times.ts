/** How long the stored chain data may be wrong if nothing disturbs the backend. */
import { findOpenCall } from "./calls-at-once.ts";
import { mark } from "./coverage.ts";
import { isBudgetSpent } from "./day-budget.ts";
import { CHAIN_WINDOW_KINDS, WINDOW_KINDS, type WindowKind } from "./faults.ts";
import {
  findDerivedDifference,
  findNonceGap,
  findOldHead,
  findOrphanedTransaction,
  findUnnotedPayout,
  findUnnotedTransaction,
  findUnsentPayout,
} from "./final-checks.ts";
import { listWrongRejections } from "./payout-watch.ts";
import { Violation } from "./trace.ts";
import {
  findCheapTransaction,
  findLateAnswer,
  findLateOrder,
  findQueuedTransaction,
  findUnsentTransaction,
  findUsedNonce,
} from "./transaction-rows.ts";
import type { World } from "./world.ts";

/** Eight polls of the node. Each repair takes at most three, and starts with one more. */
const EVENTS_REPAIR_MS = 16_000;
/** Ten polls. */
const GAP_REPAIR_MS = 20_000;

/** A second after the last attempt. */
const SENT_MS = 3_000;
/** Five polls. */
const NOTED_MS = 10_000;
/** A poll and the next block. */
const MARKED_MS = 3_000;
/** Three polls. */
const ANSWERED_MS = 6_000;

/** The time between two checks. */
const CHECKED_MS = 2_000;

const REJECTED = "a payout fails only if the contract rejects it";

const FINDS = {
  "derived rows are repaired in time": { find: findDerivedDifference, repairMs: EVENTS_REPAIR_MS },
  "a gap in the operator's nonces is filled in time": { find: findNonceGap, repairMs: GAP_REPAIR_MS },
  "a mined transaction is noted in time": { find: findUnnotedTransaction, repairMs: NOTED_MS },
  "an ended transaction settles its payout in time": { find: findUnnotedPayout, repairMs: NOTED_MS },
  "a stored payout is sent in time": { find: findUnsentPayout, repairMs: SENT_MS },
  "the head is followed in time": { find: findOldHead, repairMs: NOTED_MS },
  "a transaction that no node has is sent again in time": { find: findUnsentTransaction, repairMs: NOTED_MS },
  "a transaction gets another nonce in time": { find: findUsedNonce, repairMs: GAP_REPAIR_MS },
  "a transaction that nodes have counts as sent": { find: findQueuedTransaction, repairMs: MARKED_MS },
  "fees are raised in time": { find: findCheapTransaction, repairMs: GAP_REPAIR_MS },
  "a payout is answered in time": { find: findLateAnswer, repairMs: ANSWERED_MS },
  "calls at once are answered in time": { find: findOpenCall, repairMs: ANSWERED_MS },
  "orders are carried out in time": { find: findLateOrder, repairMs: NOTED_MS },
  "transactions are looked up again in time": { find: findOrphanedTransaction, repairMs: NOTED_MS },
} as const;

export class RepairTimes {
  readonly #world: World;
  /** Since when nothing has disturbed the backend, milliseconds of the run. */
  #healthySinceMs = 0;
  /** When each current difference was first seen. */
  readonly #sinceMs = new Map<string, number>();

  readonly #rejected = new Set<string>();
  #wrongRejections = 0;

  /** The time and the blocks of the last check. */
  #checkedMs = 0;
  #blocks = 1;
  #lastHash = "";
  /** The names of the backends that served then; null before the first check. */
  #running: string | null = null;
  /** How many estimates were still to fail. */
  #estimatesFailing = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** Call it regularly. */
  check(): void {
    const { loop } = this.#world;
    if (!this.#world.kind.isHarsh) return;
    this.#world.backends.checkLeases();
    mark("check", REJECTED);
    const rejected = listWrongRejections(this.#world, this.#rejected);
    this.#wrongRejections += rejected.length;
    // An estimate that is too high for the policy fails its payout.
    if (rejected.length > 0 && this.#wrongRejections > this.#world.node.highEstimates.count)
      this.#world.fail(new Violation(REJECTED, rejected[0]!));
    if (this.#isDisturbed()) this.#healthySinceMs = loop.nowMs;
    this.#world.transactions.observe(this.#healthySinceMs);
    for (const [invariant, { find, repairMs }] of Object.entries(FINDS)) {
      // Earlier, a difference does not violate it.
      if (loop.nowMs - this.#healthySinceMs > repairMs) mark("check", invariant);
      const difference = find(this.#world);
      const key = `${invariant}: ${difference}`;
      const sinceMs = this.#sinceMs.get(key) ?? loop.nowMs;
      for (const known of this.#sinceMs.keys()) if (known.startsWith(invariant)) this.#sinceMs.delete(known);
      if (difference === null) continue;
      this.#sinceMs.set(key, sinceMs);
      if (loop.nowMs - Math.max(sinceMs, this.#healthySinceMs) > repairMs)
        this.#world.fail(new Violation(invariant, difference));
    }
  }

  #isDisturbed(): boolean {
    const { backends, chain, loop, plan, shared, node } = this.#world;
    const sinceMs = this.#checkedMs;
    this.#checkedMs = loop.nowMs;
    const isActive = (kind: WindowKind): boolean => this.#world.isActive(kind, sinceMs);
    // The second read, which has a separate delay, finds events that a node has left out.
    if (plan.some(({ kind }) => kind === "logs missing once" || kind === "logs late")) return true;
    const running = backends.running.map(({ backend }) => backend.process.name).join();
    const isRestarted = this.#running !== null && running !== this.#running;
    this.#running = running;
    if (isRestarted) return true;
    const isReplaced = chain.blocks[this.#blocks - 1]?.hash !== this.#lastHash;
    [this.#blocks, this.#lastHash] = [chain.blocks.length, chain.head.hash];
    if (isReplaced || loop.nowMs - this.#world.fullAtMs < CHECKED_MS) return true;
    const hasFailed = node.estimatesFailing !== this.#estimatesFailing;
    this.#estimatesFailing = node.estimatesFailing;
    if (hasFailed || isBudgetSpent(this.#world)) return true;
    const { length } = backends.running;
    // More than one without a fleet: one was suspended, and another has taken over.
    if (length === 0 || (length > 1 && shared === null) || isActive("database away")) return true;
    if (backends.isAnyPaused || node.wasAwaited(sinceMs)) return true;
    return [...WINDOW_KINDS, ...CHAIN_WINDOW_KINDS].some(isActive);
  }
}
