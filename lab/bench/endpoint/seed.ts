/** A database with tokens and ended sessions, and how many signatures it has recorded. */
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
