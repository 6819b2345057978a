/** Playing a session. */
import { type Hex, isHex } from "viem";
import { computeGameSeed, computeSeedCommitment, NO_ENTROPY } from "../domain/replay/seed.ts";
import type { PlayFrame } from "../games/game.ts";
import type { StartedSession } from "./api.ts";
import { BotRunner, type PlayBot } from "./bot-runner.ts";
import { type EndMessage, type FrameBody, runChannel } from "./channel.ts";
import type { ArcadeClient } from "./client.ts";
import { ArcadeBotError, ArcadeEvidenceError, isApiError } from "./errors.ts";
import { type ChannelOptions, getEndMessage } from "./spectate.ts";
import { type Transcript, TranscriptRecorder } from "./transcript.ts";

export type { Bot, PlayFrame } from "../games/game.ts";
export type { PlayBot } from "./bot-runner.ts";

export interface PlayOptions extends ChannelOptions {
  /** The response of a start, or an active session to resume. */
  readonly session:
    | StartedSession
    | { readonly slug: string; readonly sessionId: string; readonly practiceToken?: string };
  /** Receives the frames while the game runs and returns the message to send, null for none, or a promise. */
  readonly bot: PlayBot;
  /** The player's part of the seed, 1 to 32 bytes; random by default. */
  readonly entropy?: Hex;
  /** Receives the transcript before the promise resolves: `verifyReplay` compares it with the replay. */
  onTranscript?(transcript: Transcript): void;
}

const HEARTBEAT_SECONDS = 15;
/** After this many rejected heartbeats, assume that the channel's `end` message was lost. */
const ENDED_HEARTBEATS_MAX = 2;
/** Caps the interval: a timer of months would fire at once, again and again. */
const HEARTBEAT_SECONDS_MAX = 3600;

/** The session to play; `started` is null for one that was started before. */
function toPlayedSession(session: PlayOptions["session"]) {
  const { sessionId, practiceToken } = session;
  const started = "session" in session ? session : null;
  const slug = "session" in session ? session.session.slug : session.slug;
  return { slug, sessionId, practiceToken, started };
}

interface HeartbeatOptions {
  readonly send: () => Promise<unknown>;
  readonly seconds: number;
  /** Called after several heartbeats in a row were rejected because the session has ended. */
  readonly onEnded: () => void;
}

/**
 * Sends heartbeats until the returned function is called, at the service's interval if known. Other heartbeat failures
 * do not end the game.
 */
function startHeartbeat({ send, seconds, onEnded }: HeartbeatOptions): () => void {
  const periodSeconds = seconds > 0 && seconds <= HEARTBEAT_SECONDS_MAX ? seconds : HEARTBEAT_SECONDS;
  let refusals = 0;
  const onSettled = (error?: unknown): void => {
    refusals = isApiError(error, "SESSION_ENDED") ? refusals + 1 : 0;
    if (refusals >= ENDED_HEARTBEATS_MAX) onEnded();
  };
  const timer = setInterval(() => void send().then(() => onSettled(), onSettled), periodSeconds * 1000);
  return () => clearInterval(timer);
}

/**
 * Compares the revealed seed with the earlier commitment and entropy. Throws `ArcadeEvidenceError`. If the replay
 * cannot be read now, check it later with `verifyReplay`.
 */
async function checkSeed(client: ArcadeClient, slug: string, transcript: Transcript): Promise<void> {
  const { sessionId, seedCommitment, entropy } = transcript;
  const replay = await client.sessions.replay({ slug, sessionId }).catch((error: unknown) => {
    if (isApiError(error)) return null;
    throw error;
  });
  if (replay === null) return;
  const revealed = isHex(replay.serverSeed) ? computeSeedCommitment(replay.serverSeed) : String(replay.serverSeed);
  if (revealed !== seedCommitment) throw new ArcadeEvidenceError("seedCommitment", seedCommitment, revealed);
  const seed = computeGameSeed(replay.serverSeed, entropy ?? NO_ENTROPY);
  if (seed !== replay.seed) throw new ArcadeEvidenceError("seed", seed, replay.seed);
}

/**
 * Plays a session to its end and resolves with the `end` message. Sends heartbeats, and reconnects with a new play
 * token after a lost connection. Throws `ArcadeChannelError` if the channel is closed for good. Throws `ArcadeBotError`
 * if the bot fails, after ending the session.
 */
export async function playSession(options: PlayOptions): Promise<EndMessage> {
  const { client } = options;
  const { slug, sessionId, practiceToken, started } = toPlayedSession(options.session);
  const call = practiceToken === undefined ? {} : { token: practiceToken };
  const bot = new BotRunner({ slug, bot: options.bot });
  const recorder = new TranscriptRecorder(sessionId, started?.session.seedCommitment ?? null, options.entropy);
  let initialToken = started === null ? null : { token: started.playToken, wsUrl: started.wsUrl };

  // Aborted when a session ends without a message on its channel.
  const ended = new AbortController();
  const stopHeartbeat = startHeartbeat({
    send: () => client.sessions.heartbeat({ slug, sessionId }, call),
    seconds: started?.heartbeatSeconds ?? HEARTBEAT_SECONDS,
    // Without a record of the end, keep the channel: the service stores the end before it announces it.
    onEnded: () =>
      void getEndMessage(client, slug, sessionId).then(
        (end) => ended.abort(end),
        () => undefined,
      ),
  });
  try {
    const channel = runChannel({
      ...options,
      ...client.channelPorts,
      signal: options.signal === undefined ? ended.signal : AbortSignal.any([options.signal, ended.signal]),
      entropy: recorder.entropy,
      onHello(hello) {
        recorder.onHello(hello);
        bot.setLockstep(hello.lockstep);
        options.onHello?.(hello);
      },
      onError(error) {
        recorder.onError(error);
        options.onError?.(error);
      },
      async getToken() {
        const channelToken = initialToken ?? (await client.sessions.playToken({ slug, sessionId }, call));
        initialToken = null;
        return channelToken;
      },
      onFrame(body: FrameBody, send) {
        const frame = body as unknown as PlayFrame;
        recorder.onFrame(body);
        options.onFrame?.(frame);
        return bot.onFrame(frame, (message) => send(recorder.addSent(message)));
      },
      getEndMessage: () => getEndMessage(client, slug, sessionId),
    });
    const end = await channel.catch((error: unknown) => {
      if (ended.signal.aborted && error === ended.signal.reason) return ended.signal.reason as EndMessage;
      throw error;
    });
    const transcript = recorder.getTranscript();
    if (started?.session.source === "agent_api") await checkSeed(client, slug, transcript);
    options.onTranscript?.(transcript);
    return end;
  } catch (error) {
    // End the session of a failed bot, so that it does not block the next one.
    if (error instanceof ArcadeBotError) await client.sessions.end({ slug, sessionId }, call).catch(() => undefined);
    throw error;
  } finally {
    stopHeartbeat();
  }
}
