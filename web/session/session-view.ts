/** Watching one session: token, channel, coming back, and its record before and after. */
import { type Signal, signal } from "@preact/signals";
import type { EndMessage } from "../../backend/domain/protocol/messages.ts";
import type { Replay } from "../../backend/domain/replay/replay.ts";
import type { Game } from "../../backend/games/game.ts";
import { getRules } from "../../backend/games/index.ts";
import type { SessionRecord } from "../../client/api.ts";
import { formatSpectatorsFull, isApiError } from "../../client/errors.ts";
import { spectate } from "../../client/play.ts";
import { sleep } from "../../client/retry.ts";
import { client } from "../wallet/service.ts";
import { ReplayPlayer } from "./replay-player.ts";
import { checkReplay, type ScoreCheck } from "./score-check.ts";
import { SessionState } from "./session-state.ts";
import type { Sample } from "./timeline.ts";

export type SessionViewState =
  | { readonly status: "joining" | "watching" | "reconnecting" | "ended" | "replaying" | "missing" }
  /** Every seat is taken, or the service said no: the sentence to show. */
  | { readonly status: "full" | "failed"; readonly text: string };

/** Viewers see the game this far behind its latest frame, so that an uneven line does not show. */
const PLAYBACK_DELAY_TICKS = 1.5;
const RECORD_POLL_INTERVAL_MS = 4000;

export class SessionView {
  readonly slug: string;
  readonly sessionId: string;
  readonly sessionState: Signal<SessionState>;
  readonly state: Signal<SessionViewState> = signal({ status: "joining" });
  readonly record: Signal<SessionRecord | null> = signal(null);
  readonly end: Signal<Pick<EndMessage, "score" | "endReason"> | null> = signal(null);
  /** What the browser found when it derived the score again; null before the first check. */
  readonly scoreCheck: Signal<ScoreCheck | "running" | null> = signal(null);
  /** How many times faster than it was played a replay runs. */
  readonly speed: Signal<number> = signal(1);
  readonly #abortController = new AbortController();
  #replay: Replay | null = null;
  #replayPlayer: ReplayPlayer | null = null;
  #lastSampleMs = 0;

  constructor(game: Game, sessionId: string) {
    this.slug = game.slug;
    this.sessionId = sessionId;
    this.sessionState = signal(new SessionState(game.tickHz, PLAYBACK_DELAY_TICKS));
  }

  /** Watches to the end; never throws. Called again after `full` or `failed` to try once more. */
  async watch(): Promise<void> {
    const { slug, sessionId } = this;
    const { signal } = this.#abortController;
    this.state.value = { status: "joining" };
    try {
      const { session } = await client.sessions.get({ slug, sessionId }, { signal });
      this.record.value = session;
      if (session.phase === "ended" && session.endReason !== null) {
        this.end.value = { score: session.score, endReason: session.endReason };
        if (session.replay?.available === true) await this.#showLastFrame();
      } else {
        this.end.value = await spectate({
          client,
          slug,
          sessionId,
          signal,
          onHello: (hello) => {
            this.sessionState.value.onHello(hello);
            this.state.value = { status: "watching" };
          },
          onFrame: (frame) => this.sessionState.value.onFrame(frame),
          onEvent: (event) => this.sessionState.value.onEvent(event),
          onReconnect: () => {
            this.state.value = { status: "reconnecting" };
          },
        });
      }
      this.state.value = { status: "ended" };
      await this.#pollRecord();
    } catch (error) {
      if (!signal.aborted) this.state.value = toErrorState(error);
    }
  }

  /** The picture of a moment: live, or of the replay that is on. */
  sample(nowMs: number): Sample | null {
    const player = this.#replayPlayer;
    if (player === null) return this.sessionState.value.timeline.sample(nowMs);
    if (!player.isOver) player.advance((nowMs - this.#lastSampleMs) * this.speed.value);
    this.#lastSampleMs = nowMs;
    if (player.isOver && this.state.value.status === "replaying") this.state.value = { status: "ended" };
    return player.sample();
  }

  /** Plays the ended session again from its replay; never throws. */
  async playReplay(): Promise<void> {
    await this.#withReplay(async (replay) => {
      this.#replayPlayer = this.#createReplayPlayer(replay);
      this.#lastSampleMs = performance.now();
      this.state.value = { status: "replaying" };
    });
  }

  /** Derives the score again and compares it with the record; never throws. */
  async checkScore(): Promise<void> {
    this.scoreCheck.value = "running";
    await this.#withReplay(async (replay) => {
      const record = this.record.value;
      if (record !== null) this.scoreCheck.value = await checkReplay(replay, record);
    });
    if (this.scoreCheck.value === "running") this.scoreCheck.value = null;
  }

  /** Leaves a replay for the end card. */
  skipReplay(): void {
    if (this.state.value.status === "replaying") this.state.value = { status: "ended" };
  }

  leave(): void {
    this.#abortController.abort();
  }

  #createReplayPlayer(replay: Replay): ReplayPlayer {
    const rules = getRules(replay.slug, replay.rulesVersion);
    if (rules === undefined) throw new Error(`This viewer does not know rules version ${replay.rulesVersion}.`);
    const sessionState = new SessionState(replay.tickHz, 0);
    this.sessionState.value = sessionState;
    return new ReplayPlayer(rules, replay, (frame, events) => {
      sessionState.frame.value = frame;
      for (const event of events) sessionState.onEvent({ ...event, t: "event", event: event.event, tick: frame.tick });
    });
  }

  /** A viewer who arrives after the end sees the last frame behind the card. */
  async #showLastFrame(): Promise<void> {
    await this.#withReplay(async (replay) => {
      const player = this.#createReplayPlayer(replay);
      player.finish();
      this.#replayPlayer = player;
    });
  }

  async #withReplay(use: (replay: Replay) => Promise<void>): Promise<void> {
    const { slug, sessionId } = this;
    const { signal } = this.#abortController;
    try {
      this.#replay ??= await client.sessions.replay({ slug, sessionId }, { signal });
      await use(this.#replay);
    } catch (error) {
      if (!signal.aborted) this.scoreCheck.value = { ok: false, text: getErrorMessage(error) };
    }
  }

  /** After the end the score travels to the chain; the card follows it there. */
  async #pollRecord(): Promise<void> {
    const { slug, sessionId } = this;
    const { signal } = this.#abortController;
    for (;;) {
      const response = await client.sessions.get({ slug, sessionId }, { signal }).catch(() => null);
      if (response !== null) this.record.value = response.session;
      const state = response?.session.snapshot.state;
      if (signal.aborted || state === "none" || state === "final" || state === "forfeited") return;
      await sleep(RECORD_POLL_INTERVAL_MS, signal);
    }
  }
}

function toErrorState(error: unknown): SessionViewState {
  if (isApiError(error, "SPECTATORS_FULL")) return { status: "full", text: formatSpectatorsFull(error) };
  if (isApiError(error, "SESSION_NOT_FOUND", "GAME_NOT_FOUND")) return { status: "missing" };
  return { status: "failed", text: getErrorMessage(error) };
}

const getErrorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));
