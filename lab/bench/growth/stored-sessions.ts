/** Fills a database with ended sessions and their boards, in a few statements. */
import { createHash } from "node:crypto";
import Database from "better-sqlite3";
import type { Address, Hex } from "viem";
import { openConnection } from "../../../backend/adapters/store/connection.ts";
import { packSequence } from "../../../backend/adapters/store/numbers.ts";
import { openStore } from "../../../backend/adapters/store/open-store.ts";
import { createSqliteDialect, openSqliteFile } from "../../../backend/adapters/store/sqlite.ts";
import { listBoardKeys } from "../../../domain/leaderboard.ts";
import { fillStandings, type PlayedSession } from "./standings.ts";

export const SLUG = "shellrunners";
const ZEROS = `0x${"00".repeat(32)}`;
export const SESSIONS_PER_WALLET = 20;
/** The sessions end over a month. */
const PERIOD_MS = 30 * 86_400_000;
const BASE_TIME_MS = Date.UTC(2027, 0, 4);

const hash = (text: string): Hex => `0x${createHash("sha256").update(text).digest("hex")}`;

export const toWallet = (n: number): Address => hash(`wallet ${n}`).slice(0, 42) as Address;
export const toSessionId = (n: number): string => {
  const digits = hash(`session ${n}`).slice(2);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-7${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
};
const toScore = (n: number): number => 10 + (n % 90);
export const toEndMs = (n: number, count: number): number => BASE_TIME_MS + Math.floor((n / count) * PERIOD_MS);

function insertSessions(database: Database.Database, count: number): void {
  const insert = database.prepare(
    `insert into sessions (session_id, slug, source, wallet, agent_id, agent_name, phase, seed, seed_commitment,
       rules_version, tick_hz, started_at_ms, ended_at_ms, end_reason, score, tick, replay_digest, game_session_hash,
       sequence, verification, is_on_chain)
     values (?, '${SLUG}', 'agent_api', ?, ?, 'bench', 'ended', '${ZEROS}', '${ZEROS}', 2, 20, ?, ?, 'lives_lost', ?,
       1200, '${ZEROS}', ?, ?, 'verified', 0)`,
  );
  for (let n = 0; n < count; n++) {
    const wallet = Math.floor(n / SESSIONS_PER_WALLET);
    const endedAtMs = toEndMs(n, count);
    const sequence = packSequence(BigInt((n % SESSIONS_PER_WALLET) + 1));
    const times = [endedAtMs - 60_000, endedAtMs];
    insert.run(toSessionId(n), toWallet(wallet), String(wallet), ...times, toScore(n), hash(`hash ${n}`), sequence);
  }
}

function* listPlayed(count: number): Generator<PlayedSession> {
  for (let n = 0; n < count; n++) {
    const wallet = Math.floor(n / SESSIONS_PER_WALLET);
    const agent = { agentId: String(wallet), agentName: "bench" };
    const run = { sessionId: toSessionId(n), slug: SLUG, score: toScore(n), endedAtMs: toEndMs(n, count) };
    yield { wallet: toWallet(wallet), session: { ...run, ...agent, playMs: 60_000 } };
  }
}

/**
 * Makes `file` a store with `count` ended and verified sessions. It has the boards of the periods in which the last one
 * ended; the service removes those of earlier periods.
 */
export async function fillStore(file: string, count: number): Promise<void> {
  const databaseUrl = `sqlite:${file}`;
  await (await openStore({ databaseUrl })).close();
  const database = new Database(file);
  database.pragma("synchronous = OFF");
  database.transaction(() => insertSessions(database, count))();
  database.close();
  const connection = openConnection(createSqliteDialect(openSqliteFile(databaseUrl)), { busyWaitMs: 5_000 });
  try {
    const boards = new Set(listBoardKeys({ slug: SLUG, endedAtMs: toEndMs(count - 1, count) }));
    await connection.write((db) => fillStandings(db, listPlayed(count), boards));
  } finally {
    await connection.close();
  }
}
