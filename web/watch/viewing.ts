/** Watching one session: token, channel, coming back, and its record before and after. */
import { type Signal, signal } from "@preact/signals";
import type { EndMessage } from "../../backend/domain/protocol.ts";
import type { Replay } from "../../backend/domain/replay.ts";
import type { Game } from "../../backend/games/game.ts";
import { rulesOf } from "../../backend/games/index.ts";
import { isApiError, spectatorsFullText } from "../../client/errors.ts";
import { spectate } from "../../client/play.ts";
import { sleep } from "../../client/retry.ts";
import type { SessionRecord } from "../../client/types.ts";
import { client } from "../access/service.ts";
import { Show } from "../stage/show.ts";
import type { Sample } from "../stage/timeline.ts";
import { type Check, checkReplay } from "./check.ts";
import { ReplayRun } from "./replay-run.ts";

export type ViewingState =
  | { readonly at: "joining" | "watching" | "reconnecting" | "ended" | "replaying" | "missing" }
  /** Every seat is taken, or the service said no: the sentence to show. */
  | { readonly at: "full" | "failed"; readonly text: string };

/** Viewers see the game this far behind its latest frame, so that an uneven line does not show. */
const DELAY_TICKS = 1.5;
const RECORD_EVERY_MS = 4000;

export class Viewing {
  readonly slug: string;
  readonly sessionId: string;
  readonly show: Signal<Show>;
  readonly state: Signal<ViewingState> = signal({ at: "joining" });
  readonly record: Signal<SessionRecord | null> = signal(null);
  readonly end: Signal<Pick<EndMessage, "score" | "endReason"> | null> = signal(null);
  /** What the browser found when it derived the score again; null while nobody asked. */
  readonly check: Signal<Check | "running" | null> = signal(null);
  /** How many times faster than it was played a replay runs. */
  readonly speed: Signal<number> = signal(1);
  readonly #stop = new AbortController();
  #replay: Replay | null = null;
  #run: ReplayRun | null = null;
  #lastMs = 0;

  constructor(game: Game, sessionId: string) {
    this.slug = game.slug;
    this.sessionId = sessionId;
    this.show = signal(new Show(game.tickHz, DELAY_TICKS));
  }

  /** Watches to the end; never throws. Called again after `full` or `failed` to try once more. */
  async watch(): Promise<void> {
    const { slug, sessionId } = this;
    const { signal } = this.#stop;
    this.state.value = { at: "joining" };
    try {
      const { session } = await client.sessions.get({ slug, sessionId }, { signal });
      this.record.value = session;
      if (session.phase === "ended" && session.endReason !== null) {
        this.end.value = { score: session.score, endReason: session.endReason };
        if (session.replay?.available === true) await this.#showLastPicture();
      } else {
        this.end.value = await spectate({
          client,
          slug,
          sessionId,
          signal,
          onHello: (hello) => {
            this.show.value.hello(hello);
            this.state.value = { at: "watching" };
          },
          onFrame: (frame) => this.show.value.push(frame),
          onEvent: (event) => this.show.value.event(event),
          onReconnect: () => {
            this.state.value = { at: "reconnecting" };
          },
        });
      }
      this.state.value = { at: "ended" };
      await this.#followRecord();
    } catch (fault) {
      if (!signal.aborted) this.state.value = stateOf(fault);
    }
  }

  /** The picture of a moment: live, or of the replay that is on. */
  sample(nowMs: number): Sample | null {
    const run = this.#run;
    if (run === null) return this.show.value.timeline.sample(nowMs);
    if (!run.isOver) run.advance((nowMs - this.#lastMs) * this.speed.value);
    this.#lastMs = nowMs;
    if (run.isOver && this.state.value.at === "replaying") this.state.value = { at: "ended" };
    return run.sample();
  }

  /** Plays the ended session again from its replay; never throws. */
  async playAgain(): Promise<void> {
    await this.#withReplay(async (replay) => {
      this.#run = this.#openRun(replay);
      this.#lastMs = performance.now();
      this.state.value = { at: "replaying" };
    });
  }

  /** Derives the score again and compares it with the record; never throws. */
  async checkScore(): Promise<void> {
    this.check.value = "running";
    await this.#withReplay(async (replay) => {
      const record = this.record.value;
      if (record !== null) this.check.value = await checkReplay(replay, record);
    });
    if (this.check.value === "running") this.check.value = null;
  }

  /** Leaves a replay for the end card. */
  skipReplay(): void {
    if (this.state.value.at === "replaying") this.state.value = { at: "ended" };
  }

  leave(): void {
    this.#stop.abort();
  }

  #openRun(replay: Replay): ReplayRun {
    const rules = rulesOf(replay.slug, replay.rulesVersion);
    if (rules === undefined) throw new Error(`This viewer does not know rules version ${replay.rulesVersion}.`);
    const show = new Show(replay.tickHz, 0);
    this.show.value = show;
    return new ReplayRun(rules, replay, (frame, events) => {
      show.frame.value = frame;
      for (const event of events) show.event({ ...event, t: "event", event: event.event, tick: frame.tick });
    });
  }

  /** Whoever comes after the end sees the last picture behind the card. */
  async #showLastPicture(): Promise<void> {
    await this.#withReplay(async (replay) => {
      const run = this.#openRun(replay);
      run.finish();
      this.#run = run;
    });
  }

  async #withReplay(use: (replay: Replay) => Promise<void>): Promise<void> {
    const { slug, sessionId } = this;
    const { signal } = this.#stop;
    try {
      this.#replay ??= await client.sessions.replay({ slug, sessionId }, { signal });
      await use(this.#replay);
    } catch (fault) {
      if (!signal.aborted) this.check.value = { ok: false, text: sentenceOf(fault) };
    }
  }

  /** After the end the score travels to the chain; the card follows it there. */
  async #followRecord(): Promise<void> {
    const { slug, sessionId } = this;
    const { signal } = this.#stop;
    for (;;) {
      const answer = await client.sessions.get({ slug, sessionId }, { signal }).catch(() => null);
      if (answer !== null) this.record.value = answer.session;
      const state = answer?.session.snapshot.state;
      if (signal.aborted || state === "none" || state === "final" || state === "forfeited") return;
      await sleep(RECORD_EVERY_MS, signal);
    }
  }
}

function stateOf(fault: unknown): ViewingState {
  if (isApiError(fault, "SPECTATORS_FULL")) return { at: "full", text: spectatorsFullText(fault) };
  if (isApiError(fault, "SESSION_NOT_FOUND", "GAME_NOT_FOUND")) return { at: "missing" };
  return { at: "failed", text: sentenceOf(fault) };
}

const sentenceOf = (fault: unknown): string => (fault instanceof Error ? fault.message : String(fault));
