/**
 * Scorebank and payout history, read from the events. A payout may pay a portion of the bank, so points are attributed
 * to games first in, first out: the oldest snapshots are paid first.
 */
import { type RawBuilder, sql } from "kysely";
import type { ChainEventRow, PayoutEntry, ScorebankView } from "../../../ports/store/chain.ts";
import type { PageQuery } from "../../../ports/types.ts";
import { IS_SNAPSHOT } from "../conditions.ts";
import { packUint, unpackUint } from "../numbers.ts";
import type { Db } from "../schema.ts";

type Wallet = ChainEventRow["wallet"];
type ByGame = { readonly [slug: string]: bigint };
interface BankEvent {
  readonly name: ChainEventRow["name"];
  readonly slug: string | null;
  readonly score: string | null;
  readonly position: number;
}

const IS_PAYOUT: RawBuilder<boolean> = sql<boolean>`name = 'Payout'`;
/** A payout that left nothing in the bank. */
const LEAVES_NOTHING: RawBuilder<boolean> = sql<boolean>`coalesce(scorebank, ${packUint(0n)}) = ${packUint(0n)}`;

/** The unpaid snapshots of a wallet, oldest first. */
class Bank {
  readonly #unpaid: { readonly slug: string; points: bigint }[] = [];

  add(slug: string, points: bigint): void {
    this.#unpaid.push({ slug, points });
  }

  /** Takes `points` from the oldest snapshots and returns them by game. */
  take(points: bigint): ByGame {
    const taken: Record<string, bigint> = {};
    let left = points;
    while (left > 0n && this.#unpaid.length > 0) {
      const oldest = this.#unpaid[0]!;
      const part = oldest.points < left ? oldest.points : left;
      taken[oldest.slug] = (taken[oldest.slug] ?? 0n) + part;
      oldest.points -= part;
      left -= part;
      if (oldest.points === 0n) this.#unpaid.shift();
    }
    return taken;
  }

  get unpaidSnapshots(): number {
    return this.#unpaid.length;
  }

  byGame(): ByGame {
    const sums: Record<string, bigint> = {};
    for (const { slug, points } of this.#unpaid) sums[slug] = (sums[slug] ?? 0n) + points;
    return sums;
  }
}

/** Replays a wallet's events, which start where its bank was empty. Returns the bank and each payout's points by game. */
function replayBank(events: readonly BankEvent[]): {
  readonly bank: Bank;
  readonly paidByPosition: ReadonlyMap<number, ByGame>;
} {
  const bank = new Bank();
  const paidByPosition = new Map<number, ByGame>();
  for (const { name, slug, score, position } of events) {
    const points = unpackUint(score ?? "0");
    if (name === "Payout") paidByPosition.set(position, bank.take(points));
    else if (slug !== null) bank.add(slug, points);
  }
  return { bank, paidByPosition };
}

/** A wallet's snapshots and payouts in a range of positions, in order. Each kind has an index of its own. */
async function readBankEvents(
  db: Db,
  wallet: Wallet,
  { after, upTo }: { readonly after: number; readonly upTo: number },
): Promise<readonly BankEvent[]> {
  const select = (kind: RawBuilder<boolean>) =>
    db
      .selectFrom("chainEvents")
      .select(["name", "slug", "score", "position"])
      .where("wallet", "=", wallet)
      .where(kind)
      .where("position", ">", after)
      .where("position", "<=", upTo)
      .orderBy("position")
      .execute();
  const events = [...(await select(IS_SNAPSHOT)), ...(await select(IS_PAYOUT))];
  return events.sort((one, other) => one.position - other.position);
}

/** The wallet's bank. `lastSnapshotAt` is that of the last snapshot ever. */
export async function readScorebank(db: Db, wallet: Wallet): Promise<ScorebankView> {
  const selectNewest = (kind: RawBuilder<boolean>) =>
    db
      .selectFrom("chainEvents")
      .select(["position", "scorebank", "blockTime"])
      .where("wallet", "=", wallet)
      .where(kind)
      .orderBy("position", "desc")
      .limit(1);
  const snapshot = await selectNewest(IS_SNAPSHOT).executeTakeFirst();
  const payout = await selectNewest(IS_PAYOUT).executeTakeFirst();
  const emptied = await selectNewest(IS_PAYOUT).where(LEAVES_NOTHING).executeTakeFirst();
  const newest = (payout?.position ?? -1) > (snapshot?.position ?? -1) ? payout : snapshot;
  const range = { after: emptied?.position ?? -1, upTo: newest?.position ?? -1 };
  const { bank } = replayBank(await readBankEvents(db, wallet, range));
  return {
    // The contract's own figure, not a sum of ours.
    score: unpackUint(newest?.scorebank ?? "0"),
    snapshots: bank.unpaidSnapshots,
    lastSnapshotAt: snapshot?.blockTime ?? null,
    byGame: bank.byGame(),
  };
}

/** A wallet's payouts, each with `emptied`: the position of the last payout before it that left nothing, or -1. */
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
 * holds only its share (0 where a portion paid older points of another game); `score` and `amount` are the whole payout's.
 */
export async function readPayouts(
  db: Db,
  wallet: Wallet,
  slug: string | null,
  { page, limit }: PageQuery,
): Promise<{ readonly items: readonly PayoutEntry[]; readonly total: number }> {
  const { total } = await selectPayouts(db, wallet, slug)
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const paid = await selectPayouts(db, wallet, slug)
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

  const events = await readBankEvents(db, wallet, { after: oldest.emptied, upTo: newest.position });
  const { paidByPosition } = replayBank(events);
  const items = paid.map((row) => {
    const byGame = paidByPosition.get(row.position) ?? {};
    return {
      payoutId: row.payoutId,
      txHash: row.txHash,
      block: row.block,
      at: row.blockTime,
      score: unpackUint(row.score ?? "0"),
      amount: unpackUint(row.amount ?? "0"),
      byGame: slug === null ? byGame : { [slug]: byGame[slug] ?? 0n },
    };
  });
  return { items, total: Number(total) };
}
