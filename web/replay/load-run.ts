/** Everything that the page of a run shows. */

import type { SessionRecord } from "../../client/api.ts";
import type { Replay } from "../../domain/replay/replay.ts";
import type { Game } from "../../games/game.ts";
import { getRules } from "../../games/index.ts";
import { getRulesHash } from "../../games/rules-hash.ts";
import { client } from "../wallet/service.ts";
import { Recording } from "./recording.ts";

export interface LoadedRun {
  readonly record: SessionRecord;
  /** Null while the session runs, and for practice, which has no replay. */
  readonly replay: Replay | null;
  /** Null also when this build does not have the rules of the run. */
  readonly run: { readonly replay: Replay; readonly recording: Recording } | null;
}

/** The rules of a run, by their version and by the digest of their files; undefined if this build has others. */
export function findRules({
  slug,
  rulesVersion,
  rulesHash,
}: Pick<Replay, "slug" | "rulesVersion" | "rulesHash">): Game | undefined {
  return rulesHash === getRulesHash(slug, rulesVersion) ? getRules(slug, rulesVersion) : undefined;
}

/** Throws `ArcadeApiError`. */
export async function loadRun(sessionId: string, signal: AbortSignal): Promise<LoadedRun> {
  const { session: record } = await client.sessions.getById({ sessionId }, { signal });
  if (record.replay?.available !== true) return { record, replay: null, run: null };
  const replay = await client.sessions.replay({ slug: record.slug, sessionId }, { signal });
  const rules = findRules(replay);
  return { record, replay, run: rules === undefined ? null : { replay, recording: new Recording(rules, replay) } };
}
