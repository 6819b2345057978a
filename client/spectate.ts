/** Watching a session. Separate from playing, which imports hash functions. */
import type { PlayFrame } from "../games/game.ts";
import type { SessionRecord } from "./api.ts";
import { type ChannelHandlers, type EndMessage, runChannel } from "./channel.ts";
import type { ArcadeClient } from "./client.ts";
import { isApiError } from "./errors.ts";

export interface ChannelOptions extends ChannelHandlers {
  readonly client: ArcadeClient;
  onFrame?(frame: PlayFrame): void;
  /** Leaves the channel; the promise rejects with the signal's reason. The session continues. */
  readonly signal?: AbortSignal;
  /** Gives up after this long without a working socket: 90 s by default. */
  readonly reconnectTimeoutMs?: number;
  /** Replaces a silent socket after this long at most: 15 s by default. */
  readonly silenceTimeoutMs?: number;
}

export interface SpectateOptions extends ChannelOptions {
  readonly slug: string;
  readonly sessionId: string;
}

/** The `end` message of an ended session, built from its record. Throws if it is not over. */
export async function getEndMessage(client: ArcadeClient, slug: string, sessionId: string): Promise<EndMessage> {
  const { session } = await client.sessions.get({ slug, sessionId });
  return toEndMessage(session);
}

/** The `end` message of a session from its record. Throws if the session has not ended. */
export function toEndMessage(session: SessionRecord): EndMessage {
  const { sessionId, score, endReason, replay } = session;
  if (endReason === null) throw new Error(`The channel of session ${sessionId} was closed before the session ended.`);
  const needsSnapshot = session.snapshot.state === "required" || session.snapshot.state === "prepared";
  return {
    t: "end",
    sessionId,
    score,
    endReason,
    replayDigest: replay?.digest ?? "0x",
    next: needsSnapshot ? { method: "POST", path: "/api/rewards/snapshot", body: { sessionId } } : null,
  };
}

/**
 * Watches a session by compact frames and resolves with its `end` message. Uses the viewer's sign-in if there is one,
 * otherwise the public flow. Throws `SPECTATORS_FULL` as an `ArcadeApiError`; `formatSpectatorsFull` returns the text
 * to show.
 */
export async function spectate(options: SpectateOptions): Promise<EndMessage> {
  const { client, slug, sessionId } = options;
  return runChannel({
    ...options,
    ...client.channelPorts,
    async getToken() {
      const { token, wsUrl } = await issueSpectateToken();
      return { token, wsUrl: `${wsUrl}&enc=compact` };
    },
    onFrame: (frame) => options.onFrame?.(frame as unknown as PlayFrame),
    getEndMessage: () => getEndMessage(client, slug, sessionId),
  });

  async function issueSpectateToken() {
    if (client.signIn.credentials() === null) return client.sessions.spectateTokenPublic({ slug, sessionId });
    try {
      return await client.sessions.spectateToken({ slug, sessionId });
    } catch (error) {
      if (!isApiError(error, "AUTH_REQUIRED", "TOKEN_INVALID", "TOKEN_EXPIRED", "REFRESH_REUSED")) throw error;
      return client.sessions.spectateTokenPublic({ slug, sessionId });
    }
  }
}
