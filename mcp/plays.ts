/** Sessions that policies play. Each continues after the call that started it has returned. */
import { PolicyProcess } from "../backend/adapters/policies/policy-process.ts";
import type { StartedSession } from "../client/api.ts";
import { attestSession } from "../client/attest.ts";
import type { EndMessage } from "../client/channel.ts";
import type { ArcadeClient } from "../client/client.ts";
import { isApiError } from "../client/errors.ts";
import { type PlayFrame, playSession } from "../client/play.ts";
import type { Transcript } from "../client/transcript.ts";
import type { Verdict } from "../client/verify-replay.ts";
import { ToolError, throwToolError } from "./errors.ts";
import { Slots, type ToolCaller } from "./slots.ts";

export const PLAY_LIMITS = {
  atOnce: 32,
  guests: 8,
  perCaller: 4,
  /** How many finished sessions to remember. */
  remembered: 200,
  /** The longest time that a call waits for the end. */
  waitSeconds: 50,
} as const;

export interface PlayRequest {
  readonly client: ArcadeClient;
  readonly caller: ToolCaller;
  /** The caller's access token; null for practice, and if the client signs in by itself. */
  readonly token: string | null;
  readonly slug: string;
  readonly policy: string;
  readonly isPractice: boolean;
  /** The session ends at this score; null: it runs to its end. */
  readonly leaveAtScore: number | null;
}

export interface PlayView {
  readonly sessionId: string;
  readonly slug: string;
  readonly source: "agent_api" | "browser_ws";
  readonly phase: "running" | "ended";
  readonly score: number;
  readonly tick: number;
  readonly lives: number | null;
  readonly endReason: string | null;
  /** Verdict on the ended session's replay, which this server's wallet signed; null without a wallet. */
  readonly verdict: Verdict | null;
  /** Why the policy or the channel ended the session. */
  readonly error: { readonly code: string; readonly error: string } | null;
  readonly next: string | null;
}

class Play {
  readonly sessionId: string;
  readonly owner: string | null;
  readonly source: "agent_api" | "browser_ws";
  readonly slug: string;
  readonly ended: Promise<void>;
  frame: PlayFrame | null = null;
  end: EndMessage | null = null;
  verdict: Verdict | null = null;
  error: PlayView["error"] = null;
  isOver = false;

  constructor(
    session: Pick<PlayView, "sessionId" | "slug" | "source"> & { readonly owner: string | null },
    run: (play: Play) => Promise<EndMessage>,
  ) {
    this.sessionId = session.sessionId;
    this.owner = session.owner;
    this.slug = session.slug;
    this.source = session.source;
    this.ended = run(this)
      .then((end) => {
        this.end = end;
      })
      .catch((error: unknown) => {
        // A bot error has the sandbox's error as its cause.
        const { code, message, cause } = error as { code?: string; message: string; cause?: unknown };
        const known = cause instanceof ToolError ? cause : null;
        this.error = { code: known?.code ?? code ?? "PLAY_FAILED", error: known?.message ?? message };
      })
      .finally(() => {
        this.isOver = true;
      });
  }

  /** Errors may contain text of the policy, which only its owner may see. */
  view(viewer: string | null): PlayView {
    const { sessionId, slug, source, frame, end, verdict, isOver } = this;
    const error = viewer === this.owner ? this.error : null;
    const isPending = end !== null && end.next !== null;
    return {
      sessionId,
      slug,
      source,
      phase: isOver ? "ended" : "running",
      error,
      score: end?.score ?? frame?.score.current ?? 0,
      tick: frame?.tick ?? 0,
      lives: frame?.lives ?? null,
      endReason: end?.endReason ?? null,
      verdict,
      next: isOver ? (isPending ? "snapshot" : null) : "watch",
    };
  }
}

export class Plays {
  /** In start order. */
  readonly #plays = new Map<string, Play>();
  readonly #slots = new Slots({ ...PLAY_LIMITS, what: "sessions" });

  /** Starts a session and plays it. Throws `ToolError` and `ArcadeApiError`. */
  async start(request: PlayRequest): Promise<PlayView> {
    const release = this.#slots.take(request.caller);
    try {
      const policy = await PolicyProcess.start(request.policy).catch((error) => throwToolError(error));
      const play = await this.#start(request, policy);
      void play.ended.finally(release);
      return play.view(request.caller.key);
    } catch (error) {
      release();
      throw error;
    }
  }

  async #start(request: PlayRequest, policy: PolicyProcess): Promise<Play> {
    const { client, token, slug, isPractice } = request;
    const source = isPractice ? "browser_ws" : "agent_api";
    const started = await client.sessions.start({ slug, source }, token === null ? {} : { token }).catch((error) => {
      policy.stop();
      throw error;
    });
    // The token for calls to the session, from an anonymous start.
    const session = token === null ? started : { ...started, practiceToken: token };
    const { slug: startedSlug } = started.session;
    const owner = request.caller.key;
    const play = new Play({ sessionId: started.sessionId, slug: startedSlug, source, owner }, (self) =>
      this.#run(self, policy, session, request),
    );
    this.#plays.set(play.sessionId, play);
    this.#forgetOldest();
    return play;
  }

  /** Plays to the end. A server with a key signs the replay; if signing fails, the session still counts. */
  async #run(play: Play, policy: PolicyProcess, session: StartedSession, request: PlayRequest): Promise<EndMessage> {
    const { client, isPractice } = request;
    let transcript: Transcript | null = null;
    const onTranscript = (kept: Transcript): void => {
      transcript = kept;
    };
    const bot = this.#createBot(play, policy, request);
    const end = await playSession({ client, session, onTranscript, ...bot }).finally(() => policy.stop());
    if (isPractice || client.wallet === null || transcript === null) return end;
    const verdict = await attestSession({ client, slug: play.slug, transcript }).catch(() => null);
    play.verdict = verdict?.verdict ?? null;
    return end;
  }

  #createBot(play: Play, policy: PolicyProcess, { client, token, leaveAtScore }: PlayRequest) {
    let isLeaving = false;
    return {
      onFrame: (frame: PlayFrame): void => {
        play.frame = frame;
        if (leaveAtScore === null || frame.score.current < leaveAtScore || isLeaving) return;
        isLeaving = true;
        const { slug, sessionId } = play;
        // A final rejection, such as an expired token, would come again with every frame.
        void client.sessions.end({ slug, sessionId }, token === null ? {} : { token }).catch((error: unknown) => {
          isLeaving = !(isApiError(error) && error.retryable);
        });
      },
      bot: async (frame: PlayFrame) => {
        const move = await policy.move(frame).catch((error) => throwToolError(error, frame.tick));
        return move as null;
      },
    };
  }

  has(sessionId: string): boolean {
    return this.#plays.has(sessionId);
  }

  /** Waits for the end of a session, at most `seconds`. Throws `ToolError`. */
  async wait(sessionId: string, seconds: number, viewer: ToolCaller): Promise<PlayView> {
    const play = this.#find(sessionId);
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, Math.min(seconds, PLAY_LIMITS.waitSeconds) * 1000);
    await Promise.race([play.ended, promise]);
    clearTimeout(timer);
    return play.view(viewer.key);
  }

  #find(sessionId: string): Play {
    const play = this.#plays.get(sessionId);
    if (play === undefined) throw new ToolError("PLAY_UNKNOWN", `Session ${sessionId} is not played by this server.`);
    return play;
  }

  #forgetOldest(): void {
    for (const [sessionId, { isOver }] of this.#plays) {
      if (this.#plays.size <= PLAY_LIMITS.remembered) return;
      if (isOver) this.#plays.delete(sessionId);
    }
  }
}
