/** Playing and watching a session. */
import type { Bot, PlayFrame } from "../backend/games/game.ts";
import { type ChannelHandlers, type EndMessage, type FrameBody, runChannel } from "./channel.ts";
import type { ArcadeClient } from "./client.ts";
import { isApiError } from "./errors.ts";
import type { SessionRecord, StartedSession } from "./types.ts";

export type { Bot, PlayFrame } from "../backend/games/game.ts";

interface ChannelCommon extends ChannelHandlers {
  readonly client: ArcadeClient;
  onFrame?(frame: PlayFrame): void;
  /** Leaves the channel; the promise is rejected with the signal's reason. The session goes on without you. */
  readonly signal?: AbortSignal;
  readonly giveUpAfterMs?: number;
}

export interface PlayOptions extends ChannelCommon {
  /** The answer of a start, or an active session to come back to. */
  readonly session:
    | StartedSession
    | { readonly slug: string; readonly sessionId: string; readonly practiceToken?: string };
  /** Sees every frame while the game runs and answers what to send, null for nothing. */
  readonly bot: Bot;
}

export interface SpectateOptions extends ChannelCommon {
  readonly slug: string;
  readonly sessionId: string;
  /** Frames in about a tenth of the bytes (`?enc=compact`); they arrive in `onFrame` as the same objects. */
  readonly compact?: boolean;
}

const HEARTBEAT_SECONDS = 15;

/** The `end` message of an ended session, made from its record. Throws where it is not over. */
async function endOf(client: ArcadeClient, slug: string, sessionId: string): Promise<EndMessage> {
  const { session } = await client.sessions.get({ slug, sessionId });
  return endFromRecord(session);
}

export function endFromRecord(session: SessionRecord): EndMessage {
  const { sessionId, score, endReason, replay } = session;
  if (endReason === null) throw new Error(`The channel of session ${sessionId} was closed although it goes on.`);
  const waits = session.snapshot.state === "required" || session.snapshot.state === "prepared";
  return {
    t: "end",
    sessionId,
    score,
    endReason,
    replayDigest: replay?.digest ?? "0x",
    next: waits ? { method: "POST", path: "/api/rewards/snapshot", body: { sessionId } } : null,
  };
}

/** Heartbeats for as long as the returned function was not called. A failed one is no reason to stop playing. */
function keepAlive(beat: () => Promise<unknown>, seconds: number): () => void {
  const timer = setInterval(() => void beat().catch(() => {}), seconds * 1000);
  return () => clearInterval(timer);
}

/**
 * Plays a session to its end and resolves with the `end` message. Comes back after a lost connection with a new play
 * token; sends heartbeats meanwhile. Throws `ArcadeChannelError` when the controls are lost for good.
 */
export async function playSession(options: PlayOptions): Promise<EndMessage> {
  const { client, session, bot } = options;
  const { sessionId } = session;
  const slug = "session" in session ? session.session.slug : session.slug;
  const call = session.practiceToken === undefined ? {} : { token: session.practiceToken };
  let first = "playToken" in session ? { token: session.playToken, wsUrl: session.wsUrl } : null;

  const stopHeartbeat = keepAlive(
    () => client.sessions.heartbeat({ slug, sessionId }, call),
    "heartbeatSeconds" in session ? session.heartbeatSeconds : HEARTBEAT_SECONDS,
  );
  try {
    return await runChannel({
      ...options,
      ...client.channelPorts,
      async ticket() {
        const ticket = first ?? (await client.sessions.playToken({ slug, sessionId }, call));
        first = null;
        return ticket;
      },
      onFrame(body: FrameBody, send) {
        const frame = body as unknown as PlayFrame;
        options.onFrame?.(frame);
        const message = frame.phase === "running" ? bot(frame) : null;
        if (message !== null) send(message);
      },
      ended: () => endOf(client, slug, sessionId),
    });
  } finally {
    stopHeartbeat();
  }
}

/**
 * Watches a session and resolves with its `end` message. Uses the viewer's sign-in when there is one, the public flow
 * otherwise. Throws `SPECTATORS_FULL` as an `ArcadeApiError`; `spectatorsFullText` makes the sentence to show.
 */
export async function spectate(options: SpectateOptions): Promise<EndMessage> {
  const { client, slug, sessionId } = options;
  const query = options.compact === true ? "&enc=compact" : "";
  return runChannel({
    ...options,
    ...client.channelPorts,
    async ticket() {
      const { token, wsUrl } = await seat();
      return { token, wsUrl: wsUrl + query };
    },
    onFrame: (frame) => options.onFrame?.(frame as unknown as PlayFrame),
    ended: () => endOf(client, slug, sessionId),
  });

  async function seat() {
    if (client.signIn.credentials() === null) return client.sessions.spectateTokenPublic({ slug, sessionId });
    try {
      return await client.sessions.spectateToken({ slug, sessionId });
    } catch (error) {
      if (!isApiError(error, "AUTH_REQUIRED", "TOKEN_INVALID", "TOKEN_EXPIRED", "REFRESH_REUSED")) throw error;
      return client.sessions.spectateTokenPublic({ slug, sessionId });
    }
  }
}
