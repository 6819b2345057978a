import type { Hex } from "viem";
import { digestJson } from "../domain/canonical-json.ts";
import { getGameSeed, type Recording } from "../domain/replay/build-replay.ts";
import { STATE_DIGEST_EVERY_TICKS } from "../domain/replay/replay.ts";
import { runInputs } from "../domain/replay/verify.ts";
import type { Game } from "../games/game.ts";
import type { SessionRow, SessionStore } from "../ports/store/sessions.ts";
import type { Clock, Log } from "../ports/system.ts";
import type { LiveRegistry } from "./registry.ts";
import type { RestoredSession } from "./run.ts";

interface RecoverOptions {
  readonly sessions: SessionStore;
  readonly registry: LiveRegistry;
  readonly getRules: (slug: string, rulesVersion: number) => Game | undefined;
  readonly clock: Pick<Clock, "after">;
  /** Stores the end of a session that cannot be replayed. */
  readonly endAsRecorded: (row: SessionRow, recording: Recording) => Promise<unknown>;
  readonly log: Log;
}

export interface RecoveryResult {
  /** Sessions that wait for their player. */
  readonly resumed: number;
  /** Sessions whose game was over, or could not be replayed. */
  readonly ended: number;
}

/**
 * Replays every session that the last process left open, from its seed and its recorded inputs up to the last recorded
 * tick, and hosts it paused. Lets other work run between two sessions.
 */
export async function recoverSessions(options: RecoverOptions): Promise<RecoveryResult> {
  let resumed = 0;
  let ended = 0;
  await options.sessions.claimOpen();
  for (const row of await options.sessions.listOpen()) {
    if (options.registry.get(row.sessionId)) continue;
    if (await recoverSession(options, row)) resumed += 1;
    else ended += 1;
    await new Promise<void>((resolve) => {
      options.clock.after(0, resolve);
    });
  }
  if (resumed + ended > 0) options.log.info({ resumed, ended }, "open sessions of the last process were recovered");
  return { resumed, ended };
}

/** True when the session waits for its player. */
async function recoverSession(options: RecoverOptions, row: SessionRow): Promise<boolean> {
  const { sessions, registry, endAsRecorded, log } = options;
  const recording = await sessions.getRecording(row.sessionId);
  const restored = replayRecording(options, row, recording);
  if (restored === null) {
    // An open session would keep its wallet from starting the next one. The verification of its score fails until a
    // build has its rules again, so nothing is signed for it.
    await endAsRecorded(row, recording);
    log.error({ sessionId: row.sessionId, slug: row.slug }, "an open session could not be replayed and was ended");
    return false;
  }
  const session = registry.host(row, { restored });
  if (!restored.state.over) return true;
  session.end("lives_lost");
  return false;
}

/** Null when this build does not have the rules, or when they throw. */
function replayRecording(
  options: RecoverOptions,
  row: SessionRow,
  { inputs, pauses }: Recording,
): RestoredSession | null {
  const game = options.getRules(row.slug, row.rulesVersion);
  if (!game) return null;
  const stateDigests: Hex[] = [];
  try {
    const state = runInputs(game, { seed: getGameSeed(row), tickHz: row.tickHz, inputs, ticks: row.tick }, (now) => {
      if (now.tick % STATE_DIGEST_EVERY_TICKS === 0) stateDigests.push(digestJson(now));
    });
    return { state, inputs, stateDigests, pauses };
  } catch (error) {
    options.log.error({ err: error, sessionId: row.sessionId }, "the rules failed while a session was replayed");
    return null;
  }
}
