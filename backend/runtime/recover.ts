import type { Hex } from "../domain/replay.ts";
import { digestJson, STATE_DIGEST_EVERY_TICKS } from "../domain/replay.ts";
import { runInputs } from "../domain/verify-replay.ts";
import type { Game } from "../games/game.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { SessionRow, SessionStore } from "../ports/store.ts";
import type { LiveRegistry } from "../services/live/registry.ts";

interface RecoverOptions {
  readonly sessions: SessionStore;
  readonly registry: LiveRegistry;
  readonly rulesOf: (slug: string, rulesVersion: number) => Game | undefined;
  readonly clock: Clock;
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

async function recoverOne({ sessions, registry, rulesOf, log }: RecoverOptions, row: SessionRow): Promise<boolean> {
  const game = rulesOf(row.slug, row.rulesVersion);
  if (!game) {
    // Its replay stays in the store, so that a build which knows the rules can still check it.
    log.error({ sessionId: row.sessionId, slug: row.slug }, "An open session has rules that this build does not know.");
    return false;
  }
  const { inputs } = await sessions.recording(row.sessionId);
  const stateDigests: Hex[] = [];
  const state = runInputs(game, { seed: row.seed, tickHz: row.tickHz, inputs, ticks: row.tick }, (now) => {
    if (now.tick % STATE_DIGEST_EVERY_TICKS === 0) stateDigests.push(digestJson(now));
  });
  const session = registry.host(row, { state, inputs, stateDigests });
  if (!state.over) return true;
  session.end("lives_lost");
  return false;
}
