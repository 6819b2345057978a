/** Scorebank and payout history, read from the events: a payout empties the bank that the snapshots before it filled. */
import { type RawBuilder, sql } from "kysely";
import type { ChainEventRow, PayoutEntry, ScorebankView } from "../../ports.ts";
import { IS_SNAPSHOT } from "./conditions.ts";
import type { Db } from "./connection.ts";
import { unpackUint } from "./numbers.ts";

type Wallet = ChainEventRow["wallet"];
interface Scored {
  readonly slug: string | null;
  readonly score: string | null;
}

const IS_PAYOUT: RawBuilder<boolean> = sql<boolean>`name = 'Payout'`;

function sumByGame(snapshots: readonly Scored[]): { readonly [slug: string]: bigint } {
  const byGame: Record<string, bigint> = {};
  for (const { slug, score } of snapshots) {
    if (slug !== null && score !== null) byGame[slug] = (byGame[slug] ?? 0n) + unpackUint(score);
  }
  return byGame;
}

/** The wallet's bank since its last payout. `lastSnapshotAt` is that of the last snapshot ever. */
export async function readScorebank(db: Db, wallet: Wallet): Promise<ScorebankView> {
  const ofWallet = db.selectFrom("chainEvents").where("wallet", "=", wallet);
  const newest = { payout: ofWallet.where(IS_PAYOUT), snapshot: ofWallet.where(IS_SNAPSHOT) };
  const payout = await newest.payout.select("position").orderBy("position", "desc").limit(1).executeTakeFirst();
  const last = await newest.snapshot.selectAll().orderBy("position", "desc").limit(1).executeTakeFirst();
  const since = await newest.snapshot
    .select(["slug", "score"])
    .where("position", ">", payout?.position ?? -1)
    .execute();
  return {
    // The contract's own word, not our sum.
    score: since.length > 0 && last !== undefined ? unpackUint(last.scorebank ?? "0") : 0n,
    snapshots: since.length,
    lastSnapshotAt: last?.blockTime ?? null,
    byGame: sumByGame(since),
  };
}

/** A wallet's payouts with the position of the one before each. */
const selectPaid = (db: Db, wallet: Wallet, slug: string | null) => {
  const paid = db.selectFrom((eb) =>
    eb
      .selectFrom("chainEvents")
      .select(["txHash", "block", "blockTime", "score", "amount", "position"])
      .select(sql<number>`lag(position, 1, -1) over (order by position)`.as("previous"))
      .where("wallet", "=", wallet)
      .where(IS_PAYOUT)
      .as("paid"),
  );
  if (slug === null) return paid;
  return paid.where(({ exists, selectFrom }) =>
    exists(
      selectFrom("chainEvents as share")
        .select(sql.lit(1).as("one"))
        .where("share.wallet", "=", wallet)
        .where(sql<boolean>`share.name = 'ScoreSnapshot'`)
        .where("share.slug", "=", slug)
        .whereRef("share.position", ">", "paid.previous")
        .whereRef("share.position", "<", "paid.position"),
    ),
  );
};

/**
 * The wallet's payouts, newest first. With a slug: those in which this game has a share, and `byGame` holds that share
 * alone; `score` and `amount` stay the whole payout's.
 */
export async function readPayouts(
  db: Db,
  wallet: Wallet,
  slug: string | null,
  { page, limit }: { readonly page: number; readonly limit: number },
): Promise<{ readonly items: readonly PayoutEntry[]; readonly total: number }> {
  const { total } = await selectPaid(db, wallet, slug)
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const paid = await selectPaid(db, wallet, slug)
    .selectAll("paid")
    .select((eb) =>
      eb
        .selectFrom("payouts")
        .select("payouts.payoutId")
        .whereRef("payouts.txHash", "=", "paid.txHash")
        .where("payouts.wallet", "=", wallet)
        .limit(1)
        .as("payoutId"),
    )
    .orderBy("paid.position", "desc")
    .limit(limit)
    .offset((page - 1) * limit)
    .execute();
  const newest = paid.at(0);
  const oldest = paid.at(-1);
  if (newest === undefined || oldest === undefined) return { items: [], total: Number(total) };

  const snapshots = await db
    .selectFrom("chainEvents")
    .select(["slug", "score", "position"])
    .where("wallet", "=", wallet)
    .where(IS_SNAPSHOT)
    .where("position", ">", oldest.previous)
    .where("position", "<", newest.position)
    .$if(slug !== null, (query) => query.where("slug", "=", slug))
    .execute();
  const items = paid.map((row) => ({
    payoutId: row.payoutId,
    txHash: row.txHash,
    block: row.block,
    at: row.blockTime,
    score: unpackUint(row.score ?? "0"),
    amount: unpackUint(row.amount ?? "0"),
    byGame: sumByGame(snapshots.filter((it) => it.position > row.previous && it.position < row.position)),
  }));
  return { items, total: Number(total) };
}
