import type { EndMessage, EventMessage, FrameMessage } from "../../domain/protocol/messages.ts";
import { PublishedTick } from "../../domain/protocol/session-tick.ts";
import type { SessionListener } from "../ports/live-channels.ts";

/** The listeners of a session, and the events to send them with the next frame. Without listeners nothing is built. */
export class SessionListeners {
  /** Replaced on every change, so that listeners may unsubscribe while they are being called. */
  #listeners: readonly SessionListener[] = [];
  #events: EventMessage[] = [];
  #collected: EventMessage[] | null = null;

  /** Returns the function that ends the subscription. */
  subscribe(listener: SessionListener): () => void {
    this.#listeners = [...this.#listeners, listener];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== listener);
    };
  }

  /** Keeps the event until the next frame. */
  addEvent(event: { readonly event: string; readonly [field: string]: unknown }, tick: number): void {
    if (this.#listeners.length === 0 && this.#collected === null) return;
    const message: EventMessage = { ...event, t: "event", event: event.event, tick };
    this.#collected?.push(message);
    if (this.#listeners.length > 0) this.#events.push(message);
  }

  /** Runs `work` and returns the events that it adds; listeners receive them too. */
  collect(work: () => void): EventMessage[] {
    const collected: EventMessage[] = [];
    this.#collected = collected;
    work();
    this.#collected = null;
    return collected;
  }

  /** Sends the frame, and the events since the last one, to every listener. */
  publish(buildFrame: () => FrameMessage): void {
    if (this.#listeners.length === 0) return;
    const events = this.#events;
    if (events.length > 0) this.#events = [];
    const tick = new PublishedTick(events, buildFrame());
    for (const listener of this.#listeners) listener.onTick(tick);
  }

  /** Calls the listeners with the end, and removes them. */
  end(buildEnd: () => EndMessage): void {
    for (const listener of this.#listeners) listener.onEnd(buildEnd());
    this.#listeners = [];
  }

  /** Tells the listeners that the session has moved, and removes them. */
  move(): void {
    for (const listener of this.#listeners) listener.onMoved?.();
    this.#listeners = [];
  }
}
