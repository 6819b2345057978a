import { randomUUID } from "node:crypto";
import { makeCall } from "../domain/calls.ts";
import { ArcadeError } from "../domain/errors.ts";
import { isoOf } from "../domain/time.ts";
import type {
  Address,
  ChainReader,
  ChainStore,
  ChainWriter,
  Clock,
  LedgerTransaction,
  Log,
  PayoutRow,
  PayoutStore,
  Readiness,
} from "../ports.ts";
import { asOfNow, finalityOf } from "./as-of.ts";

interface PayoutPorts {
  readonly store: PayoutStore;
  readonly chainStore: ChainStore;
  readonly chain: ChainReader;
  readonly writer: ChainWriter;
  readonly clock: Clock;
  readonly log: Log;
  readonly freshen: () => Promise<void>;
}

export type Payouts = ReturnType<typeof makePayouts>;

/** How long a payout request waits for its block before it answers 202. */
const INCLUSION_WAIT_MS = 10_000;

/** Readiness as the contract tells it, payouts through the operator's ledger, and their history. */
export function makePayouts({ store, chainStore, chain, writer, clock, log, freshen }: PayoutPorts) {
  const { chainId, rewards } = chain.deployment;
  const payoutCall = (wallet: Address) => makeCall(chainId, rewards, "payout", [wallet]);

  const nextEligibleAt = (readiness: Readiness): string | null =>
    readiness.nextPayoutAt === 0 ? null : isoOf(readiness.nextPayoutAt * 1000);

  function notReady(wallet: Address, readiness: Readiness): ArcadeError {
    const at = nextEligibleAt(readiness);
    const next =
      readiness.reasons.includes("COOLDOWN_ACTIVE") && at !== null
        ? `try again after ${at}`
        : "play on, or see /api/rewards/readiness";
    return new ArcadeError(
      "PAYOUT_NOT_READY",
      `${wallet} cannot be paid now (${readiness.reasons.join(", ")}); ${next}.`,
      {
        reasons: readiness.reasons,
        nextEligibleAt: at,
      },
    );
  }

  const viewOf = (row: PayoutRow) => ({
    payoutId: row.payoutId,
    status: row.status,
    txHash: row.txHash,
    amount: row.amount.toString(),
    score: Number(row.score),
  });

  /** Brings a payout's row in step with its transaction. */
  async function settle(row: PayoutRow, transaction: LedgerTransaction): Promise<PayoutRow> {
    const change: {
      status: PayoutRow["status"];
      transactionId: string;
      txHash: PayoutRow["txHash"];
      score?: bigint;
      amount?: bigint;
    } = {
      status: transaction.status === "queued" ? "pending" : transaction.status,
      transactionId: transaction.id,
      txHash: transaction.txHash,
    };
    if (transaction.status === "included" && transaction.txHash !== null) {
      const receipt = await chain.receipt(transaction.txHash);
      const paid = receipt?.events.find((event) => event.name === "Payout" && event.wallet === row.wallet);
      if (paid?.name === "Payout") Object.assign(change, { score: paid.score, amount: paid.amount });
    }
    await store.update(row.payoutId, change);
    return { ...row, ...change };
  }

  /** Sends an open payout (again: the ledger answers the same transaction) and waits for its block. */
  async function execute(row: PayoutRow, waitMs: number): Promise<PayoutRow> {
    try {
      const { to, data } = payoutCall(row.wallet);
      const sent = await writer.submit({ kind: "payout", key: row.payoutId, to, data });
      return await settle(row, await writer.settled(sent.id, waitMs));
    } catch (fault) {
      if (!(fault instanceof ArcadeError && fault.code === "TX_FAILED")) throw fault;
      // The contract says no before anything was sent: nothing is open any more.
      await store.update(row.payoutId, { status: "failed" });
      throw notReady(row.wallet, await chain.readiness(row.wallet));
    }
  }

  return {
    async readiness(wallet: Address) {
      const [readiness, open, token] = await Promise.all([
        chain.readiness(wallet),
        store.findOpen(wallet),
        chain.token(),
      ]);
      const reasons = [...readiness.reasons, ...(open === null ? [] : ["PAYOUT_PENDING" as const])];
      return {
        ready: readiness.ready && open === null,
        reasons,
        scorebank: Number(readiness.scorebank),
        amount: readiness.amount.toString(),
        token,
        nextEligibleAt: nextEligibleAt(readiness),
        caps: {
          dailyRemaining: readiness.caps.dailyRemaining.toString(),
          weeklyRemaining: readiness.caps.weeklyRemaining.toString(),
          float: readiness.caps.float.toString(),
        },
        asOf: await asOfNow(chain, readiness.asOf),
      };
    },

    /** The unsigned call for a wallet that pays its own gas. */
    async selfCall(wallet: Address) {
      const readiness = await chain.readiness(wallet);
      if (!readiness.ready) throw notReady(wallet, readiness);
      return {
        mode: "self" as const,
        call: payoutCall(wallet),
        amount: readiness.amount.toString(),
        score: Number(readiness.scorebank),
      };
    },

    /** Pays through the operator. A second call while one is open answers the same payout. */
    async relay(wallet: Address, slug: string | null) {
      const earlier = await store.findOpen(wallet);
      if (earlier !== null) return viewOf(await execute(earlier, INCLUSION_WAIT_MS));
      const readiness = await chain.readiness(wallet);
      if (!readiness.ready) throw notReady(wallet, readiness);
      const { payout } = await store.open({
        payoutId: randomUUID(),
        wallet,
        slug,
        status: "pending",
        transactionId: null,
        txHash: null,
        score: readiness.scorebank,
        amount: readiness.amount,
        createdAtMs: clock.nowMs(),
      });
      const paid = await execute(payout, INCLUSION_WAIT_MS);
      await freshen();
      return viewOf(paid);
    },

    async status(wallet: Address, payoutId: string) {
      const row = await store.find(payoutId);
      if (row === null || row.wallet !== wallet)
        throw new ArcadeError("NOT_FOUND", `There is no payout ${payoutId} of ${wallet}.`);
      const open = row.status === "pending" || row.status === "sent";
      if (!open) return viewOf(row);
      try {
        return viewOf(await execute(row, 0));
      } catch (fault) {
        // Where a payout stands can always be told: failed just now, or as it was known before the chain went away.
        if (fault instanceof ArcadeError && (fault.code === "PAYOUT_NOT_READY" || fault.code === "CHAIN_UNAVAILABLE"))
          return viewOf((await store.find(payoutId)) ?? row);
        throw fault;
      }
    },

    async history(wallet: Address, slug: string | null, page: { readonly page: number; readonly limit: number }) {
      await freshen();
      const [{ items, total }, token, finality] = await Promise.all([
        chainStore.payouts(wallet, slug, page),
        chain.token(),
        chain.finality(),
      ]);
      const entries = items.map((entry) => ({
        payoutId: entry.payoutId,
        txHash: entry.txHash,
        block: entry.block,
        at: isoOf(entry.at * 1000),
        score: Number(slug === null ? entry.score : (entry.byGame[slug] ?? 0n)),
        amount: entry.amount.toString(),
        token,
        finality: finalityOf(entry.block, finality),
        byGame: Object.fromEntries(Object.entries(entry.byGame).map(([game, score]) => [game, Number(score)])),
      }));
      return { items: entries, entries, ...page, total };
    },

    /** At start: whatever was open when the last process ended goes on. */
    async resume(): Promise<number> {
      const open = await store.listOpen();
      for (const row of open) {
        await execute(row, 0).catch((fault: unknown) =>
          log.warn({ err: fault, payoutId: row.payoutId }, "an open payout could not go on yet"),
        );
      }
      return open.length;
    },
  };
}
