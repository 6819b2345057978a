/** Fills a database with ended sessions, their snapshots on chain and the sums over both, in a few statements. */
import { createHash } from "node:crypto";
import Database from "better-sqlite3";
import type { Address, Hex } from "viem";
import { rebuildBanks } from "../../../backend/adapters/store/chain/bank-rows.ts";
import { rebuildTotals } from "../../../backend/adapters/store/chain/totals.ts";
import { openConnection } from "../../../backend/adapters/store/connection.ts";
import { packSequence, packUint } from "../../../backend/adapters/store/numbers.ts";
import { openStore } from "../../../backend/adapters/store/open-store.ts";
import { createSqliteDialect, openSqliteFile } from "../../../backend/adapters/store/sqlite.ts";
import { fillStandings, type PlayedSession } from "./standings.ts";

export const SLUG = "shellrunners";
const ZEROS = `0x${"00".repeat(32)}`;
export const SESSIONS_PER_WALLET = 20;
const SNAPSHOTS_PER_BLOCK = 10;
/** The sessions end over a month. */
const PERIOD_MS = 30 * 86_400_000;
export const BASE_TIME_MS = Date.UTC(2027, 0, 4);
const LOGS_PER_BLOCK_MAX = 1_000_000;

const hash = (text: string): Hex => `0x${createHash("sha256").update(text).digest("hex")}`;

export const toWallet = (n: number): Address => hash(`wallet ${n}`).slice(0, 42) as Address;
export const toSessionId = (n: number): string => {
  const digits = hash(`session ${n}`).slice(2);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-7${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
};
const toScore = (n: number): number => 10 + (n % 90);
const toEndMs = (n: number, count: number): number => BASE_TIME_MS + Math.floor((n / count) * PERIOD_MS);
export const toBlockHash = (number: number): Hex => hash(`block ${number}`);
export const countBlocks = (sessions: number): number => Math.ceil(sessions / SNAPSHOTS_PER_BLOCK);

function insertSessions(database: Database.Database, count: number, perWallet: number): void {
  const insert = database.prepare(
    `insert into sessions (session_id, slug, source, wallet, agent_id, agent_name, phase, seed, seed_commitment,
       rules_version, tick_hz, started_at_ms, ended_at_ms, end_reason, score, tick, replay_digest, game_session_hash,
       sequence, verification, is_on_chain)
     values (?, '${SLUG}', 'agent_api', ?, ?, 'bench', 'ended', '${ZEROS}', '${ZEROS}', 2, 20, ?, ?, 'lives_lost', ?,
       1200, '${ZEROS}', ?, ?, 'verified', 0)`,
  );
  for (let n = 0; n < count; n++) {
    const wallet = Math.floor(n / perWallet);
    const endedAtMs = toEndMs(n, count);
    const sequence = packSequence(BigInt((n % perWallet) + 1));
    const times = [endedAtMs - 60_000, endedAtMs];
    insert.run(toSessionId(n), toWallet(wallet), String(wallet), ...times, toScore(n), hash(`hash ${n}`), sequence);
  }
}

function* listPlayed(count: number, perWallet: number): Generator<PlayedSession> {
  for (let n = 0; n < count; n++) {
    const wallet = Math.floor(n / perWallet);
    const agent = { agentId: String(wallet), agentName: "bench" };
    const run = { sessionId: toSessionId(n), slug: SLUG, score: toScore(n), endedAtMs: toEndMs(n, count) };
    yield { wallet: toWallet(wallet), session: { ...run, ...agent, playMs: 60_000 } };
  }
}

function insertSnapshots(database: Database.Database, count: number, perWallet: number): void {
  const addBlock = database.prepare("insert into blocks (number, hash) values (?, ?)");
  const insert = database.prepare(
    `insert into chain_events (block, block_hash, block_time, tx_hash, log_index, position, name, wallet, slug,
       game_session_hash, sequence, score, scorebank)
     values (?, ?, ?, ?, ?, ?, 'ScoreSnapshot', ?, '${SLUG}', ?, ?, ?, ?)`,
  );
  const banks = new Map<number, number>();
  for (let n = 0; n < count; n++) {
    const block = 1 + Math.floor(n / SNAPSHOTS_PER_BLOCK);
    const logIndex = n % SNAPSHOTS_PER_BLOCK;
    if (logIndex === 0) addBlock.run(block, toBlockHash(block));
    const wallet = Math.floor(n / perWallet);
    const bank = (banks.get(wallet) ?? 0) + toScore(n);
    banks.set(wallet, bank);
    const place = [block, toBlockHash(block), BASE_TIME_MS / 1000 + block, hash(`tx ${n}`), logIndex];
    const facts = [block * LOGS_PER_BLOCK_MAX + logIndex, toWallet(wallet), hash(`hash ${n}`)];
    const sequence = packSequence(BigInt((n % perWallet) + 1));
    insert.run(...place, ...facts, sequence, packUint(BigInt(toScore(n))), packUint(BigInt(bank)));
  }
}

/** Makes `file` a store with `count` ended and verified sessions; `hasSnapshots`: each with its snapshot on a made-up chain. */
export async function fillStore(
  file: string,
  count: number,
  hasSnapshots: boolean,
  perWallet = SESSIONS_PER_WALLET,
): Promise<void> {
  const databaseUrl = `sqlite:${file}`;
  await (await openStore({ databaseUrl })).close();
  const database = new Database(file);
  database.pragma("synchronous = OFF");
  database.transaction(() => {
    insertSessions(database, count, perWallet);
    if (hasSnapshots) insertSnapshots(database, count, perWallet);
  })();
  database.close();
  const connection = openConnection(createSqliteDialect(openSqliteFile(databaseUrl)), { busyWaitMs: 5_000 });
  try {
    await connection.write(async (db) => {
      await fillStandings(db, listPlayed(count, perWallet));
      await rebuildTotals(db, 0);
      await rebuildBanks(db, 0);
    });
  } finally {
    await connection.close();
  }
}
