/** Signs the replay of a session that the wallet has played. */
import { createTranscript } from "../domain/replay/transcript.ts";
import type { ArcadeClient } from "./client.ts";
import type { Transcript } from "./transcript.ts";
import { type ReplayVerdict, verifyReplay } from "./verify-replay.ts";

/**
 * Verifies the replay of an ended agent session against its record and the transcript, and signs it if everything
 * agrees, so that others get the verdict `SIGNED_BY_PLAYER`. Returns the verdict. It signs nothing if that is `DIVERGED`.
 * Throws `ArcadeApiError`, and what the wallet throws.
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
  // The payload is made here: the service cannot put another message under the signature.
  const signature = await wallet.signTypedData(createTranscript(replay));
  await client.sessions.transcript({ slug, sessionId, signature });
  return {
    ...verdict,
    verdict: "SIGNED_BY_PLAYER",
    reason: "the replay agrees with the transcript, and the wallet signed it",
  };
}
