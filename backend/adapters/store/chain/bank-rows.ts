/**
 * A wallet's bank after each event that changes it, so that reading it takes one row. A reorganization removes the rows
 * together with their events. A payout may pay a portion of the bank, so points are attributed to games first in, first
 * out: the oldest snapshots are paid first. Voided points leave the bank in the same order; restored ones belong to no
 * game.
 */
import type { Kysely } from "kysely";
import type { ChainEventRow } from "../../../ports/store/chain.ts";
import { BATCH_ROWS } from "../batches.ts";
import { IS_BANK_EVENT, IS_SNAPSHOT } from "../conditions.ts";
import { defineInsert } from "../insert.ts";
import { packUint, unpackUint } from "../numbers.ts";
import type { BankTable, ChainEventTable, Db, Schema } from "../schema.ts";
import { defineStatement } from "../statement.ts";

type Wallet = ChainEventRow["wallet"];
export type ByGame = { readonly [slug: string]: bigint };

/** The number of events read at once; a page is small compared to a process's memory. */
const PAGE_EVENTS = 20 * BATCH_ROWS;

const EVENT_COLUMNS = ["block", "blockTime", "position", "name", "wallet", "slug", "score", "scorebank"] as const;
type BankEvent = Pick<ChainEventTable, (typeof EVENT_COLUMNS)[number]>;

const packByGame = (byGame: ByGame): string =>
  JSON.stringify(Object.fromEntries(Object.entries(byGame).map(([slug, points]) => [slug, points.toString()])));

/** Points by game, from a row's JSON. */
export const unpackByGame = (json: string): ByGame =>
  Object.fromEntries(
    Object.entries(JSON.parse(json) as Record<string, string>).map(([slug, text]) => [slug, BigInt(text)]),
  );

const addPoints = (byGame: ByGame, slug: string, points: bigint): ByGame => ({
  ...byGame,
  [slug]: (byGame[slug] ?? 0n) + points,
});

/** The sums minus those of `paid`; games without points are left out. */
function subtract(byGame: ByGame, paid: ByGame): ByGame {
  const left = Object.entries(byGame).map(([slug, points]) => [slug, points - (paid[slug] ?? 0n)] as const);
  return Object.fromEntries(left.filter(([, points]) => points > 0n));
}

/** The events that take points out of a bank. */
export const TAKING: ReadonlySet<string> = new Set(["Payout", "PointsVoided"]);

const EMPTY = { snapshots: 0, byGame: "{}", oldestPosition: null, oldestPoints: null } as const;

/** Adds a snapshot, or restored points, to the bank. Points without a game count only in the contract's figure. */
function givePoints(before: BankTable | undefined, event: BankEvent): BankTable {
  const { block, blockTime, position, name, wallet, slug, score, scorebank } = event;
  const place = { wallet, position, block, score: scorebank ?? packUint(0n) };
  const lastSnapshotAt = name === "ScoreSnapshot" ? blockTime : (before?.lastSnapshotAt ?? null);
  const bank = { ...EMPTY, ...before, ...place, lastSnapshotAt, paidByGame: null };
  if (slug === null) return bank;
  const points = unpackUint(score ?? "0");
  const oldest = bank.oldestPosition === null ? { oldestPosition: position, oldestPoints: packUint(points) } : {};
  const byGame = packByGame(addPoints(unpackByGame(bank.byGame), slug, points));
  return { ...bank, snapshots: bank.snapshots + 1, byGame, ...oldest };
}

/** The unpaid snapshots of a bank before a position, oldest first, each with its remaining points. */
async function* readUnpaid(db: Db, { wallet, oldestPosition, oldestPoints }: BankTable, before: number) {
  let from = oldestPosition;
  while (from !== null) {
    const snapshots: readonly BankEvent[] = await db
      .selectFrom("chainEvents")
      .select(EVENT_COLUMNS)
      .where("wallet", "=", wallet)
      .where(IS_SNAPSHOT)
      .where("slug", "is not", null)
      .where("position", ">=", from)
      .where("position", "<", before)
      .orderBy("position")
      .limit(BATCH_ROWS)
      .execute();
    for (const { position, slug, score } of snapshots) {
      const left = position === oldestPosition ? oldestPoints : score;
      yield { position, slug: slug!, left: unpackUint(left ?? "0") };
    }
    const last = snapshots.at(-1);
    from = last === undefined || snapshots.length < BATCH_ROWS ? null : last.position + 1;
  }
}

/**
 * The bank after the oldest snapshots have paid `points`. Each snapshot is read by the payout that takes its last
 * point.
 */
async function takeOldest(db: Db, bank: BankTable, points: bigint, before: number) {
  let unpaid = points;
  let { snapshots } = bank;
  let paid: ByGame = {};
  for await (const { position, slug, left } of readUnpaid(db, bank, before)) {
    // The next one is unpaid, even if it has no points.
    if (unpaid === 0n) return { paid, snapshots, oldestPosition: position, oldestPoints: packUint(left) };
    const part = left < unpaid ? left : unpaid;
    if (part > 0n) paid = addPoints(paid, slug, part);
    unpaid -= part;
    if (part < left) return { paid, snapshots, oldestPosition: position, oldestPoints: packUint(left - part) };
    snapshots -= 1;
  }
  return { paid, ...EMPTY };
}

/** The bank after a payout, or after points were voided. */
async function takePoints(db: Db, before: BankTable | undefined, event: BankEvent): Promise<BankTable> {
  const { block, position, wallet, score, scorebank } = event;
  const row = {
    wallet,
    position,
    block,
    score: scorebank ?? packUint(0n),
    lastSnapshotAt: before?.lastSnapshotAt ?? null,
  };
  if (before === undefined) return { ...row, ...EMPTY, paidByGame: "{}" };
  const byGame = unpackByGame(before.byGame);
  if (unpackUint(row.score) === 0n) return { ...row, ...EMPTY, paidByGame: before.byGame };
  const { paid, ...left } = await takeOldest(db, before, unpackUint(score ?? "0"), position);
  return { ...row, ...left, byGame: packByGame(subtract(byGame, paid)), paidByGame: packByGame(paid) };
}

const selectEvents = defineStatement<{ readonly from: number; readonly limit: number }, BankEvent>(
  (db, { from, limit }) =>
    db
      .selectFrom("chainEvents")
      .select(EVENT_COLUMNS)
      .where("block", ">=", from)
      .where(IS_BANK_EVENT)
      .orderBy("block")
      .limit(limit),
);

/**
 * The events of whole blocks from a block on, in order, about `limit` of them; `next` is the first block after them.
 */
async function readBlocks(db: Db, from: number, limit: number) {
  const { rows: events } = await selectEvents(db, { from, limit });
  const next = events.length < limit ? null : events.at(-1)!.block;
  if (next === from) return await readBlocks(db, from, 2 * limit);
  const whole = next === null ? [...events] : events.filter(({ block }) => block < next);
  return { events: whole.sort((one, other) => one.position - other.position), next };
}

const deleteBanks = defineStatement<{ readonly fromBlock: number }, unknown>((db, { fromBlock }) =>
  db.deleteFrom("scorebanks").where("block", ">=", fromBlock),
);

const insertBanks = defineInsert("scorebanks");

/** Recomputes the rows from a block on from the stored events. */
export async function rebuildBanks(db: Db, fromBlock: number): Promise<void> {
  await deleteBanks(db, { fromBlock });
  const banks = new Map<Wallet, BankTable>();
  for (let from: number | null = fromBlock; from !== null; ) {
    const { events, next }: Awaited<ReturnType<typeof readBlocks>> = await readBlocks(db, from, PAGE_EVENTS);
    // A log that a faulty node returned twice must not stop the indexer: the audit finds it.
    const rows = new Map<string, BankTable>();
    for (const event of events) {
      const before = banks.get(event.wallet) ?? (await findBank(db, event.wallet));
      const row = TAKING.has(event.name) ? await takePoints(db, before, event) : givePoints(before, event);
      banks.set(event.wallet, row);
      rows.set(`${row.wallet} ${row.position}`, row);
    }
    await insertBanks(db, [...rows.values()]);
    from = next;
  }
}

const selectBank = defineStatement<Pick<BankTable, "wallet">, BankTable>((db, { wallet }) =>
  db.selectFrom("scorebanks").selectAll().where("wallet", "=", wallet).orderBy("position", "desc").limit(1),
);

/** The wallet's bank after its last event; undefined before its first one. */
export const findBank = async (db: Kysely<Schema>, wallet: Wallet): Promise<BankTable | undefined> =>
  (await selectBank(db, { wallet })).rows[0];
