/** The figures that the audit compares with the contracts', summed from the events themselves. */
import { sql } from "kysely";
import type { Address } from "viem";
import type { ChainAuditStore, WalletFigures } from "../../../ports/store/chain-audit.ts";
import { IS_REGISTRATION, IS_SUMMED_EVENT } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { unpackUint } from "../numbers.ts";
import { countRows } from "../queries.ts";
import type { Db } from "../schema.ts";
import { readPrimary } from "./identities.ts";
import { readTotals } from "./totals.ts";

async function listWallets(db: Db, after: Address | null, limit: number): Promise<readonly Address[]> {
  const select = (table: "chainEvents" | "sessions") =>
    db
      .selectFrom(table)
      .select("wallet")
      .distinct()
      .where("wallet", ">", after ?? ("" as Address))
      .orderBy("wallet")
      .limit(limit)
      .execute();
  const rows = [...(await select("chainEvents")), ...(await select("sessions"))];
  return [...new Set(rows.map(({ wallet }) => wallet!))].sort().slice(0, limit);
}

/** Points are far below 2^63, and the sum is a text so that no digit is lost. */
async function sumWallet(db: Db, wallet: Address, block: number): Promise<WalletFigures> {
  const rows = await db
    .selectFrom("chainEvents")
    .select(["name", sql<string>`cast(sum(cast(score as bigint)) as text)`.as("points")])
    .select((eb) => [
      eb.fn.countAll<number>().as("count"),
      eb.fn.min<number>("blockTime").as("firstAt"),
      eb.fn.max<number>("blockTime").as("lastAt"),
    ])
    .where("wallet", "=", wallet)
    .where("name", "in", ["ScoreSnapshot", "Payout"])
    .where("block", "<=", block)
    .groupBy("name")
    .execute();
  const snapshots = rows.find(({ name }) => name === "ScoreSnapshot");
  const payouts = rows.find(({ name }) => name === "Payout");
  return {
    wallet,
    snapshots: BigInt(snapshots?.count ?? 0),
    scorebank: BigInt(snapshots?.points ?? 0) - BigInt(payouts?.points ?? 0),
    firstPlayAt: BigInt(snapshots?.firstAt ?? 0),
    lastSnapshotAt: BigInt(snapshots?.lastAt ?? 0),
    lastPayoutAt: BigInt(payouts?.lastAt ?? 0),
    primaryIdentity: (await readPrimary(db, wallet, block)).agentId,
  };
}

/** Each event has the scorebank after it. */
async function findGap(db: Db, wallet: Address): Promise<number | null> {
  const events = await db
    .selectFrom("chainEvents")
    .select(["block", "name", "score", "scorebank"])
    .where("wallet", "=", wallet)
    .where(IS_SUMMED_EVENT)
    .orderBy("position")
    .execute();
  let bank = 0n;
  let block: number | null = null;
  for (const event of events) {
    const points = unpackUint(event.score ?? "0");
    const expected = event.name === "Payout" ? bank - points : bank + points;
    bank = unpackUint(event.scorebank ?? "0");
    if (bank !== expected) return block;
    block = event.block;
  }
  return block;
}

export function createChainAuditStore({ read }: Connection): ChainAuditStore {
  return {
    listWallets: (after, limit) => read((db) => listWallets(db, after, limit)),
    sumWallet: (wallet, block) => read((db) => sumWallet(db, wallet, block)),
    countIdentities: (block) =>
      read(async (db) => {
        const registrations = db.selectFrom("chainEvents").where(IS_REGISTRATION).where("block", "<=", block);
        return BigInt(await countRows(registrations));
      }),
    sumPaid: (block, sinceSeconds) => read(async (db) => (await readTotals(db, { block, sinceSeconds })).paidSince),
    findGap: (wallet) => read((db) => findGap(db, wallet)),
  };
}
