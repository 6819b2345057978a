import { digestJson, type Hex, type ReplayInput, STATE_DIGEST_EVERY_TICKS } from "../domain/replay.ts";
import { runInputs } from "../domain/verify-replay.ts";
import type { Game } from "../games/game.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { SessionRow, SessionStore } from "../ports/store-sessions.ts";
import type { LiveRegistry } from "../services/live/registry.ts";
import type { Restored } from "../services/live/session.ts";

type Recording = Awaited<ReturnType<SessionStore["recording"]>>;

interface RecoverOptions {
  readonly sessions: SessionStore;
  readonly registry: LiveRegistry;
  readonly rulesOf: (slug: string, rulesVersion: number) => Game | undefined;
  readonly clock: Pick<Clock, "after">;
  /** Stores the end of a session that cannot be played again. */
  readonly endAsRecorded: (row: SessionRow, recording: Recording) => Promise<unknown>;
  readonly log: Log;
}

export interface Recovered {
  /** Sessions that wait for their player. */
  readonly resumed: number;
  /** Sessions whose game was over, or could not be played again. */
  readonly ended: number;
}

/**
 * Plays every session that the last process left open again, from its seed and its recorded inputs up to the last
 * recorded tick, and hosts it paused. Lets other work run between two sessions.
 */
export async function recoverSessions(options: RecoverOptions): Promise<Recovered> {
  let resumed = 0;
  let ended = 0;
  for (const row of await options.sessions.listOpen()) {
    if (options.registry.get(row.sessionId)) continue;
    if (await recoverOne(options, row)) resumed += 1;
    else ended += 1;
    await new Promise<void>((resolve) => {
      options.clock.after(0, resolve);
    });
  }
  if (resumed + ended > 0) options.log.info({ resumed, ended }, "Open sessions of the last process were taken over.");
  return { resumed, ended };
}

/** True where the session waits for its player. */
async function recoverOne(options: RecoverOptions, row: SessionRow): Promise<boolean> {
  const { sessions, registry, endAsRecorded, log } = options;
  const recording = await sessions.recording(row.sessionId);
  const restored = playAgain(options, row, recording.inputs);
  if (restored === null) {
    // Nobody can go on with it, and an open session would keep its wallet from the next one. The check of its score
    // fails until a build knows its rules again, so nothing is signed for it.
    await endAsRecorded(row, recording);
    log.error({ sessionId: row.sessionId, slug: row.slug }, "An open session could not be played again and was ended.");
    return false;
  }
  const session = registry.host(row, restored);
  if (!restored.state.over) return true;
  session.end("lives_lost");
  return false;
}

/** Null where this build does not know the rules, or where they fail. */
function playAgain(options: RecoverOptions, row: SessionRow, inputs: readonly ReplayInput[]): Restored | null {
  const game = options.rulesOf(row.slug, row.rulesVersion);
  if (!game) return null;
  const stateDigests: Hex[] = [];
  try {
    const state = runInputs(game, { seed: row.seed, tickHz: row.tickHz, inputs, ticks: row.tick }, (now) => {
      if (now.tick % STATE_DIGEST_EVERY_TICKS === 0) stateDigests.push(digestJson(now));
    });
    return { state, inputs, stateDigests };
  } catch (cause) {
    options.log.error({ err: cause, sessionId: row.sessionId }, "The rules failed while a session was played again.");
    return null;
  }
}
