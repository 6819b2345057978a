import { CompactEncoder, encodeFrameMessage } from "../../domain/protocol/compact-encode.ts";
import type { EndMessage } from "../../domain/protocol/messages.ts";
import { joinBuffers, type SessionTick, type TickBuffers } from "../../domain/protocol/session-tick.ts";
import { encodeBinaryFrame, encodeTextFrame } from "../../domain/protocol/websocket-frames.ts";
import type { LiveChannels, SessionListener } from "../ports/live-channels.ts";
import type { Connection } from "./connection.ts";
import { Spectators, type TickRate } from "./spectators.ts";

/** The form of a spectator's frames: JSON text or compact bytes. */
export type Encoding = "json" | "compact";

/** All sockets of one session on this node. Each frame is encoded at most once as text and once as bytes. */
export class Channel implements SessionListener {
  readonly #onEmpty: () => void;
  /** The number of sockets about to be added. */
  #joining = 0;
  readonly #spectators = { json: new Spectators(), compact: new Spectators() };
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
  addSpectator(connection: Connection, encoding: Encoding, rate: TickRate): void {
    this.#spectators[encoding].add(connection, rate);
    const entries = encoding === "compact" ? this.#encoder.allEntries() : null;
    if (entries !== null) connection.send(entries);
  }

  remove(connection: Connection): void {
    if (this.#player === connection) this.#player = null;
    for (const spectators of Object.values(this.#spectators)) spectators.remove(connection);
    this.#closeIfEmpty();
  }

  onTick(tick: SessionTick): void {
    this.#player?.sendTick(tick);
    const { json, compact } = this.#spectators;
    const hasEvents = tick.events !== null;
    if (json.connections.length > 0) json.send(tick, hasEvents);
    if (compact.connections.length > 0) compact.send(this.#encodeCompactTick(tick), hasEvents);
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
    const spectators = Object.values(this.#spectators).flatMap(({ connections }) => connections);
    return this.#player === null ? spectators : [this.#player, ...spectators];
  }

  #closeIfEmpty(): void {
    if (this.#joining > 0 || this.#listConnections().length > 0) return;
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
      count: 1,
      events: unskippable,
      whole: joinBuffers(unskippable, encodeBinaryFrame(encodeFrameMessage(body, 0)))!,
      withSkipped: (skipped) => encodeBinaryFrame(encodeFrameMessage(body, skipped)),
    };
  }
}
