/** Makes the blocks of a run, and the chain faults that affect the operator's transactions. */
import type { Hex } from "viem";
import { BASE_FEES, type ModelBlock } from "../chain/chain.ts";
import { fillBlock } from "./chain-runs.ts";
import { mark } from "./coverage.ts";
import type { Fault } from "./faults.ts";
import { IndexChecks } from "./index-checks.ts";
import { orderTransaction } from "./operator-orders.ts";
import { RepairTimes } from "./repair-times.ts";
import type { World } from "./world.ts";

const BLOCK_MS = 2_000;
const [BASE_FEE, RISEN_BASE_FEE, HIGHEST_BASE_FEE] = BASE_FEES;
/** A deeper reorganization would undo final blocks. */
const DEPTH_MAX = 10;

type PayoutFault = Extract<Fault, { readonly kind: "payout reorganized" }>;
type HandFault = Extract<Fault, { readonly kind: "nonce by hand undone" }>;
type OrderFault = Extract<Fault, { readonly kind: "bump ordered" | "cancel ordered" }>;

/** Uses the operator's next nonce for an empty transfer that no store knows. Returns its hash. */
export function useNonce({ chain, randoms, sentByHand }: World): Hex {
  const from = chain.contracts.config.operator;
  const hash = `0x${randoms.chain.bytes(32).toString("hex")}` as const;
  sentByHand.add(hash);
  const transaction = { hash, from, to: from, data: "0x" as const, maxFeePerGas: 10n ** 12n };
  for (const { hash: waiting, nonce, from: sender } of [...chain.pool.values()])
    if (sender === from && nonce === chain.getNonce(from)) chain.pool.delete(waiting);
  return chain.add({ ...transaction, nonce: chain.getNonce(from) });
}

export class Blocks {
  readonly #world: World;
  readonly #repairs: RepairTimes;
  readonly #index: IndexChecks;
  #payoutFault: PayoutFault | null;
  #handFault: HandFault | null;
  #orderFault: OrderFault | null;
  /** The number of current faults. */
  #underWay = 0;
  #isExpensiveForGood = false;
  /** Whether the transaction of an order is too cheap. */
  #isExpensiveForOrder = false;

  constructor(world: World) {
    this.#world = world;
    this.#repairs = new RepairTimes(world);
    this.#index = new IndexChecks(world);
    const find = <K extends Fault["kind"]>(kind: K) =>
      world.plan.find((fault): fault is Extract<Fault, { readonly kind: K }> => fault.kind === kind) ?? null;
    this.#payoutFault = find("payout reorganized");
    this.#handFault = find("nonce by hand undone");
    this.#orderFault = find("bump ordered") ?? find("cancel ordered");
  }

  /** Whether a fault that began with a transaction continues: the run must not end before it. */
  get isFaulty(): boolean {
    return this.#underWay > 0;
  }

  /** Makes blocks until the run ends. */
  start(): void {
    const { loop } = this.#world;
    loop.schedule(BLOCK_MS, () => {
      // Calls that are sent twice wait for this block.
      if (this.#world.behavior.areSponsored) this.#world.sponsorship.check();
      fillBlock(this.#world);
      this.#tick();
      this.#repairs.check();
      this.#index.start();
      this.start();
    });
  }

  #tick(): void {
    const world = this.#world;
    const { chain } = world;
    if (this.#isOperatorWaiting && world.isActive("fees risen")) mark("fault", "fees risen");
    if (this.#isOperatorWaiting && world.plan.some(({ kind }) => kind === "fees risen for good")) this.#startRise();
    this.#orderReplacement();
    const isExpensive = this.#isExpensiveForGood || this.#isExpensiveForOrder;
    chain.baseFee = isExpensive ? RISEN_BASE_FEE : BASE_FEE;
    if (world.isActive("fees risen")) chain.baseFee = HIGHEST_BASE_FEE;
    if (world.isActive("chain halted")) {
      mark("fault", "chain halted");
      return;
    }
    this.#useWaitingNonce();
    const block = chain.mine(world.unixSeconds);
    if (block.transactions.length === 0) return;
    const texts = block.transactions.map(({ hash, revert }) => `${hash} ${revert?.errorName ?? "ok"}`);
    world.note(`block ${block.number}: ${texts.join(", ")}`);
    this.#reorganizePayout(block);
  }

  #startRise(): void {
    if (!this.#isExpensiveForGood) mark("fault", "fees risen for good");
    this.#isExpensiveForGood = true;
  }

  /** Whether transactions of the operator wait that the next block would include. */
  get #isOperatorWaiting(): boolean {
    const { pool, contracts } = this.#world.chain;
    return [...pool.values()].some(({ from }) => from === contracts.config.operator);
  }

  /** Drops the block of the first payout a while after it. */
  #reorganizePayout({ number, transactions }: ModelBlock): void {
    const fault = this.#payoutFault;
    if (fault === null || !transactions.some(({ events }) => events.some(({ name }) => name === "Payout"))) return;
    this.#payoutFault = null;
    mark("fault", fault.kind);
    this.#later(fault.laterMs, () => {
      if (fault.feesRise) this.#isExpensiveForGood = true;
      this.#world.chain.baseFee = this.#isExpensiveForGood ? RISEN_BASE_FEE : BASE_FEE;
      this.#dropFrom(number, () => fault.isForgotten);
    });
  }

  /** Uses a nonce by hand while the operator's transaction waits, and forgets it when others have followed it. */
  #useWaitingNonce(): void {
    const world = this.#world;
    const fault = this.#handFault;
    if (fault === null || !this.#isOperatorWaiting) return;
    this.#handFault = null;
    mark("fault", fault.kind);
    const hash = useNonce(world);
    this.#later(fault.laterMs, () => {
      const found = world.chain.find(hash);
      if (found !== null) this.#dropFrom(found.block.number, (forgotten) => forgotten === hash);
      if (fault.feesRiseAfterMs === undefined) return;
      this.#later(fault.feesRiseAfterMs, () => {
        this.#isExpensiveForGood = true;
      });
    });
  }

  /** Makes the waiting transaction too cheap for a while, and orders its replacement. */
  #orderReplacement(): void {
    const fault = this.#orderFault;
    if (fault === null || !this.#isOperatorWaiting) return;
    const isOrdered = orderTransaction(this.#world, fault.kind === "bump ordered" ? "bump" : "cancel");
    if (!isOrdered) return;
    this.#orderFault = null;
    mark("fault", fault.kind);
    this.#isExpensiveForOrder = true;
    this.#later(fault.waitMs, () => {
      this.#isExpensiveForOrder = false;
    });
  }

  #later(delayMs: number, run: () => void): void {
    this.#underWay += 1;
    this.#world.loop.schedule(delayMs, () => {
      run();
      this.#underWay -= 1;
    });
  }

  /** Replaces all blocks from this number on with one block more. */
  #dropFrom(number: number, isForgotten: (hash: Hex) => boolean): void {
    const { chain, unixSeconds } = this.#world;
    const depth = chain.head.number - number + 1;
    if (depth < 1 || depth > DEPTH_MAX) return;
    this.#world.note(`the last ${depth} blocks are replaced`);
    chain.drop(depth, ({ hash }) => isForgotten(hash));
    for (let block = 0; block <= depth; block++) chain.mine(unixSeconds);
  }
}
