/** Scorebank and payout history, read from the events and the banks after them. */
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { ChainEventRow, PayoutEntry, ScorebankView } from "../../../ports/store/chain.ts";
import type { Page, PageQuery } from "../../../ports/types.ts";
import { packUint, unpackUint } from "../numbers.ts";
import { readPage } from "../queries.ts";
import type { Db, Schema } from "../schema.ts";
import { findBank, unpackByGame } from "./bank-rows.ts";

type Wallet = ChainEventRow["wallet"];

const IS_PAYOUT: RawBuilder<boolean> = sql<boolean>`name = 'Payout'`;
/** A payout that emptied the bank. */
const LEAVES_NOTHING: RawBuilder<boolean> = sql<boolean>`coalesce(scorebank, ${packUint(0n)}) = ${packUint(0n)}`;

/** The wallet's bank. `lastSnapshotAt` is the time of the wallet's last snapshot ever. */
export async function readScorebank(db: Kysely<Schema>, wallet: Wallet): Promise<ScorebankView> {
  const bank = await findBank(db, wallet);
  if (bank === undefined) return { score: 0n, snapshots: 0, lastSnapshotAt: null, byGame: {} };
  const { score, snapshots, lastSnapshotAt, byGame } = bank;
  return { score: unpackUint(score), snapshots, lastSnapshotAt, byGame: unpackByGame(byGame) };
}

/** A wallet's payouts, each with `emptied`: the position of the last earlier payout that emptied the bank, or -1. */
const selectPayouts = (db: Db, wallet: Wallet, slug: string | null) => {
  const paid = db.selectFrom((eb) =>
    eb
      .selectFrom("chainEvents")
      .select(["txHash", "block", "blockTime", "score", "amount", "position"])
      .select(
        sql<number>`coalesce(max(case when ${LEAVES_NOTHING} then position end)
          over (order by position rows between unbounded preceding and 1 preceding), -1)`.as("emptied"),
      )
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
        .whereRef("share.position", ">", "paid.emptied")
        .whereRef("share.position", "<", "paid.position"),
    ),
  );
};

/**
 * The wallet's payouts, newest first. With a slug: those before which the bank held points of this game, and `byGame`
 * holds only its share (0 if a portion paid older points of another game); `score` and `amount` are the whole payout's.
 */
export async function readPayouts(
  db: Db,
  wallet: Wallet,
  slug: string | null,
  page: PageQuery,
): Promise<Page<PayoutEntry>> {
  const all = selectPayouts(db, wallet, slug);
  const sorted = all
    .selectAll("paid")
    .select((eb) => [
      eb
        .selectFrom("scorebanks")
        .select("scorebanks.paidByGame")
        .where("scorebanks.wallet", "=", wallet)
        .whereRef("scorebanks.position", "=", "paid.position")
        .as("paidByGame"),
      eb
        .selectFrom("payouts")
        .select("payouts.payoutId")
        .whereRef("payouts.txHash", "=", "paid.txHash")
        .where("payouts.wallet", "=", wallet)
        .limit(1)
        .as("payoutId"),
    ])
    .orderBy("paid.position", "desc");
  return await readPage(all, sorted, page, (row) => {
    const byGame = unpackByGame(row.paidByGame ?? "{}");
    return {
      payoutId: row.payoutId,
      txHash: row.txHash,
      block: row.block,
      at: row.blockTime,
      score: unpackUint(row.score!),
      amount: unpackUint(row.amount!),
      byGame: slug === null ? byGame : { [slug]: byGame[slug] ?? 0n },
    };
  });
}
