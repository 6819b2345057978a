import { randomUUID } from "node:crypto";
import { type Address, isHash } from "viem";
import { ArcadeError } from "../../../domain/errors.ts";
import type { ReadinessReason } from "../../../domain/rewards.ts";
import { type Finality, toFinality } from "../../../domain/session.ts";
import { toIso } from "../../../domain/time.ts";
import { createCall } from "../../../domain/typed-data/calls.ts";
import type { ChainFacts, ChainIndex, ChainReader, Readiness } from "../../ports/chain.ts";
import type { ChainEventRow, ChainStore, PayoutRow, PayoutStore } from "../../ports/store/chain.ts";
import type { Clock, Log } from "../../ports/system.ts";
import type { ChainWriter } from "../../ports/transactions.ts";
import type { PageQuery } from "../../ports/types.ts";
import { isStored, toAsOf } from "../chain-reads.ts";
import { PayoutSettlement } from "./payout-settlement.ts";

interface PayoutPorts {
  readonly store: PayoutStore;
  readonly chainStore: ChainStore;
  readonly chain: ChainReader;
  readonly facts: Pick<ChainFacts, "getReadiness" | "getPresentTime" | "getTokenInfo">;
  readonly index: ChainIndex;
  readonly writer: ChainWriter;
  readonly clock: Clock;
  readonly log: Log;
}

/** How long a payout request waits for its block before it is answered with 202. */
const INCLUSION_WAIT_MS = 10_000;

const toNextEligibleAt = ({ nextPayoutAt }: Readiness): string | null =>
  nextPayoutAt === 0 ? null : toIso(nextPayoutAt * 1000);

/** What a wallet can do if no cooldown runs. */
function getNextStep(reasons: readonly ReadinessReason[]): string {
  if (reasons.includes("IDENTITY_REQUIRED"))
    return "register an identity, or choose one that the wallet holds with setPrimaryIdentity";
  if (reasons.includes("DAILY_CAP")) return "today's cap leaves less than the minimum; try again after midnight UTC";
  if (reasons.includes("WEEKLY_CAP")) return "this week's cap leaves less than the minimum; try again on Monday UTC";
  return "play on, or see /api/rewards/readiness";
}

/** Seconds until then by the chain's clock, which may differ from the caller's. `now`: its unix seconds. */
const toEligibleInSeconds = ({ nextPayoutAt }: Readiness, now: number): number | null =>
  nextPayoutAt === 0 ? null : Math.max(0, nextPayoutAt - now);

function createNotReadyError(wallet: Address, readiness: Readiness, now: number): ArcadeError {
  const { reasons } = readiness;
  const nextEligibleAt = toNextEligibleAt(readiness);
  const eligibleInSeconds = toEligibleInSeconds(readiness, now);
  const isCoolingDown = reasons.includes("COOLDOWN_ACTIVE") || reasons.includes("IDENTITY_TOO_NEW");
  const next =
    isCoolingDown && eligibleInSeconds !== null
      ? `try again in ${Math.max(1, eligibleInSeconds)} s`
      : getNextStep(reasons);
  const message = `${wallet} cannot be paid now (${reasons.join(", ")}); ${next}.`;
  return new ArcadeError("PAYOUT_NOT_READY", message, { reasons, nextEligibleAt, eligibleInSeconds });
}

/** `finality`: of its transaction's block; null until there is one. */
const toPayoutView = (row: PayoutRow, finality: Finality | null) => ({
  payoutId: row.payoutId,
  status: row.status,
  txHash: row.txHash,
  finality,
  amount: row.amount.toString(),
  score: Number(row.score),
  points: Number(row.score),
  remainingPoints: Number(row.remaining),
});

/** A payout that the wallet sent itself, as indexed. */
const toSentPayoutView = ({ txHash, amount, score, scorebank }: ChainEventRow, finality: Finality) => ({
  payoutId: txHash,
  status: "included" as const,
  txHash,
  finality,
  amount: String(amount),
  score: Number(score),
  points: Number(score),
  remainingPoints: Number(scorebank),
});

/** Payouts: readiness as the contract decides it, payment through the operator's transactions, and the history. */
export class Payouts {
  readonly #ports: PayoutPorts;
  readonly #settlement: PayoutSettlement;

  constructor(ports: PayoutPorts) {
    this.#ports = ports;
    this.#settlement = new PayoutSettlement(ports);
  }

  /** Continues open payouts and follows their transactions in the background. */
  start(): void {
    this.#settlement.start();
  }

  /** Resolves when no payout is being followed in the background. */
  stop(): Promise<void> {
    return this.#settlement.stop();
  }

  /** Whether the wallet can be paid now, how much, and every reason against it. */
  async getReadiness(wallet: Address) {
    const { facts, store } = this.#ports;
    const [readiness, open, token] = await Promise.all([
      facts.getReadiness(wallet),
      store.findOpen(wallet),
      facts.getTokenInfo(),
    ]);
    const { caps } = readiness;
    return {
      ready: readiness.ready && open === null,
      reasons: [...readiness.reasons, ...(open === null ? [] : ["PAYOUT_PENDING" as const])],
      scorebank: Number(readiness.scorebank),
      amount: readiness.amount.toString(),
      points: Number(readiness.points),
      remainingPoints: Number(readiness.scorebank - readiness.points),
      token,
      nextEligibleAt: toNextEligibleAt(readiness),
      eligibleInSeconds: toEligibleInSeconds(readiness, facts.getPresentTime()),
      caps: {
        dailyRemaining: caps.dailyRemaining.toString(),
        weeklyRemaining: caps.weeklyRemaining.toString(),
        float: caps.float.toString(),
      },
      asOf: toAsOf(this.#ports.index, readiness.asOf),
    };
  }

  /** The unsigned call for a wallet that pays its own gas. It pays the returned amount or reverts. */
  async prepareSelfCall(wallet: Address) {
    const readiness = await this.#requireReadiness(wallet);
    const { chainId, rewards } = this.#ports.chain.deployment;
    const amount = readiness.amount.toString();
    return {
      mode: "self" as const,
      call: createCall(chainId, rewards, "payoutAtLeast", [wallet, amount]),
      amount,
      score: Number(readiness.points),
      points: Number(readiness.points),
      remainingPoints: Number(readiness.scorebank - readiness.points),
    };
  }

  /**
   * Pays through the operator. Returns the payout that is open on chain, or that another request of the wallet is
   * making, but never an earlier, included one.
   */
  async relay(wallet: Address, slug: string | null) {
    const { store, chain, index, clock } = this.#ports;
    // Read first: if a reorganization changed the bank, the payout that it undid is found afterwards.
    const readiness = await chain.getReadiness(wallet);
    // safeguard: resume-open-payout
    const existing = await this.#findOpen(wallet);
    if (existing === null && !readiness.ready) throw this.#createNotReadyError(wallet, readiness);
    const payout =
      existing ??
      (await store.open({
        payoutId: randomUUID(),
        wallet,
        slug,
        status: "pending",
        transactionId: null,
        txHash: null,
        score: readiness.points,
        amount: readiness.amount,
        remaining: readiness.scorebank - readiness.points,
        createdAtMs: clock.nowMs(),
        settledAtMs: null,
        reopenedAtMs: null,
      }));
    const paid = await this.#execute(payout);
    await index.waitForHead();
    return await this.#toView(paid);
  }

  /** A payout that the wallet sent itself has its transaction's hash as its id. */
  async getStatus(wallet: Address, payoutId: string) {
    const { store, chainStore, index } = this.#ports;
    const row = await store.find(payoutId);
    if (row !== null && row.wallet === wallet) return await this.#toView(row);
    const sent = isHash(payoutId) ? await chainStore.findPayout(wallet, payoutId) : null;
    if (sent !== null) return toSentPayoutView(sent, toFinality(sent.block, index.getFinality()));
    throw new ArcadeError("NOT_FOUND", `There is no payout ${payoutId} of ${wallet}.`);
  }

  /** The wallet's payouts on chain, newest first; with `slug` only the points of that game. */
  async listHistory(wallet: Address, slug: string | null, page: PageQuery) {
    const { facts, chainStore, index } = this.#ports;
    const finality = index.getFinality();
    const [{ items, total }, token] = await Promise.all([
      chainStore.listPayouts(wallet, slug, page),
      facts.getTokenInfo(),
    ]);
    const entries = items.map((entry) => ({
      payoutId: entry.payoutId ?? entry.txHash,
      txHash: entry.txHash,
      block: entry.block,
      at: toIso(entry.at * 1000),
      score: Number(slug === null ? entry.score : (entry.byGame[slug] ?? 0n)),
      amount: entry.amount.toString(),
      token,
      finality: toFinality(entry.block, finality),
      byGame: Object.fromEntries(Object.entries(entry.byGame).map(([game, score]) => [game, Number(score)])),
    }));
    return { items: entries, ...page, total };
  }

  async #toView(row: PayoutRow) {
    const { writer, index } = this.#ports;
    const transaction = row.transactionId === null ? null : await writer.find(row.transactionId);
    const block = transaction?.block ?? null;
    // A payout counts as included once every read shows it.
    if (row.status === "included" && !isStored(index, block)) return toPayoutView({ ...row, status: "sent" }, null);
    return toPayoutView(row, block === null ? null : toFinality(block, index.getFinality()));
  }

  /** The wallet's open payout as the chain has it now: a reorganization may have opened an included one again. */
  async #findOpen(wallet: Address): Promise<PayoutRow | null> {
    for (const row of await this.#ports.store.listUnsettled(wallet)) {
      const { status } = await this.#settlement.refresh(row);
      if (status === "pending" || status === "sent") break;
    }
    return await this.#ports.store.findOpen(wallet);
  }

  async #requireReadiness(wallet: Address): Promise<Readiness> {
    const readiness = await this.#ports.chain.getReadiness(wallet);
    if (!readiness.ready) throw this.#createNotReadyError(wallet, readiness);
    return readiness;
  }

  #createNotReadyError(wallet: Address, readiness: Readiness): ArcadeError {
    return createNotReadyError(wallet, readiness, this.#ports.facts.getPresentTime());
  }

  /** Submits an open payout and waits for its block. Throws `PAYOUT_NOT_READY` if the contract rejects it now. */
  async #execute(row: PayoutRow): Promise<PayoutRow> {
    try {
      return await this.#settlement.execute(row, INCLUSION_WAIT_MS);
    } catch (error) {
      // The payout is stored and continues in the background; this request need not wait longer.
      if (error instanceof ArcadeError && (error.code === "CHAIN_UNAVAILABLE" || error.code === "SIGNER_UNAVAILABLE"))
        return (await this.#ports.store.find(row.payoutId)) ?? row;
      if (!(error instanceof ArcadeError && error.code === "TX_FAILED")) throw error;
      throw this.#createNotReadyError(row.wallet, await this.#ports.chain.getReadiness(row.wallet));
    }
  }
}
