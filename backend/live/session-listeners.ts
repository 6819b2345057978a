import type { EndMessage, EventMessage, FrameMessage } from "../domain/protocol/messages.ts";

/** Receives the messages of a session. Called in the tick: it must not throw and must not block. */
export interface SessionListener {
  /** Called once a tick with its events and the whole state. `frame.phase` is `ended` in the last call. */
  onTick(events: readonly EventMessage[], frame: FrameMessage): void;
  /** Called when the session has ended and is stored. */
  onEnd(end: EndMessage): void;
  /** Called when another backend runs the session from now on. */
  onMoved?(): void;
}

/** The listeners of a session, and the events that they receive with the next frame. Without listeners nothing is built. */
export class SessionListeners {
  /** Replaced on every change, so that a listener may unsubscribe while all of them are called. */
  #listeners: readonly SessionListener[] = [];
  #events: EventMessage[] = [];

  subscribe(listener: SessionListener): () => void {
    this.#listeners = [...this.#listeners, listener];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== listener);
    };
  }

  addEvent(event: { readonly event: string; readonly [field: string]: unknown }, tick: number): void {
    if (this.#listeners.length === 0) return;
    this.#events.push({ ...event, t: "event", event: event.event, tick });
  }

  publish(buildFrame: () => FrameMessage): void {
    if (this.#listeners.length === 0) return;
    const events = this.#events;
    if (events.length > 0) this.#events = [];
    const frame = buildFrame();
    for (const listener of this.#listeners) listener.onTick(events, frame);
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
