/** Signs the replay of a session that the wallet played. */
import { createTranscript } from "../domain/replay/transcript.ts";
import type { ArcadeClient } from "./client.ts";
import type { Transcript } from "./transcript.ts";
import { type ReplayVerdict, verifyReplay } from "./verify-replay.ts";

/**
 * Verifies the replay of an ended agent session against its record and the transcript. If everything agrees, signs it,
 * so that others get the verdict `SIGNED_BY_PLAYER`. Returns the verdict, and signs nothing if it is `DIVERGED`. Throws
 * `ArcadeApiError`, and errors of the wallet.
 */
export async function attestSession(options: {
  readonly client: ArcadeClient;
  readonly slug: string;
  readonly transcript: Transcript;
}): Promise<ReplayVerdict> {
  const { client, slug, transcript } = options;
  const { sessionId } = transcript;
  const [replay, { session }] = await Promise.all([
    client.sessions.replay({ slug, sessionId }),
    client.sessions.get({ slug, sessionId }),
  ]);
  const verdict = await verifyReplay(replay, { session, transcript });
  const { wallet } = client;
  if (!verdict.ok || wallet?.signTypedData === undefined) return verdict;
  // Build the payload here, so that the service cannot get another message signed.
  const signature = await wallet.signTypedData(createTranscript(replay));
  await client.sessions.transcript({ slug, sessionId, signature });
  return {
    ...verdict,
    verdict: "SIGNED_BY_PLAYER",
    reason: "the replay agrees with the transcript, and the wallet signed it",
  };
}
