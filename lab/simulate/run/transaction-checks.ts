/** Checks the operator's transactions as they leave for the node: gas, fees, nonces, and that they are needed. */
import { type Hex, parseGwei, parseTransaction } from "viem";
import { BASE_FEES, parseSent } from "../chain/chain.ts";
import { ESTIMATED_GAS } from "../chain/node.ts";
import { mark } from "./coverage.ts";
import { type Fault, hasOrders } from "./faults.ts";
import { PollChecks } from "./poll-checks.ts";
import { Violation } from "./trace.ts";
import {
  FORBIDDEN,
  findEarlySettled,
  findOwnPrice,
  findRevert,
  findUnexplained,
  findWrongOutcome,
  list,
  type TransactionWorld,
  WAITING,
} from "./transaction-rows.ts";

const TERMS = "transactions have the documented gas and fees";
const GAPLESS = "the service leaves no nonce out";
const NEEDLESS = "nothing is sent without need";
const ONCE = "each error of a transaction is logged once";
const EXPLAINED = "the node's error is stored";
const OUTCOMES = "orders have their true outcome";
const PROMPT = "what is stored for the node leaves at once";
const REJECTED = "a call that the contract rejects is not sent";
const COUNTED = "metrics count what was logged";
const WATCHED = "transactions are watched until their blocks are final";

const GWEI = 10n ** 9n;
const TIP_MAX = 50n * GWEI;
const TIP_MAX_BASE_FEES = 10n;
const FEE_BUMPS_MAX = 40;
const TRANSFER_GAS = 21_000n;
/** Fees are raised after 12 s. The send itself may be late. */
const RAISED_MIN_MS = 4_000;
/** A node that has had a transaction for this long while nothing disturbs it keeps it. */
const KEPT_MS = 6_000;
/** A new transaction leaves within this time of its commit. */
const PROMPT_MS = 500;
const OWN_NONCE = 'select 1 from transactions where nonce = ? and "from" = ?';
const INCLUDED = "select tx_hash from transactions where status = 'included'";
/** Blocks whose base fee the service may still use. */
const RECENT_BLOCKS = 8;

interface CheckedWorld extends TransactionWorld {
  fail(violation: Violation): void;
}

interface Version {
  readonly raw: Hex;
  readonly maxFee: bigint;
  readonly atMs: number;
}

const lesser = (one: bigint, other: bigint): bigint => (one < other ? one : other);
const greater = (one: bigint, other: bigint): bigint => (one > other ? one : other);
/** 12.5 % more, rounded up. */
const raise = (wei: bigint): bigint => (wei === 0n ? 1n : wei + (wei + 7n) / 8n);

/** A quarter more than the estimate, and 10,000. */
const isGasOf = (gas: bigint, estimate: bigint): boolean => gas === (estimate * 5n) / 4n + 10_000n;

const STORE_FAULTS = ["disk full", "disk locked", "database away"] as const;

export class TransactionChecks {
  readonly #world: CheckedWorld;
  /** The last version of each nonce. */
  readonly #versions = new Map<number, Version>();
  /** Since when transactions have waited in the mempool. */
  #pooledSinceMs = new Map<Hex, number>();
  /** Since when nothing has disturbed the backends. */
  #healthySinceMs = 0;
  /** When each was first sent. */
  readonly #sentMs = new Map<Hex, number>();
  /** Those that were in no request at the last block. */
  #unsent: { readonly raws: readonly Hex[]; readonly atMs: number } = { raws: [], atMs: 0 };
  /** The rows that waited at a block. */
  readonly #waited = new Set<string>();
  /** The hashes that the store has known in a block. */
  readonly #noted = new Set<Hex>();
  readonly #polls: PollChecks;
  /** How often fees of a call were raised. */
  #raises = 0;
  /** How many refusals, and waits above the fee cap, each process has logged. */
  readonly #messages = new Map<string, { refused: number; aboveFeeCap: number }>();
  /** The last logged reason of each transaction, and when it was logged: by the database's clock and the run's. */
  readonly #logged = new Map<string, { readonly reason: string; readonly atMs: number; readonly loopMs: number }>();
  /** When nodes did not accept transactions. */
  readonly refused = new Map<Hex, number>();

  constructor(world: CheckedWorld) {
    this.#world = world;
    this.#polls = new PollChecks(world);
  }

  /** Call it at each block. */
  observe(healthySinceMs: number): void {
    const { chain, loop, plan } = this.#world;
    this.#healthySinceMs = healthySinceMs;
    const before = this.#pooledSinceMs;
    this.#pooledSinceMs = new Map([...chain.pool.keys()].map((hash) => [hash, before.get(hash) ?? loop.nowMs]));
    const unexplained = findUnexplained(this.#world, this.refused, healthySinceMs);
    if (unexplained !== null) this.#fail(EXPLAINED, unexplained);
    const outcome = hasOrders(plan) ? findWrongOutcome(this.#world) : null;
    if (outcome !== null) this.#fail(OUTCOMES, outcome);
    this.#checkLogged();
    this.#checkWaiting();
    const early = findEarlySettled(this.#world);
    mark("check", WATCHED);
    if (early !== null) this.#fail(WATCHED, early);
  }

  onRefused(raw: Hex, reason: string): void {
    if (reason !== "already known") this.refused.set(raw, this.#world.loop.nowMs);
  }

  onAccepted(raw: Hex): void {
    this.#logged.clear();
    this.refused.delete(raw);
  }

  /** A process logs a warning or an error. It reports a node's reason once, until the node accepts the transaction. */
  onLogged(process: string, message: string, fields: object): void {
    const { transaction, nonce, reason } = fields as { transaction?: string; nonce?: number; reason?: string };
    if (message.endsWith("could not be reconciled; trying again")) this.#polls.onFailed(process, fields);
    const messages = this.#messages.get(process) ?? { refused: 0, aboveFeeCap: 0 };
    this.#messages.set(process, messages);
    if (message.endsWith("above the fee cap")) messages.aboveFeeCap += 1;
    if (transaction === undefined || reason === undefined) return;
    const key = `${process} ${transaction} ${nonce}`;
    messages.refused += 1;
    mark("check", ONCE);
    const { disk, loop } = this.#world;
    const { database, summarizedMs } = disk;
    const logged = this.#logged.get(key);
    // A reason that could not be stored, or was stored after a poll had read the row, is logged again.
    const isKnown = logged?.reason === reason && logged.atMs < summarizedMs;
    const isLost = (sinceMs: number): boolean =>
      this.#has("disk full once") || STORE_FAULTS.some((kind) => this.#world.isActive(kind, sinceMs));
    if (isKnown && !isLost(logged.loopMs)) this.#fail(ONCE, `${key}: ${message}, ${reason}`);
    this.#logged.set(key, { reason, atMs: database.readClock(), loopMs: loop.nowMs });
  }

  onSent(raw: Hex): void {
    const { loop, chain } = this.#world;
    if (parseSent(raw).from !== chain.contracts.config.operator) return;
    const {
      to,
      data = "0x",
      value = 0n,
      gas,
      nonce = 0,
      maxFeePerGas,
      maxPriorityFeePerGas = 0n,
    } = parseTransaction(raw);
    const before = this.#versions.get(nonce);
    const isNew = before?.raw !== raw;
    const isTransfer = data === "0x" && to === chain.contracts.config.operator.toLowerCase();
    mark("check", TERMS);
    if (value !== 0n || data === FORBIDDEN || !(isTransfer ? gas === TRANSFER_GAS : isGasOf(gas!, ESTIMATED_GAS)))
      this.#fail(TERMS, `nonce ${nonce} with ${value} wei and ${gas} gas`);
    if (isNew && !this.#isPrice(maxFeePerGas!, maxPriorityFeePerGas, before?.maxFee ?? 0n))
      this.#fail(TERMS, `nonce ${nonce} with ${maxFeePerGas} and ${maxPriorityFeePerGas} wei per gas`);
    this.#checkNonce(nonce);
    if (before === undefined && !isTransfer) this.#checkCall(raw, to!, data);
    if (!this.#sentMs.has(raw)) this.#sentMs.set(raw, loop.nowMs);
    if (isNew && before !== undefined && !isTransfer) this.#raises += 1;
    if (isNew) this.#checkRaise(nonce, before);
    else this.#checkResend(nonce, raw);
    if (isNew) this.#logged.clear();
    if (isNew) this.#versions.set(nonce, { raw, maxFee: maxFeePerGas!, atMs: loop.nowMs });
  }

  /** Whether fees are those of a first version, or raised as often as needed. */
  #isPrice(maxFee: bigint, tip: bigint, before: bigint): boolean {
    const { chain, fixtures, plan } = this.#world;
    const cap = BigInt(fixtures.config.feeCapGwei) * GWEI;
    if (maxFee > cap) return false;
    const toPrice = (base: bigint) => {
      const first = lesser(parseGwei(String(chain.traits.tipGwei)), greater(TIP_MAX, base * TIP_MAX_BASE_FEES));
      return { maxFee: lesser(base * 2n + first, cap), tip: lesser(first, cap) };
    };
    const blocks = [...chain.blocks.slice(-RECENT_BLOCKS), ...chain.dropped.slice(-RECENT_BLOCKS)];
    const recent = blocks.map(({ baseFee }) => toPrice(baseFee).maxFee);
    // A raised price reaches the network's, unless the next one would be above the cap.
    const least = before === 0n || raise(maxFee) > cap ? 0n : recent.reduce(lesser);
    const left = findOwnPrice(plan);
    const most = raise(recent.reduce(greater, greater(raise(before), left ?? 0n)));
    const first = [...BASE_FEES.map(toPrice), ...(left === null ? [] : [{ maxFee: left, tip: left }])];
    return first.some((start) => {
      let price = start;
      for (let raises = 0; raises <= FEE_BUMPS_MAX; raises++) {
        if (price.maxFee === maxFee && price.tip === tip)
          return (maxFee >= least || raises === FEE_BUMPS_MAX) && maxFee <= most;
        price = { maxFee: lesser(raise(price.maxFee), cap), tip: lesser(raise(price.tip), cap) };
      }
      return false;
    });
  }

  /** Each nonce follows one that is used or stored. */
  #checkNonce(nonce: number): void {
    const { chain, disk } = this.#world;
    // The node's answer had a higher nonce.
    if (this.#has("nonce wrong once")) return;
    mark("check", GAPLESS);
    const operator = chain.contracts.config.operator.toLowerCase();
    const used = Math.max(...[chain.head, ...chain.dropped].map(({ nonces }) => nonces.get(operator) ?? 0));
    if (nonce <= used || this.#versions.has(nonce - 1)) return;
    if (disk.database.prepare(OWN_NONCE).get(nonce - 1, chain.contracts.config.operator) === undefined)
      this.#fail(GAPLESS, `${nonce - 1} before ${nonce}`);
  }

  /** A new version must not replace one that the node has had only for a moment. */
  #checkRaise(nonce: number, before: Version | undefined): void {
    const { loop, plan } = this.#world;
    if (before === undefined || hasOrders(plan) || !this.#world.chain.pool.has(parseSent(before.raw).hash)) return;
    mark("check", NEEDLESS);
    const { hash } = parseSent(before.raw);
    // A reorganization has returned it to the mempool.
    const returnedMs = this.#noted.has(hash) ? (this.#pooledSinceMs.get(hash) ?? loop.nowMs) : 0;
    const waitedMs = loop.nowMs - Math.max(before.atMs, returnedMs);
    if (!this.refused.has(before.raw) && waitedMs < RAISED_MIN_MS)
      this.#fail(NEEDLESS, `nonce ${nonce} has had its fees for ${waitedMs} ms`);
  }

  #checkResend(nonce: number, raw: Hex): void {
    const { loop } = this.#world;
    const { hash } = parseSent(raw);
    const sinceMs = this.#world.chain.pool.has(hash) ? this.#pooledSinceMs.get(hash) : undefined;
    if (sinceMs === undefined || this.#has("receipt missing once") || this.#has("nonce wrong once")) return;
    mark("check", NEEDLESS);
    if (loop.nowMs - Math.max(sinceMs, this.#healthySinceMs) > KEPT_MS)
      this.#fail(NEEDLESS, `nonce ${nonce} is sent again`);
  }

  /** A new call must succeed on top of a recent block. */
  #checkCall(raw: Hex, to: Hex, data: Hex): void {
    const { chain, disk } = this.#world;
    const row = disk.database.prepare("select id from transactions where raw = ?").get(raw) as
      | { id: string }
      | undefined;
    if (row === undefined || this.#waited.has(row.id) || row.id.startsWith("left")) return;
    mark("check", REJECTED);
    const blocks = [...chain.blocks.slice(-RECENT_BLOCKS), ...chain.dropped.slice(-RECENT_BLOCKS)];
    const call = { from: chain.contracts.config.operator, to, data };
    if (blocks.every((block) => findRevert(chain, call, block) !== null)) this.#fail(REJECTED, row.id);
  }

  #checkLogged(): void {
    for (const { backend } of this.#world.backends.running) {
      const { refused, aboveFeeCap, bumped } = backend.parts.chain.writer.counts();
      const logged = this.#messages.get(backend.process.name) ?? { refused: 0, aboveFeeCap: 0 };
      mark("check", COUNTED);
      // One may be stored and not sent yet; transfers that cancel are raised like calls, those that fill gaps are not.
      const uncounted = ["disk full", "disk locked", "database away", "cancel ordered"] as const;
      if (!uncounted.some((kind) => this.#has(kind)) && bumped > this.#raises + 1)
        this.#fail(COUNTED, `${bumped} raised, not ${this.#raises}`);
      if (refused !== logged.refused || aboveFeeCap !== logged.aboveFeeCap)
        this.#fail(COUNTED, `${refused} refused and ${aboveFeeCap} above the fee cap, not ${Object.values(logged)}`);
    }
  }

  /** Checks that what waits was sent, and that the rest is not looked up. */
  #checkWaiting(): void {
    const { chain, disk, loop } = this.#world;
    const { operator } = chain.contracts.config;
    const healthyMs = loop.nowMs - this.#healthySinceMs;
    const late = this.#unsent.raws.find(
      (raw) => !((this.#sentMs.get(raw) ?? Infinity) < this.#unsent.atMs + PROMPT_MS),
    );
    if (late !== undefined && healthyMs > KEPT_MS) this.#fail(PROMPT, parseSent(late).hash);
    const all = list(this.#world, WAITING);
    const waiting = all.filter(({ from }) => from === operator);
    const raws = waiting.map(({ raw }) => raw).filter((raw) => !this.#sentMs.has(raw));
    this.#unsent = { raws, atMs: loop.nowMs };
    for (const { id } of waiting) this.#waited.add(id);
    for (const { tx_hash } of disk.database.prepare(INCLUDED).all() as readonly { readonly tx_hash: Hex }[])
      this.#noted.add(tx_hash);
    this.#polls.check(all, this.#healthySinceMs);
  }

  #has(kind: Fault["kind"]): boolean {
    return this.#world.plan.some((fault) => fault.kind === kind);
  }

  #fail(invariant: string, detail: string): void {
    this.#world.fail(new Violation(invariant, detail));
  }
}
