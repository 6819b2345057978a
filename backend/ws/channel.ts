import { CompactEncoder, encodeFrameMessage } from "../domain/protocol/compact-encode.ts";
import type { EndMessage, EventMessage, FrameMessage } from "../domain/protocol/messages.ts";
import type { LiveSession } from "../live/session.ts";
import type { SessionListener } from "../live/session-listeners.ts";
import type { Connection, TickBuffers } from "./connection.ts";
import { encodeBinaryFrame, encodeTextFrame } from "./frame-encoder.ts";

/** The form of a spectator's frames: JSON text or compact bytes. */
export type Encoding = "json" | "compact";

/** All sockets of one session. Each frame is encoded at most once as text and once as bytes. */
export class Channel implements SessionListener {
  readonly session: LiveSession;
  readonly #onEmpty: (channel: Channel) => void;
  /** Both lists are replaced on every change: a send may close its socket, which then leaves during the iteration. */
  #jsonSpectators: readonly Connection[] = [];
  #compactSpectators: readonly Connection[] = [];
  readonly #encoder = new CompactEncoder();
  #player: Connection | null = null;
  #unsubscribe: () => void;

  constructor(session: LiveSession, onEmpty: (channel: Channel) => void) {
    this.session = session;
    this.#onEmpty = onEmpty;
    this.#unsubscribe = session.subscribe(this);
  }

  /** Gives control to `connection`; the player's former socket is closed. */
  setPlayer(connection: Connection): void {
    const displaced = this.#player;
    this.#player = connection;
    displaced?.close("DISPLACED");
  }

  /** A compact spectator first gets the current dictionaries. */
  addSpectator(connection: Connection, encoding: Encoding): void {
    if (encoding === "json") {
      this.#jsonSpectators = [...this.#jsonSpectators, connection];
      return;
    }
    this.#compactSpectators = [...this.#compactSpectators, connection];
    const entries = this.#encoder.allEntries();
    if (entries !== null) connection.send(entries);
  }

  remove(connection: Connection): void {
    if (this.#player === connection) this.#player = null;
    this.#jsonSpectators = excludeConnection(this.#jsonSpectators, connection);
    this.#compactSpectators = excludeConnection(this.#compactSpectators, connection);
    if (this.#player !== null || this.#jsonSpectators.length > 0 || this.#compactSpectators.length > 0) return;
    this.#unsubscribe();
    this.#onEmpty(this);
  }

  onTick(events: readonly EventMessage[], frame: FrameMessage): void {
    const eventBuffer = encodeEvents(events);
    if (this.#player !== null || this.#jsonSpectators.length > 0) {
      const tick = encodeTick(eventBuffer, frame);
      this.#player?.sendTick(tick);
      for (const spectator of this.#jsonSpectators) spectator.sendTick(tick);
    }
    if (this.#compactSpectators.length > 0) {
      const tick = this.#encodeCompactTick(eventBuffer, frame);
      for (const spectator of this.#compactSpectators) spectator.sendTick(tick);
    }
  }

  onEnd(end: EndMessage): void {
    const reason = end.endReason === "exit" ? "EXIT" : "GAME_OVER";
    for (const connection of this.#listConnections()) {
      connection.send(end);
      connection.close(reason);
    }
  }

  /** Clients connect again after this reason, and reach the session at its new backend. */
  onMoved(): void {
    for (const connection of this.#listConnections()) connection.close("SERVER_RESTART");
  }

  #listConnections(): readonly Connection[] {
    const spectators = [...this.#jsonSpectators, ...this.#compactSpectators];
    return this.#player === null ? spectators : [this.#player, ...spectators];
  }

  /** New entries of the dictionaries are sent with the events: they are never skipped. */
  #encodeCompactTick(eventBuffer: Buffer | null, frame: FrameMessage): TickBuffers {
    // A digest is another word each time: it would fill the dictionary, and only the player needs it.
    const body = this.#encoder.encode({ ...frame.frame, inputsDigest: undefined });
    const entries = this.#encoder.takeNewEntries();
    const unskippable = joinBuffers(eventBuffer, entries && encodeTextFrame(JSON.stringify(entries)));
    return {
      events: unskippable,
      whole: joinBuffers(unskippable, encodeBinaryFrame(encodeFrameMessage(body, 0)))!,
      withSkipped: (skipped) => encodeBinaryFrame(encodeFrameMessage(body, skipped)),
    };
  }
}

const excludeConnection = (connections: readonly Connection[], removed: Connection): readonly Connection[] =>
  connections.includes(removed) ? connections.filter((connection) => connection !== removed) : connections;

const encodeEvents = (events: readonly EventMessage[]): Buffer | null =>
  events.length === 0 ? null : Buffer.concat(events.map((event) => encodeTextFrame(JSON.stringify(event))));

function joinBuffers(first: Buffer | null, second: Buffer | null): Buffer | null {
  if (first === null || second === null) return first ?? second;
  return Buffer.concat([first, second]);
}

function encodeTick(eventBuffer: Buffer | null, frame: FrameMessage): TickBuffers {
  return {
    events: eventBuffer,
    whole: joinBuffers(eventBuffer, encodeTextFrame(JSON.stringify(frame)))!,
    withSkipped: (skipped) => encodeTextFrame(JSON.stringify({ t: "frame", frame: { ...frame.frame, skipped } })),
  };
}
