/** What agents do before and after a game. */
import { type ArcadeClient, isApiError, type PlayOptions, snapshotScore } from "../../../client/index.ts";
import type { Confirmed } from "./confirmed.ts";

/** Starts a ranked game or resumes the open one; null if a snapshot or an NFT is required first. */
export async function openSession(client: ArcadeClient, slug: string): Promise<PlayOptions["session"] | null> {
  return client.sessions.start({ slug, source: "agent_api" }).catch((error: unknown) => {
    if (isApiError(error, "SESSION_ACTIVE")) return { slug, sessionId: String(error.fields.sessionId) };
    if (isApiError(error, "SNAPSHOT_REQUIRED", "NFT_MINT_REQUIRED")) return null;
    throw error;
  });
}

/** Puts every pending score on chain. */
export async function snapshotScores(client: ArcadeClient, { snapshots }: Confirmed): Promise<void> {
  for (;;) {
    const { mode, gameSessionHash } = await snapshotScore({ client });
    if (mode === "none") return;
    snapshots.add(gameSessionHash!);
  }
}
