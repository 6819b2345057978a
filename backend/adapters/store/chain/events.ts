/** The indexed events of the contracts, with their blocks. */
import { type Kysely, sql } from "kysely";
import type { BlockRef, ChainEventRow, ChainStore } from "../../../ports/store/chain.ts";
import { splitIntoBatches } from "../batches.ts";
import type { Connection } from "../connection.ts";
import { publish } from "../facts.ts";
import { defineInsert } from "../insert.ts";
import { packOrNull, UINT64_DIGITS, unpackOrNull } from "../numbers.ts";
import { toFirst } from "../queries.ts";
import type { ChainEventTable, Db, Schema } from "../schema.ts";
import { defineStatement } from "../statement.ts";
import { rebuildBanks } from "./bank-rows.ts";
import { readPayouts, readScorebank } from "./scorebanks.ts";
import { readTotals, rebuildTotals } from "./totals.ts";

/** More logs than the gas of any block allows. */
const LOGS_PER_BLOCK_MAX = 1_000_000;

/** One number that orders events over blocks: a safe integer up to block 9 x 10^9. */
const toPosition = ({ block, logIndex }: Pick<ChainEventRow, "block" | "logIndex">): number => {
  const position = block * LOGS_PER_BLOCK_MAX + logIndex;
  if (logIndex >= LOGS_PER_BLOCK_MAX || !Number.isSafeInteger(position)) {
    throw new RangeError(`chain.append: block ${block} or log ${logIndex} is out of range`);
  }
  return position;
};

const toStored = (event: ChainEventRow): ChainEventTable => ({
  ...event,
  position: toPosition(event),
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

/** Runs at each poll of the chain. */
const selectCursor = defineStatement<object, BlockRef>((db) =>
  db.selectFrom("blocks").selectAll().orderBy("number", "desc").limit(1),
);

const selectFirstBlock = defineStatement<object, BlockRef>((db) =>
  db.selectFrom("blocks").selectAll().orderBy("number").limit(1),
);

/** A reorganization rewinds to one of these blocks; no chain reverts more. */
const KEPT_BLOCKS = 100_000;
/** One of this many older blocks is kept: rereading the chain from a block starts at one of these. */
const KEPT_ONE_IN = 10_000;
/** Old blocks are removed after every so many new ones, at most twice as many at once. */
const FORGOTTEN_EACH = 1_000;

const selectLastBlock = defineStatement<{ readonly upTo: number }, BlockRef>((db, { upTo }) =>
  db.selectFrom("blocks").selectAll().where("number", "<=", upTo).orderBy("number", "desc").limit(1),
);

const selectBlock = defineStatement<Pick<BlockRef, "number">, BlockRef>((db, { number }) =>
  db.selectFrom("blocks").selectAll().where("number", "=", number),
);

type EventKey = Pick<ChainEventRow, "blockHash" | "logIndex">;

const selectEventKeys = defineStatement<{ readonly from: number; readonly to: number }, EventKey>((db, { from, to }) =>
  db.selectFrom("chainEvents").select(["blockHash", "logIndex"]).where("block", ">=", from).where("block", "<=", to),
);

const insertBlocks = (db: Kysely<Schema>, blocks: readonly BlockRef[]) =>
  db
    .insertInto("blocks")
    .values([...blocks])
    // The same block is accepted again; another block with its number means that `rewind` was not called.
    .onConflict((conflict) =>
      conflict
        .column("number")
        .doUpdateSet((eb) => ({ hash: eb.ref("excluded.hash") }))
        .whereRef("blocks.hash", "=", "excluded.hash"),
    );

/** Most ranges are one block long. */
const insertBlock = defineStatement<BlockRef, unknown>((db, { number, hash }) => insertBlocks(db, [{ number, hash }]));

const insertEvents = defineInsert("chainEvents", (conflict) =>
  conflict.columns(["txHash", "logIndex", "blockHash"]).doNothing(),
);

const findCursor = async (db: Kysely<Schema>): Promise<BlockRef | null> => (await selectCursor(db, {})).rows[0] ?? null;

async function forgetOldBlocks(db: Db, blocks: readonly BlockRef[]): Promise<void> {
  if (blocks.length === 0) return;
  const [first, last] = [blocks[0]!.number, blocks.at(-1)!.number];
  if (Math.floor(last / FORGOTTEN_EACH) === Math.floor((first - 1) / FORGOTTEN_EACH)) return;
  const old = sql`select number from blocks where number <= ${last - KEPT_BLOCKS} and number % ${KEPT_ONE_IN} <> 0
    order by number limit ${2 * FORGOTTEN_EACH}`;
  await db.deleteFrom("blocks").where(sql<boolean>`number in (${old})`).execute();
}

async function append(
  db: Db,
  ...[blocks, events, expectedCursor]: Parameters<ChainStore["append"]>
): ReturnType<ChainStore["append"]> {
  if (expectedCursor !== undefined && (await findCursor(db))?.hash !== expectedCursor?.hash) return false;
  for (const batch of splitIntoBatches(blocks)) {
    const [first] = batch;
    const stored = batch.length === 1 ? insertBlock(db, first!) : db.executeQuery(insertBlocks(db, batch));
    if ((await stored).numAffectedRows !== BigInt(batch.length)) {
      throw new Error(`chain.append: a block from ${first?.number} on is stored with another hash; rewind first`);
    }
  }
  await forgetOldBlocks(db, blocks);
  if (events.length > 0) {
    publish(db, "runs");
    await insertEvents(db, events.map(toStored));
    const first = Math.min(...events.map(({ block }) => block));
    // safeguard: rebuild-totals
    await rebuildTotals(db, first);
    // safeguard: rebuild-scorebanks
    await rebuildBanks(db, first);
  }
  return true;
}

export function createChainStore({ read, readOne, writeApart }: Connection): ChainStore {
  return {
    getCursor: () => readOne(findCursor),

    getFirstBlock: () => readOne(async (db) => (await selectFirstBlock(db, {})).rows[0] ?? null),

    findBlock: (number) => readOne(async (db) => (await selectBlock(db, { number })).rows[0] ?? null),

    findLastBlock: (upTo) => readOne(async (db) => (await selectLastBlock(db, { upTo })).rows[0] ?? null),

    // Triggers on the events update sessions (0023-pending-scores.ts), whose rows other nodes write as well.
    append: (...range) => writeApart((db) => append(db, ...range)),

    listEventKeys: (from, to) => readOne(async (db) => (await selectEventKeys(db, { from, to })).rows),

    rewind: (number, expectedCursor) =>
      writeApart(async (db) => {
        const cursor = await findCursor(db);
        if (expectedCursor !== undefined && cursor?.hash !== expectedCursor?.hash) return cursor;
        publish(db, "runs");
        // safeguard: remove-dropped-events
        await db.deleteFrom("chainEvents").where("block", ">", number).execute();
        // safeguard: remove-dropped-totals
        await db.deleteFrom("chainTotals").where("block", ">", number).execute();
        // safeguard: remove-dropped-scorebanks
        await db.deleteFrom("scorebanks").where("block", ">", number).execute();
        // safeguard: remove-dropped-blocks
        await db.deleteFrom("blocks").where("number", ">", number).execute();
        return findCursor(db);
      }),

    getScorebank: (wallet) => readOne((db) => readScorebank(db, wallet)),
    getTotals: (query) => read((db) => readTotals(db, query)),
    listPayouts: (wallet, slug, page) => read((db) => readPayouts(db, wallet, slug, page)),

    findPayout: (wallet, txHash) =>
      readOne(async (db) => {
        const paid = db
          .selectFrom("chainEvents")
          .selectAll()
          .where("txHash", "=", txHash)
          .where("wallet", "=", wallet)
          .where("name", "=", "Payout");
        return toFirst(await paid.execute(), toEvent);
      }),
  };
}
