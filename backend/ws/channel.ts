import { CompactEncoder, compactFrame } from "../domain/compact-encode.ts";
import type { EndMessage, EventMessage, FrameMessage } from "../domain/protocol.ts";
import type { LiveSession, SessionListener } from "../services/live/session.ts";
import type { Connection, TickBuffers } from "./connection.ts";
import { frameBinary, frameText } from "./wire.ts";

/** How a spectator wants its frames: as JSON text or as compact bytes. */
export type Encoding = "json" | "compact";

/** All sockets of one session. A frame becomes text once and bytes once, whatever their number. */
export class Channel implements SessionListener {
  readonly session: LiveSession;
  readonly #onEmpty: (channel: Channel) => void;
  /** Both are replaced when they change: a send may close its socket, which leaves in the middle of the round. */
  #spectators: readonly Connection[] = [];
  #compact: readonly Connection[] = [];
  readonly #encoder = new CompactEncoder();
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

  /** A compact reader first gets the dictionaries as they stand. */
  addSpectator(connection: Connection, encoding: Encoding): void {
    if (encoding === "json") {
      this.#spectators = [...this.#spectators, connection];
      return;
    }
    this.#compact = [...this.#compact, connection];
    const entries = this.#encoder.entries();
    if (entries !== null) connection.send(entries);
  }

  remove(connection: Connection): void {
    if (this.#player === connection) this.#player = null;
    this.#spectators = without(this.#spectators, connection);
    this.#compact = without(this.#compact, connection);
    if (this.#player !== null || this.#spectators.length > 0 || this.#compact.length > 0) return;
    this.#stop();
    this.#onEmpty(this);
  }

  published(events: readonly EventMessage[], frame: FrameMessage): void {
    const eventBuffer = encodeEvents(events);
    if (this.#player !== null || this.#spectators.length > 0) {
      const tick = encodeTick(eventBuffer, frame);
      this.#player?.sendTick(tick);
      for (const spectator of this.#spectators) spectator.sendTick(tick);
    }
    if (this.#compact.length > 0) {
      const tick = this.#encodeCompactTick(eventBuffer, frame);
      for (const spectator of this.#compact) spectator.sendTick(tick);
    }
  }

  finished(end: EndMessage): void {
    const reason = end.endReason === "exit" ? "EXIT" : "GAME_OVER";
    for (const connection of [this.#player, ...this.#spectators, ...this.#compact]) {
      connection?.send(end);
      connection?.close(reason);
    }
  }

  /** New entries of the dictionaries travel with the events: they are never skipped. */
  #encodeCompactTick(eventBuffer: Buffer | null, frame: FrameMessage): TickBuffers {
    const body = this.#encoder.encode(frame.frame);
    const entries = this.#encoder.takeNew();
    const certain = joinBuffers(eventBuffer, entries && frameText(JSON.stringify(entries)));
    return {
      events: certain,
      whole: joinBuffers(certain, frameBinary(compactFrame(body, 0)))!,
      withSkipped: (skipped) => frameBinary(compactFrame(body, skipped)),
    };
  }
}

const without = (connections: readonly Connection[], gone: Connection): readonly Connection[] =>
  connections.includes(gone) ? connections.filter((connection) => connection !== gone) : connections;

const encodeEvents = (events: readonly EventMessage[]): Buffer | null =>
  events.length === 0 ? null : Buffer.concat(events.map((event) => frameText(JSON.stringify(event))));

function joinBuffers(first: Buffer | null, second: Buffer | null): Buffer | null {
  if (first === null || second === null) return first ?? second;
  return Buffer.concat([first, second]);
}

function encodeTick(eventBuffer: Buffer | null, frame: FrameMessage): TickBuffers {
  return {
    events: eventBuffer,
    whole: joinBuffers(eventBuffer, frameText(JSON.stringify(frame)))!,
    withSkipped: (skipped) => frameText(JSON.stringify({ t: "frame", frame: { ...frame.frame, skipped } })),
  };
}
