import type { PrivateKeyAccount } from "viem";
import { ArcadeError } from "../../../domain/errors.ts";
import type { Clock, LedgerTransaction, Log, TransactionRow, TransactionStore } from "../../../ports.ts";
import { listVersions, nextVersion, type Version } from "./fees.ts";
import type { Location, Sender } from "./sender.ts";

/** A nonce that somebody else used is believed after so many looks: a node may be a block behind. */
const FOREIGN_LOOKS = 3;
const TRANSFER_GAS = 21_000n;
/** Holes that are filled in one look. */
const FILL_MAX = 100;

export interface LedgerOptions {
  readonly account: PrivateKeyAccount;
  readonly sender: Sender;
  readonly store: TransactionStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Blocks on top of a transaction's before it leaves the list of those that are looked after. */
  readonly confirmations: number;
  /** After this time without a block a transaction is sent again at a higher price. */
  readonly stuckMs: number;
}

/** A row as services see it: it counts as included as soon as it is in a block. */
export const viewOf = (row: TransactionRow): LedgerTransaction => ({
  id: row.id,
  kind: row.kind,
  key: row.key,
  status: row.status === "sent" && row.block !== null ? "included" : row.status,
  txHash: row.txHash,
  block: row.block,
});

/** Brings the operator's open transactions and the chain together, one look at a time. */
export function createLedger({ account, sender, store, clock, log, confirmations, stuckMs }: LedgerOptions) {
  const foreignLooks = new Map<string, number>();

  /** Sends a row's bytes. What a node refuses for now stays queued and is tried at the next look. */
  async function broadcast(row: TransactionRow): Promise<TransactionRow> {
    const outcome = await sender.send(row.raw);
    if (outcome === "accepted") {
      const change = { status: "sent" as const, sentAtMs: row.sentAtMs ?? clock.nowMs() };
      await store.update(row.id, change);
      return { ...row, ...change };
    }
    log.warn({ transaction: row.id, nonce: row.nonce, outcome }, "the node did not take a transaction");
    if (outcome === "underpriced") return await bump(row);
    return row;
  }

  async function bump(row: TransactionRow): Promise<TransactionRow> {
    const { maxFeePerGas } = await sender.fees();
    const version = await nextVersion(account, row, maxFeePerGas);
    if (version === null) return row;
    const change = { raw: version.raw, txHash: version.txHash, status: "sent" as const, sentAtMs: clock.nowMs() };
    // Stored first: whatever reaches the chain is known here.
    await store.update(row.id, change);
    await sender.send(version.raw);
    return { ...row, ...change };
  }

  /** The version of a transaction that the chain knows, looked up from the dearest down. */
  async function locate(row: TransactionRow): Promise<{ readonly version: Version | null; readonly at: Location }> {
    const at = await sender.locate(row.txHash);
    if (at !== null && at !== "known") return { version: null, at };
    const versions = (await listVersions(account, row)).filter(({ txHash }) => txHash !== row.txHash);
    for (const version of versions.reverse()) {
      const found = await sender.locate(version.txHash);
      if (found !== null && found !== "known") return { version, at: found };
    }
    return { version: null, at };
  }

  /** The nonce went to a transaction that is not ours: the same call gets a new one, if it still makes sense. */
  async function renew(row: TransactionRow): Promise<void> {
    const looks = (foreignLooks.get(row.id) ?? 0) + 1;
    foreignLooks.set(row.id, looks);
    if (looks < FOREIGN_LOOKS) return;
    foreignLooks.delete(row.id);
    try {
      const plan = await sender.plan(row);
      const nonce = Math.max(plan.minedCount, ((await store.lastNonce(account.address)) ?? -1) + 1);
      const signed = await sender.sign(row, nonce, plan);
      log.warn({ transaction: row.id, from: row.nonce, to: nonce }, "a nonce was used by another transaction");
      const change = { ...signed, nonce, status: "queued" as const, block: null, sentAtMs: null };
      await store.update(row.id, change);
      await broadcast({ ...row, ...change });
    } catch (error) {
      if (!(error instanceof ArcadeError && error.code === "TX_FAILED")) throw error;
      await store.update(row.id, { status: "failed" });
    }
  }

  async function lookAt(row: TransactionRow, minedCount: number, head: number, isFirst: boolean): Promise<void> {
    const { version, at } = await locate(row);
    if (at !== null && at !== "known") {
      const isDeep = head - at.block >= confirmations;
      const status = !at.ok ? "failed" : isDeep ? "included" : "sent";
      const hash = version === null ? {} : { raw: version.raw, txHash: version.txHash };
      if (row.status !== status || row.block !== at.block)
        await store.update(row.id, { status, block: at.block, ...hash });
      foreignLooks.delete(row.id);
      return;
    }
    if (row.block !== null) {
      log.info({ transaction: row.id, block: row.block }, "a transaction lost its block; sending it again");
      await store.update(row.id, { block: null });
    }
    if (row.nonce < minedCount) return await renew({ ...row, block: null });
    foreignLooks.delete(row.id);
    const isStuck = isFirst && row.sentAtMs !== null && clock.nowMs() - row.sentAtMs >= stuckMs;
    if (at === null) await broadcast({ ...row, block: null });
    else if (isStuck) await bump(row);
    else if (row.status === "queued") await store.update(row.id, { status: "sent", sentAtMs: clock.nowMs() });
  }

  /** Nonces below the first waiting transaction that nobody uses would hold it for ever: empty transfers use them. */
  async function fillGap(firstOpen: number, minedCount: number): Promise<void> {
    if (firstOpen <= minedCount || (await sender.pendingCount()) > minedCount) return;
    const last = Math.min(firstOpen, minedCount + FILL_MAX);
    log.warn({ from: minedCount, to: last - 1 }, "filling a gap in the operator's nonces");
    const fees = await sender.fees();
    for (let nonce = minedCount; nonce < last; nonce++) {
      const empty = { to: account.address, data: "0x" as const };
      const { raw } = await sender.sign(empty, nonce, { ...fees, gas: TRANSFER_GAS });
      await sender.send(raw);
    }
  }

  return {
    broadcast,
    /** One look at everything open. Answers how many rows wait for a block and how many for more confirmations. */
    look: async (): Promise<{ readonly waiting: number; readonly young: number }> => {
      const rows = await store.listOpen(account.address);
      if (rows.length === 0) return { waiting: 0, young: 0 };
      const [minedCount, head] = await Promise.all([sender.minedCount(), sender.head()]);
      const first = rows.find((row) => row.nonce >= minedCount);
      for (const row of rows) await lookAt(row, minedCount, head, row === first);
      if (first !== undefined) await fillGap(first.nonce, minedCount);
      const left = await store.listOpen(account.address);
      const young = left.filter((row) => row.block !== null).length;
      return { waiting: left.length - young, young };
    },
  };
}

export type Ledger = ReturnType<typeof createLedger>;
