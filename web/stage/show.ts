/** What a page shows of one session: the picture, the numbers and the ticker, fed by the channel's messages. */
import { type Signal, signal } from "@preact/signals";
import type { EventMessage, FrameBody, HelloMessage } from "../../backend/domain/protocol.ts";
import type { PlayFrame } from "../../backend/games/game.ts";
import { tickerLine } from "../words.ts";
import { TICKER_LINES, type TickerEntry } from "./ticker.tsx";
import { Timeline } from "./timeline.ts";

export class Show {
  readonly timeline: Timeline;
  readonly frame: Signal<PlayFrame | null> = signal(null);
  readonly ticker: Signal<readonly TickerEntry[]> = signal([]);
  #tickHz: number;
  #nextId = 1;

  constructor(tickHz: number, delayTicks: number) {
    this.#tickHz = tickHz;
    this.timeline = new Timeline((delayTicks * 1000) / tickHz);
  }

  hello(hello: HelloMessage): void {
    this.#tickHz = hello.tickHz;
  }

  push(body: FrameBody | PlayFrame): void {
    const frame = body as unknown as PlayFrame;
    this.timeline.push(frame, performance.now());
    this.frame.value = frame;
  }

  event(event: EventMessage): void {
    const line = tickerLine(event);
    if (line === null) return;
    const entry = { ...line, id: this.#nextId, atSeconds: event.tick / this.#tickHz };
    this.#nextId += 1;
    this.ticker.value = [entry, ...this.ticker.value].slice(0, TICKER_LINES);
  }
}
