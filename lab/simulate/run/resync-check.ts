/** Checks, after a run, that the rows derived from the chain match those of a fresh resync. */
import { decodeLog, toEventRow } from "../../../backend/adapters/chain/events.ts";
import { createChainStore } from "../../../backend/adapters/store/chain/events.ts";
import { openConnection } from "../../../backend/adapters/store/connection.ts";
import { createSqliteDialect } from "../../../backend/adapters/store/sqlite.ts";
import type { Deployment } from "../../../backend/ports/chain.ts";
import type { BlockRef, ChainEventRow, ChainStore } from "../../../backend/ports/store/chain.ts";
import type { ModelBlock } from "../chain/chain.ts";
import { finishRealTurn } from "../world/event-loop.ts";
import type { RunDatabase } from "../world/run-database.ts";
import { mark } from "./coverage.ts";
import { Violation } from "./trace.ts";
import type { World } from "./world.ts";

/** What the indexer and triggers derive from the chain. Owners, identities and URIs are read from `chain_events`. */
const DERIVED = {
  chain_events: "select * from chain_events order by position, block_hash",
  chain_totals: "select * from chain_totals order by block",
  scorebanks: "select * from scorebanks order by wallet, position",
  sessions: "select session_id, is_on_chain from sessions order by session_id",
} as const;

const FORGET: readonly string[] = [
  ...["delete from chain_events", "delete from chain_totals", "delete from scorebanks", "delete from blocks"],
  "update sessions set is_on_chain = 0 where is_on_chain <> 0",
];

type Rows = ReadonlyMap<string, readonly string[]>;

function readRows(database: RunDatabase): Rows {
  const readTable = (sql: string): readonly string[] =>
    database
      .prepare(sql)
      .all()
      .map((row) => JSON.stringify(row));
  return new Map(Object.entries(DERIVED).map(([table, sql]) => [table, readTable(sql)]));
}

/** Runs of a stage begin with the same blocks. */
const eventsOfBlocks = new WeakMap<ModelBlock, readonly ChainEventRow[]>();

function listEvents(deployment: Deployment, block: ModelBlock): readonly ChainEventRow[] {
  const known = eventsOfBlocks.get(block);
  if (known !== undefined) return known;
  const { number, hash: blockHash, time: blockTime, transactions } = block;
  const rows = transactions.flatMap(({ hash: txHash, events, firstLogIndex }) =>
    events.flatMap(({ address, topics, data }, index) => {
      const event = decodeLog(deployment, { address, topics: [...topics], data });
      const place = { block: number, blockHash, blockTime, txHash, logIndex: firstLogIndex + index };
      return event === null ? [] : [toEventRow(event, place)];
    }),
  );
  eventsOfBlocks.set(block, rows);
  return rows;
}

/** Opening one takes longer than a resync. */
const stores = new WeakMap<RunDatabase, ChainStore>();

function findStore(database: RunDatabase): ChainStore {
  const known = stores.get(database);
  if (known !== undefined) return known;
  const dialect = createSqliteDialect(database.connect(() => 0));
  const store = createChainStore(openConnection(dialect, { busyWaitMs: 0 }));
  stores.set(database, store);
  return store;
}

function listEventsUntil({ chain, deployment }: World, last: BlockRef): readonly ChainEventRow[] {
  const blocks = chain.blocks.slice(deployment.startBlock, last.number + 1);
  return blocks.flatMap((block) => (block.transactions.length === 0 ? [] : listEvents(deployment, block)));
}

/** Replaces the run's stored chain data with the events up to a block. */
async function resync({ disk }: World, last: BlockRef, events: readonly ChainEventRow[]): Promise<void> {
  for (const sql of FORGET) disk.database.prepare(sql).run();
  await findStore(disk.database).append([last], events);
  // Modules that the next run shares count the service's turns of the event loop.
  await finishRealTurn();
}

/** Null if each row of a table exists before and after. */
function findDifference(stored: Rows, fresh: Rows): string | null {
  for (const [table, before] of stored) {
    const after = fresh.get(table)!;
    const superfluous = before.find((row) => !after.includes(row));
    if (superfluous !== undefined) return `${table} has ${superfluous}, and a fresh resync has not`;
    const missing = after.find((row) => !before.includes(row));
    if (missing !== undefined) return `${table} has not ${missing}, and a fresh resync has`;
  }
  return null;
}

/** Null if every stored block is on the chain. */
function findForeignBlock({ chain }: World, blocks: readonly BlockRef[]): string | null {
  const foreign = blocks.find(({ number, hash }) => chain.blocks[number]?.hash !== hash);
  return foreign === undefined ? null : `block ${foreign.number} is stored as ${foreign.hash}`;
}

const LAST_TOTALS = "select snapshots, payouts, paid from chain_totals order by block desc limit 1";
const LAST_BANKS =
  "select wallet, block, score from scorebanks as bank where position = (select max(position) from scorebanks where wallet = bank.wallet)";

/** Null if each wallet's last bank equals the model's after the wallet's last snapshot or payout. */
function findWrongBank({ disk, chain }: World, last: BlockRef, summed: readonly ChainEventRow[]): string | null {
  type Bank = { readonly wallet: string; readonly block: number; readonly score: string };
  const rows = disk.database.prepare(LAST_BANKS).all() as readonly Bank[];
  const banks = new Map(rows.map(({ wallet, block, score }) => [wallet, `${BigInt(score)} as of block ${block}`]));
  const { accounts } = chain.blocks[last.number]!.state;
  for (const { wallet, block } of new Map(summed.map((event) => [event.wallet, event])).values()) {
    const expected = `${accounts.get(wallet.toLowerCase())!.scorebank} as of block ${block}`;
    if (banks.get(wallet) !== expected)
      return `${wallet} has ${banks.get(wallet)} in scorebanks, and ${expected} on chain`;
  }
  return null;
}

/** Null if sums and banks equal the model's. A service that computed none would still match its resync. */
function findWrongSum(world: World, last: BlockRef, events: readonly ChainEventRow[]): string | null {
  const summed = events.filter(({ name }) => name === "ScoreSnapshot" || name === "Payout");
  const payouts = summed.filter(({ name }) => name === "Payout");
  const paid = payouts.reduce((sum, { amount }) => sum + amount!, 0n);
  type Totals = { readonly snapshots: number; readonly payouts: number; readonly paid: string };
  const totals = world.disk.database.prepare(LAST_TOTALS).get() as Totals | undefined;
  const stored = [totals?.snapshots ?? 0, totals?.payouts ?? 0, BigInt(totals?.paid ?? 0)].join();
  const expected = [summed.length - payouts.length, payouts.length, paid].join();
  if (stored !== expected)
    return `snapshots, payouts and coins are ${stored} in chain_totals, and ${expected} on chain`;
  return findWrongBank(world, last, summed);
}

/** One in this many runs is compared although nothing had to be repaired. */
const COMPARED_EVERY = 8;

/** Whether to compare: if the store had to rewind or found events late; otherwise rarely, to save time. */
const isCompared = ({ chain, plan }: World, seed: number): boolean =>
  chain.dropped.length > 0 || plan.some(({ kind }) => kind === "logs missing once") || seed % COMPARED_EVERY === 0;

/** Call it after the run, when no process and no stand-in is left, since it replaces the stored data. */
export async function checkResync(world: World, seed: number): Promise<void> {
  const { disk, chain } = world;
  if (!isCompared(world, seed)) return;
  const blocks = disk.database.prepare("select number, hash from blocks order by number").all() as readonly BlockRef[];
  const last = blocks.at(-1);
  // If the last block has been replaced, the backends stopped before they saw the new one, which has no events.
  if (last === undefined || chain.blocks[last.number]?.hash !== last.hash) return;
  mark("check", "derived rows equal a fresh resync");
  const stored = readRows(disk.database);
  const events = listEventsUntil(world, last);
  const wrong = findForeignBlock(world, blocks) ?? findWrongSum(world, last, events);
  await resync(world, last, events);
  const difference = wrong ?? findDifference(stored, readRows(disk.database));
  if (difference !== null) world.fail(new Violation("derived rows equal a fresh resync", difference));
}
