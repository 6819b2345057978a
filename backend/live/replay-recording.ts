/** Rebuilds the state of an open session from its recording. */
import { getGameSeed, type Recording } from "../../domain/replay/build-replay.ts";
import { runInputs } from "../../domain/replay/verify.ts";
import type { Game } from "../../games/game.ts";
import type { SessionRow } from "../ports/store/sessions.ts";
import type { Log } from "../ports/system.ts";
import type { RestoredSession } from "./run.ts";

interface ReplayOptions {
  readonly getRules: (slug: string, rulesVersion: number) => Game | undefined;
  readonly log: Log;
}

/**
 * Replays a session from its seed and its recorded inputs up to its last recorded tick. Null if this build does not
 * have the rules, or if they throw.
 */
export function replayRecording(
  { getRules, log }: ReplayOptions,
  row: SessionRow,
  { inputs, pauses }: Recording,
): RestoredSession | null {
  const game = getRules(row.slug, row.rulesVersion);
  if (!game) return null;
  try {
    const state = runInputs(game, { seed: getGameSeed(row), tickHz: row.tickHz, inputs, ticks: row.tick });
    return { state, inputs, pauses };
  } catch (error) {
    log.error({ err: error, sessionId: row.sessionId }, "the rules failed while a session was replayed");
    return null;
  }
}
