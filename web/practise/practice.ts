/** A practice session of one's own: started without a wallet, played over the play channel. */
import { type Signal, signal } from "@preact/signals";
import type { Command, EndMessage } from "../../backend/domain/protocol.ts";
import type { Game, InputCode } from "../../backend/games/game.ts";
import { runChannel } from "../../client/channel.ts";
import { endFromRecord } from "../../client/play.ts";
import type { StartedSession } from "../../client/types.ts";
import { client } from "../access/service.ts";
import { Show } from "../stage/show.ts";

export type PracticeState =
  | { readonly at: "idle" | "starting" | "playing" | "reconnecting" | "ended" }
  | { readonly at: "failed"; readonly text: string };

/** A player wants to see the latest frame, so little is kept back. */
const DELAY_TICKS = 1;

export class Practice {
  readonly game: Game;
  readonly show: Signal<Show>;
  readonly state: Signal<PracticeState> = signal({ at: "idle" });
  readonly end: Signal<Pick<EndMessage, "score" | "endReason"> | null> = signal(null);
  readonly pausesLeft: Signal<number> = signal(0);
  /** A sentence of the service, for a moment. */
  readonly notice: Signal<string | null> = signal(null);
  #send: ((message: object) => void) | null = null;
  #stop = new AbortController();

  constructor(game: Game) {
    this.game = game;
    this.show = signal(new Show(game.tickHz, DELAY_TICKS));
  }

  /** Plays one run to its end; never throws. */
  async play(): Promise<void> {
    const { at } = this.state.value;
    if (at === "starting" || at === "playing" || at === "reconnecting") return;
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    const show = new Show(this.game.tickHz, DELAY_TICKS);
    this.show.value = show;
    this.notice.value = null;
    this.state.value = { at: "starting" };
    try {
      const started = await client.sessions.start({ slug: this.game.slug, source: "browser_ws" }, { signal });
      this.end.value = await this.#run(started, show, signal);
      this.state.value = { at: "ended" };
    } catch (fault) {
      if (signal.aborted) return;
      this.state.value = { at: "failed", text: fault instanceof Error ? fault.message : String(fault) };
    } finally {
      this.#send = null;
    }
  }

  steer(message: InputCode["message"]): void {
    this.#send?.(message);
  }

  command(cmd: Command): void {
    this.#send?.({ t: "cmd", cmd });
  }

  togglePause(): void {
    const phase = this.show.value.frame.value?.phase;
    if (phase === "running") this.command("pause");
    else if (phase === "paused") this.command("resume");
  }

  /** Leaves the page: the run ends with its score. */
  leave(): void {
    this.command("exit");
    this.#stop.abort();
  }

  #run(started: StartedSession, show: Show, signal: AbortSignal): Promise<EndMessage> {
    const { slug } = this.game;
    const { sessionId, practiceToken } = started;
    const call = practiceToken === undefined ? {} : { token: practiceToken };
    let first: { readonly token: string; readonly wsUrl: string } | null = {
      token: started.playToken,
      wsUrl: started.wsUrl,
    };
    return runChannel({
      ...client.channelPorts,
      signal,
      async ticket() {
        const ticket = first ?? (await client.sessions.playToken({ slug, sessionId }, call));
        first = null;
        return ticket;
      },
      onHello: (hello) => {
        show.hello(hello);
        this.pausesLeft.value = hello.pauseBudget.pausesLeft;
        this.state.value = { at: "playing" };
      },
      onFrame: (frame, send) => {
        this.#send = send;
        show.push(frame);
      },
      onEvent: (event) => {
        if (event.event === "paused" && event.by === "player") this.pausesLeft.value -= 1;
        if (event.event === "resumed") this.notice.value = null;
        show.event(event);
      },
      onRefused: ({ error }) => {
        this.notice.value = error;
      },
      onReconnect: () => {
        this.#send = null;
        this.state.value = { at: "reconnecting" };
      },
      ended: async () => endFromRecord((await client.sessions.get({ slug, sessionId })).session),
    });
  }
}
