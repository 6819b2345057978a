/** Databases of the two sides with the same tokens and ended sessions, and how many signatures they have recorded. */
import { join } from "node:path";
import Database from "better-sqlite3";
import { packSequence } from "../../../backend/adapters/store/numbers.ts";
import { openStore } from "../../../backend/adapters/store/open-store.ts";
import { hashToken } from "../../../backend/services/auth/tokens.ts";
import { getToken } from "../server/identities.ts";
import { SLUG, type World } from "./world.ts";

const TOKEN_TTL_MS = 24 * 3600 * 1000;

const ZEROS = `0x${"00".repeat(32)}`;

function fill(file: string, run: (database: Database.Database) => void): void {
  const database = new Database(file);
  database.transaction(() => run(database))();
  database.close();
}

/** The service's own database: its tables are those of its migrations. */
export async function seedArcade(file: string, { wallets, sessions }: World): Promise<void> {
  await (await openStore({ databaseUrl: `sqlite:${file}` })).close();
  const nowMs = Date.now();
  fill(file, (database) => {
    const addToken = database.prepare(
      "insert into access_tokens (token_hash, family_id, wallet, slug, expires_at_ms) values (?, ?, ?, ?, ?)",
    );
    for (const [n, wallet] of wallets.entries())
      addToken.run(hashToken(getToken(n)), `family ${n}`, wallet, SLUG, nowMs + TOKEN_TTL_MS);
    const addSession = database.prepare(
      `insert into sessions (session_id, slug, source, wallet, agent_id, agent_name, phase, seed, seed_commitment,
         rules_version, tick_hz, started_at_ms, ended_at_ms, end_reason, score, tick, replay_digest, game_session_hash,
         sequence, verification, is_on_chain)
       values (?, ?, 'agent_api', ?, ?, 'bench', 'ended', '${ZEROS}', '${ZEROS}', 2, 20, ?, ?, 'ended_by_player', ?,
         600, '${ZEROS}', ?, ?, 'verified', 0)`,
    );
    for (const { sessionId, wallet, agentId, score, gameSessionHash, sequence } of sessions) {
      const packed = packSequence(BigInt(sequence));
      addSession.run(sessionId, SLUG, wallet, agentId, nowMs - 60_000, nowMs, score, gameSessionHash, packed);
    }
  });
}

/** The obvious server's database. */
export function seedObvious(file: string, { wallets, sessions }: World): void {
  fill(file, (database) => {
    database.exec(`
      create table access_tokens (token_hash text primary key, wallet text not null, expires_at_ms integer not null);
      create table sessions (session_id text primary key, wallet text not null, slug text not null, phase text not null,
        score integer not null, game_session_hash text not null unique, verified integer not null,
        agent_id text not null, on_chain integer not null,
        prepared_at_ms integer, signed_until_seconds integer);
      create index sessions_by_wallet on sessions (wallet, on_chain, score);
      create table signings (kind text not null, key text not null, payload_hash text not null,
        created_at_ms integer not null, primary key (kind, key));
      create table metadata_documents (digest text primary key, bytes text not null, created_at_ms integer not null);`);
    const addToken = database.prepare("insert into access_tokens values (?, ?, ?)");
    for (const [n, wallet] of wallets.entries())
      addToken.run(hashToken(getToken(n)), wallet, Date.now() + TOKEN_TTL_MS);
    const addSession = database.prepare("insert into sessions values (?, ?, ?, 'ended', ?, ?, 1, ?, ?, null, null)");
    for (const { sessionId, wallet, agentId, score, gameSessionHash, isOnChain } of sessions)
      addSession.run(sessionId, wallet, SLUG, score, gameSessionHash, agentId, Number(isOnChain));
  });
}

/** The durable rows of a side, read by another connection: committed ones only. */
export function countSignings(file: string): number {
  const database = new Database(file, { readonly: true });
  try {
    return database.prepare("select count(*) from signings").pluck().get() as number;
  } finally {
    database.close();
  }
}

export const databaseOf = (folder: string, side: string): string => join(folder, `${side}.sqlite`);
