/** Everything that the page of a run shows. */
import type { Replay } from "../../backend/domain/replay/replay.ts";
import { getRules } from "../../backend/games/index.ts";
import type { SessionRecord } from "../../client/api.ts";
import { RUN_LABELS } from "../labels/runs.ts";
import { client } from "../wallet/service.ts";
import { Recording } from "./recording.ts";

export interface LoadedRun {
  readonly record: SessionRecord;
  /** Null while the session runs, and for practice, which has no replay. */
  readonly run: { readonly replay: Replay; readonly recording: Recording } | null;
}

/** Throws `ArcadeApiError`, and an `Error` where this build has not the rules of the run. */
export async function loadRun(sessionId: string, signal: AbortSignal): Promise<LoadedRun> {
  const { session: record } = await client.sessions.getById({ sessionId }, { signal });
  if (record.replay?.available !== true) return { record, run: null };
  const replay = await client.sessions.replay({ slug: record.slug, sessionId }, { signal });
  const rules = getRules(replay.slug, replay.rulesVersion);
  if (rules === undefined) throw new Error(RUN_LABELS.unknownRules);
  return { record, run: { replay, recording: new Recording(rules, replay) } };
}
