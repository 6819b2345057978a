/**
 * Writes as a node that does not run these sessions: `node stale-writer.ts DATABASE_URL SESSION_ID…`. Prints, as JSON,
 * the ids of the sessions whose score or end was accepted.
 */

import { openStore } from "../../../backend/adapters/store/open-store.ts";
import { systemClock } from "../../../backend/adapters/system/clock.ts";
import { createLog } from "../../../backend/adapters/system/log.ts";

/** Later than any tick, so that only the owner decides. */
const TICK = 1_000_000;
const HASH = `0x${"0".repeat(64)}` as const;
const NOTHING = { inputs: [], pauses: [], entropy: null } as const;

const [databaseUrl = "", ...sessionIds] = process.argv.slice(2);
const node = { clock: systemClock, log: createLog("silent"), url: null, isExclusive: false, takesSingletons: false };
const store = await openStore({ databaseUrl, node });
const accepted: string[] = [];
for (const sessionId of sessionIds) {
  const written = { sessionId, tick: TICK, score: 999_999, ...NOTHING } as const;
  const moved = await store.sessions.record([{ ...written, phase: "running" }]);
  const { phase } = (await store.sessions.find(sessionId))!;
  // A session that has ended since does not accept writes from its own node either.
  if (phase !== "ended" && !moved.includes(sessionId)) accepted.push(sessionId);
  const digests = { rulesHash: HASH, replayDigest: HASH };
  const end = { ...written, endedAtMs: Date.now(), endReason: "ended_by_player", ...digests } as const;
  await store.sessions
    .end(end, () => HASH)
    .then(
      () => accepted.push(sessionId),
      () => undefined,
    );
}
process.stdout.write(JSON.stringify(accepted));
await store.close();
