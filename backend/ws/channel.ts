import { CompactEncoder, encodeFrameMessage } from "../../domain/protocol/compact-encode.ts";
import type { EndMessage } from "../../domain/protocol/messages.ts";
import { joinBuffers, type SessionTick, type TickBuffers } from "../../domain/protocol/session-tick.ts";
import { encodeBinaryFrame, encodeTextFrame } from "../../domain/protocol/websocket-frames.ts";
import type { LiveChannels, SessionListener } from "../ports/live-channels.ts";
import type { Connection } from "./connection.ts";

/** The form of a spectator's frames: JSON text or compact bytes. */
export type Encoding = "json" | "compact";

/** All sockets of one session on this node. Each frame is encoded at most once as text and once as bytes. */
export class Channel implements SessionListener {
  readonly #onEmpty: () => void;
  /** The number of sockets about to be added. */
  #joining = 0;
  /** Both lists are replaced on every change: a send may close its socket, which then leaves during the iteration. */
  #jsonSpectators: readonly Connection[] = [];
  #compactSpectators: readonly Connection[] = [];
  readonly #encoder = new CompactEncoder();
  #player: Connection | null = null;
  #unsubscribe: () => void;

  constructor(sessionId: string, live: Pick<LiveChannels, "subscribe">, onEmpty: () => void) {
    this.#onEmpty = onEmpty;
    this.#unsubscribe = live.subscribe(sessionId, this);
  }

  /**
   * Keeps the channel open for a socket that is about to join; call the returned function once it has joined or failed.
   */
  expectSocket(): () => void {
    this.#joining += 1;
    return () => {
      this.#joining -= 1;
      this.#closeIfEmpty();
    };
  }

  setPlayer(connection: Connection): void {
    this.#player = connection;
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
    this.#closeIfEmpty();
  }

  onTick(tick: SessionTick): void {
    this.#player?.sendTick(tick);
    for (const spectator of this.#jsonSpectators) spectator.sendTick(tick);
    if (this.#compactSpectators.length === 0) return;
    const compactTick = this.#encodeCompactTick(tick);
    for (const spectator of this.#compactSpectators) spectator.sendTick(compactTick);
  }

  onEnd(end: EndMessage): void {
    const reason = end.endReason === "exit" ? "EXIT" : "GAME_OVER";
    for (const connection of this.#listConnections()) {
      connection.send(end);
      connection.close(reason);
    }
  }

  /** After this reason clients connect again, and reach the session at its new backend. */
  onMoved(): void {
    for (const connection of this.#listConnections()) connection.close("SERVER_RESTART");
  }

  #listConnections(): readonly Connection[] {
    const spectators = [...this.#jsonSpectators, ...this.#compactSpectators];
    return this.#player === null ? spectators : [this.#player, ...spectators];
  }

  #closeIfEmpty(): void {
    const count = this.#joining + this.#jsonSpectators.length + this.#compactSpectators.length;
    if (count > 0 || this.#player !== null) return;
    this.#unsubscribe();
    this.#onEmpty();
  }

  /** New dictionary entries are sent with the events, which are never skipped. */
  #encodeCompactTick({ events, frame }: SessionTick): TickBuffers {
    // A digest is different each time: it would fill the dictionary, and only the player needs it.
    const body = this.#encoder.encode({ ...frame.frame, inputsDigest: undefined });
    const entries = this.#encoder.takeNewEntries();
    const unskippable = joinBuffers(events, entries && encodeTextFrame(JSON.stringify(entries)));
    return {
      events: unskippable,
      whole: joinBuffers(unskippable, encodeBinaryFrame(encodeFrameMessage(body, 0)))!,
      withSkipped: (skipped) => encodeBinaryFrame(encodeFrameMessage(body, skipped)),
    };
  }
}

const excludeConnection = (connections: readonly Connection[], removed: Connection): readonly Connection[] =>
  connections.includes(removed) ? connections.filter((connection) => connection !== removed) : connections;
