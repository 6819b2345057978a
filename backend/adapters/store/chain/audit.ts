/** The figures that the audit compares with the contracts', summed from the events themselves. */
import { sql } from "kysely";
import type { Address } from "viem";
import type { ChainAuditStore, WalletFigures } from "../../../ports/store/chain-audit.ts";
import { IS_BANK_EVENT, IS_REGISTRATION } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { unpackUint } from "../numbers.ts";
import { countRows } from "../queries.ts";
import type { Db } from "../schema.ts";
import { TAKING } from "./bank-rows.ts";
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

/** Points are far below 2^63. The sum is returned as text so that no digit is lost. */
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
    .where(IS_BANK_EVENT)
    .where("block", "<=", block)
    .groupBy("name")
    .execute();
  const snapshots = rows.find(({ name }) => name === "ScoreSnapshot");
  const payouts = rows.find(({ name }) => name === "Payout");
  return {
    wallet,
    snapshots: BigInt(snapshots?.count ?? 0),
    scorebank: rows.reduce(
      (sum, { name, points }) => (TAKING.has(name) ? sum - BigInt(points) : sum + BigInt(points)),
      0n,
    ),
    firstPlayAt: BigInt(snapshots?.firstAt ?? 0),
    lastSnapshotAt: BigInt(snapshots?.lastAt ?? 0),
    lastPayoutAt: BigInt(payouts?.lastAt ?? 0),
    primaryIdentity: (await readPrimary(db, wallet, block)).agentId,
  };
}

/** Uses the scorebank that each event contains. */
async function findGap(db: Db, wallet: Address): Promise<number | null> {
  const events = await db
    .selectFrom("chainEvents")
    .select(["block", "name", "score", "scorebank"])
    .where("wallet", "=", wallet)
    .where(IS_BANK_EVENT)
    .orderBy("position")
    .execute();
  let bank = 0n;
  let block: number | null = null;
  for (const event of events) {
    const points = unpackUint(event.score!);
    const expected = TAKING.has(event.name) ? bank - points : bank + points;
    bank = unpackUint(event.scorebank!);
    if (bank !== expected) return block;
    block = event.block;
  }
  return block;
}

/** Sums of points by wallet and event: snapshots without a session, and points that were voided or restored. */
async function listForged(db: Db, sinceBlock: number) {
  const isForged = sql<boolean>`name = 'ScoreSnapshot' and not exists (select 1 from sessions as played
    where played.wallet = chain_events.wallet and played.game_session_hash = chain_events.game_session_hash
    and played.score = cast(chain_events.score as bigint))`;
  const rows = await db
    .selectFrom("chainEvents")
    .select(["wallet", "name", sql<string>`cast(sum(cast(score as bigint)) as text)`.as("points")])
    .where("block", ">=", sinceBlock)
    .where(sql<boolean>`name in ('PointsVoided', 'PointsRestored') or ${isForged}`)
    .groupBy(["wallet", "name"])
    .orderBy("wallet")
    .execute();
  const sums = new Map<Address, bigint>();
  for (const { wallet, name, points } of rows)
    sums.set(wallet, (sums.get(wallet) ?? 0n) + (TAKING.has(name) ? -BigInt(points) : BigInt(points)));
  const forged = new Set(rows.filter(({ name }) => name === "ScoreSnapshot").map(({ wallet }) => wallet));
  return [...sums]
    .filter(([wallet, points]) => forged.has(wallet) && points > 0n)
    .map(([wallet, points]) => ({ wallet, points }));
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
    listForged: (sinceBlock) => read((db) => listForged(db, sinceBlock)),
  };
}
