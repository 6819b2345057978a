/** The beginning and the end of a run that the page's agent plays. */
import type { StartedSession } from "../../client/api.ts";
import { attestSession } from "../../client/attest.ts";
import type { ArcadeClient } from "../../client/client.ts";
import { isApiError } from "../../client/errors.ts";
import type { Transcript } from "../../client/transcript.ts";

/** A start may have to end a session of an earlier visit first. */
const START_ATTEMPTS_MAX = 3;

/** Starts a ranked session. Throws the service's errors. */
export async function startRun(client: ArcadeClient, slug: string): Promise<StartedSession> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await client.sessions.start({ slug, source: "agent_api" });
    } catch (error) {
      if (attempt === START_ATTEMPTS_MAX || !isApiError(error, "SESSION_ACTIVE")) throw error;
      await client.sessions.end({ slug, sessionId: String(error.fields.sessionId) });
    }
  }
}

/** Whether the wallet has signed the replay; it may decline, and the score counts all the same. */
export async function attestRun(client: ArcadeClient, slug: string, transcript: Transcript | null): Promise<boolean> {
  if (transcript === null) return false;
  try {
    return (await attestSession({ client, slug, transcript })).verdict === "SIGNED_BY_PLAYER";
  } catch {
    return false;
  }
}
