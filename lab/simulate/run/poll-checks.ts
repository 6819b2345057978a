/** Checks that polls of the operator's transactions succeed, and do no more than they need. */
import { mark } from "./coverage.ts";
import { type Fault, hasOrders, WINDOW_KINDS } from "./faults.ts";
import { Violation } from "./trace.ts";
import type { Row, TransactionWorld } from "./transaction-rows.ts";

const NEEDLESS = "nothing is sent without need";
const IDLE = "nothing is polled without need";
const SUCCESSFUL = "polls of transactions succeed";

/** The backends look for replaced blocks this often, and then look up each transaction. */
const POLL_MS = 2_000;
/** A node that has had a transaction for this long while nothing disturbs it keeps it. */
const KEPT_MS = 6_000;
/** A poll of a node that is not slow. */
const POLL_TAKES_MS = 500;
/** In one block, so many are found by its receipts. */
const LOOK_UPS_MAX = 20;
/** Of more than these that wait, a poll looks up the first ones. */
const FIRST_LOOK_UPS_MAX = 50;
/** One poll of four does; requests poll as well. */
const SETTLED_IN_A_ROW_MAX = 4;
/** Blocks in a row. */
const IDLE_LOOK_UPS_MAX = 2;
/** Blocks after which nothing polls transactions that are all final. */
const FINAL_BLOCKS = 4;

/** More than `FINAL_BLOCKS`. */
export const IDLE_MS = 14_000;

/** What backends watch, and relays, for which requests poll at once. */
const WATCHED = "select 1 from transactions where settled_at_ms is null or kind = 'relay'";
const DISTURBING = WINDOW_KINDS.filter((kind) => kind !== "fees risen");

const USES_NONCE: readonly Fault["kind"][] = ["nonce used by hand", "nonce by hand undone", "cancel ordered"];

interface CheckedWorld extends TransactionWorld {
  fail(violation: Violation): void;
}

/** Whether nothing should be polled from now on. */
export const mayBeIdle = ({ backends, disk }: TransactionWorld): boolean =>
  backends.isAlone &&
  disk.database.prepare(WATCHED).get() === undefined &&
  disk.database.prepare("select 1 from transactions").get() !== undefined;

export class PollChecks {
  readonly #world: CheckedWorld;
  /** Until the last block: look-ups, requests and statements, whether it had many transactions, and how many waited. */
  #before = { lookUps: 0, requests: 0, idleLookUps: 0, isCrowded: false, settles: 0, settledInARow: 0, waiting: 0 };
  #summaries = 0;
  /** The number of blocks since all transactions are final. */
  #finalBlocks = 0;
  #healthySinceMs = 0;
  /** Since when nothing but high fees has disturbed the backends, and the state that shows it. */
  #calmSinceMs = 0;
  #checkedMs = 0;
  #state = "";

  constructor(world: CheckedWorld) {
    this.#world = world;
  }

  /** Call it when a poll has failed. */
  onFailed(process: string, fields: object): void {
    const { loop, plan, backends } = this.#world;
    mark("check", SUCCESSFUL);
    if (!backends.running.some(({ backend }) => backend.process.name === process)) return;
    const isBrokenOnce = plan.some(
      ({ kind }) => kind.endsWith("once") || kind.startsWith("send") || kind === "estimate failed",
    );
    const isDisturbed = plan.some(
      (fault) => "forMs" in fault && fault.atMs <= loop.nowMs && fault.atMs + fault.forMs > loop.nowMs - KEPT_MS,
    );
    if (!isBrokenOnce && !isDisturbed && loop.nowMs - this.#healthySinceMs > KEPT_MS)
      this.#fail(SUCCESSFUL, `${process}: ${JSON.stringify(fields)}`);
  }

  /** Call it at each block. `all`: the rows that wait. */
  check(all: readonly Row[], healthySinceMs: number): void {
    const { chain, disk, loop, node, requests, openPayouts, plan } = this.#world;
    const { operator } = chain.contracts.config;
    this.#healthySinceMs = healthySinceMs;
    const healthyMs = loop.nowMs - healthySinceMs;
    const lookUps = node.lookUps - this.#before.lookUps;
    const settles = disk.settles - this.#before.settles;
    const settledInARow = settles > 0 ? this.#before.settledInARow + 1 : 0;
    if (settledInARow > SETTLED_IN_A_ROW_MAX) this.#fail(NEEDLESS, "each poll settles transactions");
    const isRequested = openPayouts.size > 0 || requests !== this.#before.requests;
    this.#checkIdle(settles, openPayouts.size === 0 && healthyMs > KEPT_MS);
    const isIdle = all.length === 0 && !isRequested && healthyMs > KEPT_MS;
    // A payout looks up its own once, when it is final.
    const idleLookUps = isIdle && lookUps > 0 ? this.#before.idleLookUps + 1 : 0;
    if (idleLookUps > IDLE_LOOK_UPS_MAX) this.#fail(NEEDLESS, `${lookUps} are looked up again`);
    // A call whose nonce another transaction has used is looked up with all its raised fees.
    const isListed = chain.traits.listsReceipts && !plan.some(({ kind }) => USES_NONCE.includes(kind));
    const calmMs = this.#observeCalm();
    if (isListed && this.#before.isCrowded && calmMs > POLL_MS && lookUps > LOOK_UPS_MAX)
      this.#fail(NEEDLESS, `${lookUps} of a block are looked up`);
    const waiting = all.filter(({ from }) => from === operator).length;
    this.#checkMany(Math.min(waiting, this.#before.waiting), isRequested ? 0 : lookUps, calmMs);
    // A poll that has begun before the block finds only the used nonces.
    const isPolling = disk.database.readClock() - disk.summarizedMs < POLL_TAKES_MS;
    const isCrowded =
      !isPolling && chain.head.transactions.filter(({ from }) => from === operator).length > LOOK_UPS_MAX;
    this.#before = {
      lookUps: node.lookUps,
      requests,
      idleLookUps,
      isCrowded,
      settles: disk.settles,
      settledInARow,
      waiting,
    };
  }

  /** Without transactions that may change, one backend makes no polls. */
  #checkIdle(settles: number, isHealthy: boolean): void {
    const { disk, backends } = this.#world;
    const summaries = disk.summaries - this.#summaries;
    this.#summaries = disk.summaries;
    const isFinal = disk.database.prepare(WATCHED).get() === undefined;
    this.#finalBlocks = isHealthy && isFinal ? this.#finalBlocks + 1 : 0;
    if (this.#finalBlocks <= FINAL_BLOCKS || !backends.isAlone) return;
    mark("check", IDLE);
    if (settles + summaries > 0) this.#fail(IDLE, `${settles} settlements and ${summaries} polls`);
  }

  /** For how long nothing but high fees has disturbed the backends. */
  #observeCalm(): number {
    const { chain, loop, node, backends, plan } = this.#world;
    const state = [chain.dropped.length, ...backends.running.map(({ backend }) => backend.process.name)].join();
    // The first poll that succeeds after failed ones looks up all.
    const sinceMs = this.#checkedMs;
    const isDropped = plan.some(
      (fault) => fault.kind === "mempool dropped" && fault.atMs > sinceMs && fault.atMs <= loop.nowMs,
    );
    const isDisturbed =
      isDropped || node.wasAwaited(sinceMs) || DISTURBING.some((kind) => this.#world.isActive(kind, sinceMs));
    const isCalm = backends.running.length === 1 && state === this.#state && !isDisturbed;
    this.#state = state;
    this.#checkedMs = loop.nowMs;
    if (!isCalm) this.#calmSinceMs = loop.nowMs;
    return loop.nowMs - this.#calmSinceMs;
  }

  /** Many wait while fees are high, which disturbs only other checks. */
  #checkMany(waiting: number, lookUps: number, calmMs: number): void {
    const { chain, plan } = this.#world;
    if (waiting <= FIRST_LOOK_UPS_MAX || !chain.traits.listsReceipts || calmMs <= POLL_MS) return;
    // The operator's order looks up its transaction as well.
    if (hasOrders(plan) || plan.some(({ kind }) => kind === "backend paused" || kind.endsWith("once"))) return;
    mark("check", NEEDLESS);
    if (lookUps > FIRST_LOOK_UPS_MAX) this.#fail(NEEDLESS, `${lookUps} of ${waiting} that wait are looked up`);
  }

  #fail(invariant: string, detail: string): void {
    this.#world.fail(new Violation(invariant, detail));
  }
}
