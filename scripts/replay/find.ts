/** Finds the replay to verify: a file, a session's id, or the hash a score carries on chain. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { openStore } from "../../backend/adapters/store/index.ts";
import { readConfig } from "../../backend/config/config.ts";
import { games } from "../../backend/games/index.ts";
import type { ArcadeClient } from "../../client/client.ts";
import { isApiError } from "../../client/errors.ts";
import type { Hex, Replay, SessionRecord } from "../../client/types.ts";
import { CommandError, UsageError } from "../cli/failures.ts";

export interface Found {
  readonly replay: Replay;
  /** What the service says of the session; null for a file of which it knows nothing. */
  readonly record: SessionRecord | null;
  readonly origin: string;
}

const SESSION_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const HASH = /^0x[0-9a-f]{64}$/i;

async function fromFile(path: string): Promise<Found> {
  const bytes = await readFile(path);
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  try {
    const replay = JSON.parse((isGzip ? gunzipSync(bytes) : bytes).toString("utf8")) as Replay;
    if (typeof replay !== "object" || replay === null || typeof replay.slug !== "string") throw new Error("no replay");
    return { replay, record: null, origin: path };
  } catch (cause) {
    throw new CommandError(`${path} holds no replay.`, {
      cause,
      next: "give the JSON of GET …/sessions/{sessionId}/replay, plain or gzip",
    });
  }
}

async function recordOf(client: ArcadeClient, sessionId: string): Promise<SessionRecord | null> {
  for (const { slug } of games) {
    try {
      return (await client.sessions.get({ slug, sessionId })).session;
    } catch (error) {
      if (!isApiError(error, "SESSION_NOT_FOUND", "GAME_NOT_FOUND")) throw error;
    }
  }
  return null;
}

async function fromService(client: ArcadeClient, sessionId: string): Promise<Found> {
  const record = await recordOf(client, sessionId);
  if (record === null) throw new CommandError(`The service at ${client.baseUrl} knows no session ${sessionId}.`);
  const { slug } = record;
  return { replay: await client.sessions.replay({ slug, sessionId }), record, origin: client.baseUrl };
}

/** The session behind a hash, from the store that `serve` would open. */
async function sessionIdOf(hash: Hex): Promise<string> {
  const { databaseUrl } = readConfig();
  const path = databaseUrl.replace(/^sqlite:/, "");
  if (databaseUrl.startsWith("sqlite:") && !existsSync(path)) {
    throw new CommandError("A hash alone is looked up in the service's store, and there is none here.", {
      next: "give the session's id, the replay's file, or ARCADE_DATABASE_URL",
    });
  }
  const store = await openStore({ databaseUrl });
  try {
    const row = await store.sessions.findByHash(hash.toLowerCase() as Hex);
    if (row === null) throw new CommandError(`The store knows no session with gameSessionHash ${hash}.`);
    return row.sessionId;
  } finally {
    await store.close();
  }
}

/** Throws `UsageError`, `CommandError` or `ArcadeApiError`. */
export async function findReplay(what: string, client: ArcadeClient): Promise<Found> {
  if (SESSION_ID.test(what)) return fromService(client, what.toLowerCase());
  if (HASH.test(what)) return fromService(client, await sessionIdOf(what as Hex));
  const path = resolve(process.env.INIT_CWD ?? process.cwd(), what);
  if (existsSync(path)) return fromFile(path);
  throw new UsageError(`Expected a replay's file, a session id or a gameSessionHash; "${what}" is none of them`);
}
