import type { EndMessage, EventMessage, FrameMessage } from "../domain/protocol.ts";
import type { LiveSession, SessionListener } from "../services/live/session.ts";
import type { Connection, TickBuffers } from "./connection.ts";
import { frameText } from "./wire.ts";

/** All sockets of one session. A frame becomes text once and bytes once, whatever their number. */
export class Channel implements SessionListener {
  readonly session: LiveSession;
  readonly #onEmpty: (channel: Channel) => void;
  readonly #spectators = new Set<Connection>();
  #player: Connection | null = null;
  #stop: () => void;

  constructor(session: LiveSession, onEmpty: (channel: Channel) => void) {
    this.session = session;
    this.#onEmpty = onEmpty;
    this.#stop = session.listen(this);
  }

  /** Hands the controls to `connection`; the socket that had them is closed. */
  setPlayer(connection: Connection): void {
    const displaced = this.#player;
    this.#player = connection;
    displaced?.close("DISPLACED");
  }

  addSpectator(connection: Connection): void {
    this.#spectators.add(connection);
  }

  remove(connection: Connection): void {
    if (this.#player === connection) this.#player = null;
    this.#spectators.delete(connection);
    if (this.#player !== null || this.#spectators.size > 0) return;
    this.#stop();
    this.#onEmpty(this);
  }

  published(events: readonly EventMessage[], frame: FrameMessage): void {
    const tick = encodeTick(events, frame);
    this.#player?.sendTick(tick);
    for (const spectator of this.#spectators) spectator.sendTick(tick);
  }

  finished(end: EndMessage): void {
    const reason = end.endReason === "exit" ? "EXIT" : "GAME_OVER";
    for (const connection of [this.#player, ...this.#spectators]) {
      connection?.send(end);
      connection?.close(reason);
    }
  }
}

function encodeTick(events: readonly EventMessage[], frame: FrameMessage): TickBuffers {
  const frameBuffer = frameText(JSON.stringify(frame));
  const eventBuffer =
    events.length === 0 ? null : Buffer.concat(events.map((event) => frameText(JSON.stringify(event))));
  return {
    events: eventBuffer,
    whole: eventBuffer === null ? frameBuffer : Buffer.concat([eventBuffer, frameBuffer]),
    withSkipped: (skipped) => frameText(JSON.stringify({ t: "frame", frame: { ...frame.frame, skipped } })),
  };
}
