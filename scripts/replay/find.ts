/** Finds the replay to verify: a file, a session's id, or the hash of a score on chain. */
import { existsSync } from "node:fs";
import type { Hex } from "viem";
import { connectStore } from "../../backend/app/connect.ts";
import type { Replay, SessionRecord } from "../../client/api.ts";
import type { ArcadeClient } from "../../client/client.ts";
import { isApiError } from "../../client/errors.ts";
import { toReason } from "../../client/verify-replay.ts";
import type { ReplayDifference } from "../../domain/replay/verify.ts";
import { games } from "../../games/index.ts";
import { CommandError, UsageError } from "../cli/failures.ts";
import { readServiceConfig } from "../cli/service-config.ts";
import { resolveUserPath } from "../cli/user-paths.ts";
import { parseReplay, readReplayFile } from "../verify/replay-sources.ts";

export interface LoadedReplay {
  readonly replay: Replay;
  /** The service's record of the session; null for a file. */
  readonly record: SessionRecord | null;
  readonly origin: string;
}

const SESSION_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const HASH = /^0x[0-9a-f]{64}$/i;

/** The file lacks the fields of a replay; `problems` lists them. */
export class MalformedReplay extends CommandError {
  readonly problems: readonly ReplayDifference[];

  constructor(path: string, problems: readonly ReplayDifference[]) {
    super(`${path} is not a replay: ${toReason(problems)}`, {
      next: "use the JSON of GET /api/replays/{gameSessionHash}, plain or gzip",
    });
    this.problems = problems;
  }
}

async function loadFromFile(path: string): Promise<LoadedReplay> {
  const { replay, problems } = parseReplay(await readReplayFile(path), path);
  if (replay !== null) return { replay, record: null, origin: path };
  throw new MalformedReplay(path, problems);
}

async function findRecord(client: ArcadeClient, sessionId: string): Promise<SessionRecord | null> {
  for (const { slug } of games) {
    try {
      return (await client.sessions.get({ slug, sessionId })).session;
    } catch (error) {
      if (!isApiError(error, "SESSION_NOT_FOUND", "GAME_NOT_FOUND")) throw error;
    }
  }
  return null;
}

async function loadFromService(client: ArcadeClient, sessionId: string): Promise<LoadedReplay> {
  const record = await findRecord(client, sessionId);
  if (record === null) throw new CommandError(`The service at ${client.baseUrl} has no session ${sessionId}.`);
  const { slug } = record;
  return { replay: await client.sessions.replay({ slug, sessionId }), record, origin: client.baseUrl };
}

/** The session of a hash: from the service, or from the store of `serve`. */
async function findSessionId(client: ArcadeClient, hash: Hex): Promise<string> {
  const replay = await client.replays.get({ gameSessionHash: hash }).catch(() => null);
  if (replay !== null) return replay.sessionId;
  const store = await connectStore(readServiceConfig());
  if (store === null) {
    throw new CommandError("The service does not answer with the replay of this hash, and there is no store here.", {
      next: "use the session's id, the replay's file, or set ARCADE_DATABASE_URL",
    });
  }
  try {
    const row = await store.sessions.findByHash(hash.toLowerCase() as Hex);
    if (row === null) throw new CommandError(`The store has no session with gameSessionHash ${hash}.`);
    return row.sessionId;
  } finally {
    await store.close();
  }
}

/** Throws `UsageError`, `CommandError` or `ArcadeApiError`. */
export async function findReplay(input: string, client: ArcadeClient): Promise<LoadedReplay> {
  if (SESSION_ID.test(input)) return loadFromService(client, input.toLowerCase());
  if (HASH.test(input)) return loadFromService(client, await findSessionId(client, input as Hex));
  const path = resolveUserPath(input);
  if (existsSync(path)) return loadFromFile(path);
  throw new UsageError(`REPLAY: expected a file, a session's id or a gameSessionHash, received "${input}"`);
}
