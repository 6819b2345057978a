/** A practice session, started without a wallet and played over the play channel. */
import { type Signal, signal } from "@preact/signals";
import type { StartedSession } from "../../client/api.ts";
import { runChannel } from "../../client/channel.ts";
import { toEndMessage } from "../../client/spectate.ts";
import type { Command, EndMessage } from "../../domain/protocol/messages.ts";
import type { Game, InputCode, PlayFrame } from "../../games/game.ts";
import { SessionState } from "../session/session-state.ts";
import type { Sample } from "../session/timeline.ts";
import { client } from "../wallet/service.ts";
import { PawnPredictor } from "./predict.ts";
import { keepSeat, readSeat, type Seat } from "./seat.ts";

export type PracticeState =
  | { readonly status: "idle" | "starting" | "playing" | "reconnecting" | "ended" }
  | { readonly status: "failed"; readonly text: string };

/** A player needs the latest frame, so the delay of interpolation is short. */
const PLAYBACK_DELAY_TICKS = 1;

export class PracticeSession {
  readonly game: Game;
  readonly sessionState: Signal<SessionState>;
  readonly state: Signal<PracticeState> = signal({ status: "idle" });
  readonly end: Signal<Pick<EndMessage, "score" | "endReason"> | null> = signal(null);
  readonly pausesLeft: Signal<number> = signal(0);
  /** A message of the service, shown briefly. */
  readonly notice: Signal<string | null> = signal(null);
  #predictor: PawnPredictor;
  #seq = 0;
  #lastSampleMs = 0;
  #send: ((message: object) => void) | null = null;
  #abortController = new AbortController();

  constructor(game: Game) {
    this.game = game;
    this.sessionState = signal(new SessionState(game.tickHz, PLAYBACK_DELAY_TICKS));
    this.#predictor = new PawnPredictor(game);
  }

  /** The run that a reload has interrupted. */
  findInterrupted(): Seat | null {
    return readSeat(this.game.slug);
  }

  /** Plays one run to its end, an interrupted one if given; never throws. */
  async play(interrupted: Seat | null = null): Promise<void> {
    const { status } = this.state.value;
    if (status === "starting" || status === "playing" || status === "reconnecting") return;
    this.#abortController = new AbortController();
    const { signal } = this.#abortController;
    const sessionState = new SessionState(this.game.tickHz, PLAYBACK_DELAY_TICKS);
    this.sessionState.value = sessionState;
    this.#predictor = new PawnPredictor(this.game);
    this.notice.value = null;
    this.state.value = { status: "starting" };
    try {
      const { slug } = this.game;
      const seat = interrupted ?? (await client.sessions.start({ slug, source: "browser_ws" }, { signal }));
      keepSeat(slug, seat);
      this.end.value = await this.#runChannel(seat, sessionState, signal);
      this.state.value = { status: "ended" };
    } catch (error) {
      if (signal.aborted) return;
      this.state.value = { status: "failed", text: error instanceof Error ? error.message : String(error) };
    } finally {
      keepSeat(this.game.slug, null);
      this.#send = null;
    }
  }

  sendInput(message: InputCode["message"]): void {
    if (this.#send === null) return;
    this.#seq += 1;
    const input = this.game.inputs.find((candidate) => candidate.message === message);
    if (input !== undefined) this.#predictor.onSend(input.code, this.#seq);
    this.#send({ ...message, seq: this.#seq });
  }

  /** The picture at a time: everything from the frames, except that the rules predict the player's own figure. */
  sample(nowMs: number): Sample | null {
    const sample = this.sessionState.value.timeline.sample(nowMs);
    const pawn = this.#predictor.sample(nowMs, nowMs - this.#lastSampleMs);
    this.#lastSampleMs = nowMs;
    if (sample === null || pawn === null) return sample;
    const { frame, previous, alpha } = sample;
    return { frame: { ...frame, pawn }, previous: previous === null ? null : { ...previous, pawn }, alpha };
  }

  sendCommand(cmd: Command): void {
    this.#send?.({ t: "cmd", cmd });
  }

  togglePause(): void {
    const phase = this.sessionState.value.frame.value?.phase;
    if (phase === "running") this.sendCommand("pause");
    else if (phase === "paused") this.sendCommand("resume");
  }

  /** Leaves the page: the run ends with its score. */
  leave(): void {
    this.sendCommand("exit");
    this.#abortController.abort();
  }

  #runChannel(seat: Seat | StartedSession, sessionState: SessionState, signal: AbortSignal): Promise<EndMessage> {
    const { slug } = this.game;
    const { sessionId, practiceToken } = seat;
    const options = practiceToken === undefined ? {} : { token: practiceToken };
    let firstTicket = "playToken" in seat ? { token: seat.playToken, wsUrl: seat.wsUrl } : null;
    return runChannel({
      ...client.channelPorts,
      signal,
      async getToken() {
        const ticket = firstTicket ?? (await client.sessions.playToken({ slug, sessionId }, options));
        firstTicket = null;
        return ticket;
      },
      onHello: (hello) => {
        sessionState.onHello(hello);
        this.pausesLeft.value = hello.pauseBudget.pauses.left;
        this.state.value = { status: "playing" };
      },
      onFrame: (frame, send) => {
        this.#send = send;
        sessionState.onFrame(frame);
        this.#predictor.onFrame(frame as unknown as PlayFrame, performance.now());
      },
      onEvent: (event) => {
        if (event.event === "paused" && event.by === "player") this.pausesLeft.value -= 1;
        if (event.event === "resumed") this.notice.value = null;
        sessionState.onEvent(event);
      },
      onError: ({ error }) => {
        this.notice.value = error;
      },
      onReconnect: () => {
        this.#send = null;
        this.state.value = { status: "reconnecting" };
      },
      getEndMessage: async () => toEndMessage((await client.sessions.get({ slug, sessionId })).session),
    });
  }
}
