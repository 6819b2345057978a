/** The picture, numbers and event log of one session, updated by the channel's messages. */
import { type Signal, signal } from "@preact/signals";
import type { EventMessage, FrameBody, HelloMessage } from "../../client/index.ts";
import type { PlayFrame } from "../../games/game.ts";
import { formatCatchUp, HUD_LABELS, toEventLogLine } from "../labels/session.ts";
import { EVENT_LOG_ENTRIES_MAX, type EventLogEntry } from "./event-log.tsx";
import { Timeline } from "./timeline.ts";

export class SessionState {
  readonly timeline: Timeline;
  readonly frame: Signal<PlayFrame | null> = signal(null);
  readonly eventLog: Signal<readonly EventLogEntry[]> = signal([]);
  #tickHz: number;
  #nextId = 1;

  constructor(tickHz: number, delayTicks: number) {
    this.#tickHz = tickHz;
    this.timeline = new Timeline((delayTicks * 1000) / tickHz);
  }

  onHello(hello: HelloMessage): void {
    this.#tickHz = hello.tickHz;
  }

  onFrame(body: FrameBody | PlayFrame): void {
    const frame = body as unknown as PlayFrame;
    if (this.frame.value === null) this.#addCatchUp(frame);
    this.timeline.push(frame, performance.now());
    this.frame.value = frame;
  }

  /** Sums up, for a spectator who joins late, what happened before the first frame. */
  #addCatchUp({ tick, score, lives, livesMax }: PlayFrame): void {
    if (tick <= this.#tickHz) return;
    const text = `${HUD_LABELS.beforeYou}: ${formatCatchUp(score.current, livesMax - lives)}`;
    this.eventLog.value = [{ id: 0, atSeconds: tick / this.#tickHz, tone: "plain", text, points: 0 }];
  }

  onEvent(event: EventMessage): void {
    const line = toEventLogLine(event);
    if (line === null) return;
    const entry = { ...line, id: this.#nextId, atSeconds: event.tick / this.#tickHz };
    this.#nextId += 1;
    this.eventLog.value = [entry, ...this.eventLog.value].slice(0, EVENT_LOG_ENTRIES_MAX);
  }
}
