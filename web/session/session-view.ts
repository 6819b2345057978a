/** Watches one session: gets a token, joins the channel, reconnects, and reads the record before and after. */
import { type Signal, signal } from "@preact/signals";
import type { SessionRecord } from "../../client/api.ts";
import { formatSpectatorsFull, isApiError } from "../../client/errors.ts";
import { sleep } from "../../client/retry.ts";
import { spectate } from "../../client/spectate.ts";
import { CHANNEL_LIMITS } from "../../domain/limits/limits.ts";
import type { EndMessage } from "../../domain/protocol/messages.ts";
import type { Game } from "../../games/game.ts";
import { getErrorMessage } from "../labels/shared.ts";
import { loadRun } from "../replay/load-run.ts";
import type { Recording } from "../replay/recording.ts";
import { client } from "../wallet/service.ts";
import { SessionState } from "./session-state.ts";
import type { Sample } from "./timeline.ts";

export type SessionViewState =
  | { readonly status: "joining" | "watching" | "reconnecting" | "ended" | "missing" }
  /** Every seat is taken, or the service rejected the viewer. `text`: the sentence to show. */
  | { readonly status: "full" | "failed"; readonly text: string };

/** Hides network jitter. Viewers see the game this far behind its latest frame, plus the ticks that come together. */
const JITTER_TICKS = 0.5;
const RECORD_POLL_INTERVAL_MS = 4000;
/** A running game sends frames many times a second; the connection of a frozen server stays open. */
const STALL_MS = 2000;
const STALL_CHECK_MS = 500;

export class SessionView {
  readonly slug: string;
  readonly sessionId: string;
  readonly sessionState: Signal<SessionState>;
  readonly state: Signal<SessionViewState> = signal({ status: "joining" });
  readonly record: Signal<SessionRecord | null> = signal(null);
  readonly end: Signal<Pick<EndMessage, "score" | "endReason"> | null> = signal(null);
  /** The game runs, but no frame arrives. */
  readonly isStalled: Signal<boolean> = signal(false);
  #frameMs = 0;
  readonly #abortController = new AbortController();
  /** The replay for a viewer who arrives after the end. */
  #recording: Recording | null = null;

  /** `record`: the session's record, if it has already been read. */
  constructor(game: Game, sessionId: string, record: SessionRecord | null = null) {
    this.record.value = record;
    this.slug = game.slug;
    this.sessionId = sessionId;
    const ticksPerWrite = Math.ceil(game.tickHz / CHANNEL_LIMITS.spectatorWritesPerSecond);
    this.sessionState = signal(new SessionState(game.tickHz, ticksPerWrite + JITTER_TICKS));
  }

  /** Watches until the end. Never throws. Call it again after `full` or `failed` to retry. */
  async watch(): Promise<void> {
    const { slug, sessionId } = this;
    const { signal } = this.#abortController;
    this.state.value = { status: "joining" };
    const stallCheck = setInterval(() => this.#checkStall(), STALL_CHECK_MS);
    try {
      const { session } = await client.sessions.get({ slug, sessionId }, { signal });
      this.record.value = session;
      if (session.phase === "ended" && session.endReason !== null) {
        this.end.value = { score: session.score, endReason: session.endReason };
        if (session.replay?.available === true) await this.#showLastFrame().catch(() => undefined);
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
          onFrame: (frame) => {
            this.#frameMs = performance.now();
            this.sessionState.value.onFrame(frame);
          },
          onEvent: (event) => this.sessionState.value.onEvent(event),
          onReconnect: () => {
            this.state.value = { status: "reconnecting" };
          },
        });
      }
      clearInterval(stallCheck);
      this.state.value = { status: "ended" };
      await this.#pollRecord();
    } catch (error) {
      if (!signal.aborted) this.state.value = toErrorState(error);
    } finally {
      clearInterval(stallCheck);
    }
  }

  /** The picture at a time; the last one if the session was already over. */
  sample(nowMs: number): Sample | null {
    const recording = this.#recording;
    if (recording !== null) return recording.sampleAt(recording.ticks);
    return this.sessionState.value.timeline.sample(nowMs);
  }

  leave(): void {
    this.#abortController.abort();
  }

  #checkStall(): void {
    const isRunning = this.sessionState.value.frame.value?.phase === "running";
    this.isStalled.value = isRunning && performance.now() - this.#frameMs > STALL_MS;
  }

  /** A viewer who arrives after the end sees the last frame behind the card. */
  async #showLastFrame(): Promise<void> {
    const { run } = await loadRun(this.sessionId, this.#abortController.signal);
    if (run === null) return;
    this.#recording = run.recording;
    this.sessionState.value.frame.value = run.recording.frameAt(run.recording.ticks);
  }

  /** After the end, the card follows the score until it is on chain. */
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
