/** Watching one session: token, channel, coming back, and its record before and after. */
import { type Signal, signal } from "@preact/signals";
import type { EndMessage } from "../../backend/domain/protocol.ts";
import type { Game } from "../../backend/games/game.ts";
import { isApiError, spectatorsFullText } from "../../client/errors.ts";
import { spectate } from "../../client/play.ts";
import { sleep } from "../../client/retry.ts";
import type { SessionRecord } from "../../client/types.ts";
import { client } from "../service.ts";
import { Show } from "../stage/show.ts";

export type ViewingState =
  | { readonly at: "joining" | "watching" | "reconnecting" | "ended" | "missing" }
  /** Every seat is taken, or the service said no: the sentence to show. */
  | { readonly at: "full" | "failed"; readonly text: string };

/** Viewers see the game this far behind its latest frame, so that an uneven line does not show. */
const DELAY_TICKS = 1.5;
const RECORD_EVERY_MS = 4000;

export class Viewing {
  readonly slug: string;
  readonly sessionId: string;
  readonly show: Show;
  readonly state: Signal<ViewingState> = signal({ at: "joining" });
  readonly record: Signal<SessionRecord | null> = signal(null);
  readonly end: Signal<Pick<EndMessage, "score" | "endReason"> | null> = signal(null);
  readonly #stop = new AbortController();

  constructor(game: Game, sessionId: string) {
    this.slug = game.slug;
    this.sessionId = sessionId;
    this.show = new Show(game.tickHz, DELAY_TICKS);
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
      } else {
        this.end.value = await spectate({
          client,
          slug,
          sessionId,
          signal,
          onHello: (hello) => {
            this.show.hello(hello);
            this.state.value = { at: "watching" };
          },
          onFrame: (frame) => this.show.push(frame),
          onEvent: (event) => this.show.event(event),
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

  leave(): void {
    this.#stop.abort();
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
  return { at: "failed", text: fault instanceof Error ? fault.message : String(fault) };
}
