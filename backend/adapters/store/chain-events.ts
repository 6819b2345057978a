/** The events of the contracts as the follower saw them, with the blocks they stand on. */
import { type InsertObject, sql } from "kysely";
import type { ChainEventRow, ChainStore } from "../../ports.ts";
import { readTotals, recountTotals } from "./chain-totals.ts";
import { IS_SNAPSHOT } from "./conditions.ts";
import type { Connection, Db } from "./connection.ts";
import { packOrNull, UINT64_DIGITS, unpackOrNull } from "./numbers.ts";
import type { ChainEventTable, Schema } from "./schema.ts";
import { readPayouts, readScorebank } from "./scorebanks.ts";

/** More logs than any block's gas pays for. */
const LOGS_A_BLOCK = 1_000_000;
/** Rows a statement, far below SQLite's limit of 32,766 parameters. */
const BATCH = 500;

/** Orders events over blocks in one number: safe up to block 9 x 10^9. */
const positionOf = ({ block, logIndex }: Pick<ChainEventRow, "block" | "logIndex">): number => {
  const position = block * LOGS_A_BLOCK + logIndex;
  if (logIndex >= LOGS_A_BLOCK || !Number.isSafeInteger(position)) {
    throw new RangeError(`chain.append: block ${block} or log ${logIndex} is out of range`);
  }
  return position;
};

const toStored = (event: ChainEventRow): InsertObject<Schema, "chainEvents"> => ({
  ...event,
  position: positionOf(event),
  gameSessionHash: event.gameSessionHash === null ? null : (event.gameSessionHash.toLowerCase() as `0x${string}`),
  sequence: packOrNull(event.sequence, UINT64_DIGITS),
  tokenId: packOrNull(event.tokenId),
  score: packOrNull(event.score),
  scorebank: packOrNull(event.scorebank),
  amount: packOrNull(event.amount),
});

const toEvent = ({ position: _, ...row }: ChainEventTable): ChainEventRow => ({
  ...row,
  sequence: unpackOrNull(row.sequence),
  tokenId: unpackOrNull(row.tokenId),
  score: unpackOrNull(row.score),
  scorebank: unpackOrNull(row.scorebank),
  amount: unpackOrNull(row.amount),
});

const inBatches = function* <T>(items: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += BATCH) yield items.slice(start, start + BATCH);
};

async function append(db: Db, blocks: Parameters<ChainStore["append"]>[0], events: readonly ChainEventRow[]) {
  for (const batch of inBatches(blocks)) {
    const stored = await db
      .insertInto("blocks")
      .values([...batch])
      // Seen again is the same; another block of the same number means that `rewind` was forgotten.
      .onConflict((conflict) =>
        conflict
          .column("number")
          .doUpdateSet((eb) => ({ hash: eb.ref("excluded.hash") }))
          .whereRef("blocks.hash", "=", "excluded.hash"),
      )
      .executeTakeFirstOrThrow();
    if (stored.numInsertedOrUpdatedRows !== BigInt(batch.length)) {
      throw new Error(`chain.append: a block from ${batch[0]?.number} on is stored with another hash; rewind first`);
    }
  }
  for (const batch of inBatches(events)) {
    await db
      .insertInto("chainEvents")
      .values(batch.map(toStored))
      .onConflict((conflict) => conflict.columns(["txHash", "logIndex", "blockHash"]).doNothing())
      .execute();
  }
  if (events.length > 0) await recountTotals(db, Math.min(...events.map(({ block }) => block)));
}

export function makeChainStore({ read, write }: Connection): ChainStore {
  return {
    cursor: () =>
      read(async (db) => {
        const query = db.selectFrom("blocks").selectAll().orderBy("number", "desc").limit(1);
        return (await query.executeTakeFirst()) ?? null;
      }),

    blockAt: (number) =>
      read(
        async (db) =>
          (await db.selectFrom("blocks").selectAll().where("number", "=", number).executeTakeFirst()) ?? null,
      ),

    append: (blocks, events) => write((db) => append(db, blocks, events)),

    rewind: (number) =>
      write(async (db) => {
        await db.deleteFrom("chainEvents").where("block", ">", number).execute();
        await db.deleteFrom("chainTotals").where("block", ">", number).execute();
        await db.deleteFrom("blocks").where("number", ">", number).execute();
      }),

    scorebank: (wallet) => read((db) => readScorebank(db, wallet)),
    totals: (query) => read((db) => readTotals(db, query)),
    payouts: (wallet, slug, page) => read((db) => readPayouts(db, wallet, slug, page)),

    snapshotOf: (wallet, gameSessionHash) =>
      read(async (db) => {
        const query = db.selectFrom("chainEvents").selectAll().where(IS_SNAPSHOT);
        const row = await query
          .where("gameSessionHash", "=", gameSessionHash.toLowerCase() as never)
          .where("wallet", "=", wallet)
          .executeTakeFirst();
        return row === undefined ? null : toEvent(row);
      }),

    nftEvents: (slug, tokenId) =>
      read(async (db) => {
        const rows = await db
          .selectFrom("chainEvents")
          .selectAll()
          .where("slug", "=", slug)
          .where("tokenId", "=", packOrNull(tokenId))
          .where(sql<boolean>`name in ('GameNftMinted', 'GameNftUpgraded')`)
          .orderBy("position", "desc")
          .execute();
        return rows.map(toEvent);
      }),
  };
}
