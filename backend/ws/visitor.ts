import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { CHANNEL_LIMITS, type ChannelRole } from "../domain/protocol-rules.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { ChannelTokenStore } from "../ports/store.ts";
import type { LiveSession } from "../services/live/session.ts";
import { authenticate } from "./authenticate.ts";
import type { Channel, Encoding } from "./channel.ts";
import { Connection } from "./connection.ts";
import { Conversation } from "./conversation.ts";
import { textOf } from "./wire.ts";

export interface VisitorOptions {
  readonly ws: WebSocket;
  readonly socket: Duplex;
  readonly role: ChannelRole;
  readonly encoding: Encoding;
  readonly sessionId: string;
  readonly clock: Clock;
  readonly tokens: ChannelTokenStore;
  readonly log: Log;
  /** The session while it runs here. */
  readonly session: () => LiveSession | undefined;
  readonly channelOf: (session: LiveSession) => Channel;
  /** The socket has shown a valid token. */
  readonly onKnown: () => void;
  readonly onGone: (connection: Connection) => void;
}

/** Takes a new socket through authentication into its session's channel. */
export function welcome(options: VisitorOptions): Connection {
  const { ws, socket, role, clock, log } = options;
  let conversation: Conversation | null = null;
  let asked = false;
  let leave: () => void = () => {};
  const waiting: string[] = [];

  const connection = new Connection(ws, socket, clock, () => {
    cancelTimeout();
    leave();
    options.onGone(connection);
  });
  const cancelTimeout = clock.after(CHANNEL_LIMITS.authSeconds * 1000, () => {
    if (!asked) connection.close("AUTH_TIMEOUT");
  });

  ws.on("message", (data, isBinary) => {
    if (!connection.isOpen) return;
    const text = textOf(data);
    if (isBinary || (!asked && Buffer.byteLength(text) > CHANNEL_LIMITS.authBytes)) {
      connection.close("TOO_BIG");
    } else if (conversation) {
      conversation.hear(text, clock.monotonicMs());
    } else if (asked) {
      if (waiting.length < CHANNEL_LIMITS.waitingMessages) waiting.push(text);
    } else {
      asked = true;
      enter(text).catch((cause) => {
        log.error({ err: cause, sessionId: options.sessionId }, "A channel token could not be checked.");
        connection.close("SERVER_RESTART");
      });
    }
  });

  async function enter(text: string): Promise<void> {
    const isRunning = (): boolean => (options.session()?.phase ?? "ended") !== "ended";
    const answer = await authenticate(text, options, { tokens: options.tokens, nowMs: () => clock.nowMs(), isRunning });
    cancelTimeout();
    if (!connection.isOpen) return;
    if (!answer.ok) {
      connection.close(answer.reason);
      return;
    }
    options.onKnown();
    const session = options.session()!;
    const nowMs = clock.monotonicMs();
    if (role === "spectate" && !session.seats.take(answer.tokenHash, answer.ip, clock.nowMs())) {
      connection.close("TOKEN_EXPIRED");
      return;
    }
    const channel = options.channelOf(session);
    const player = role === "play" ? session.connectPlayer(nowMs) : { epoch: 0, resumed: false };
    leave = () => {
      if (role === "play") session.disconnectPlayer(player.epoch, clock.monotonicMs());
      else session.seats.leave(answer.tokenHash);
      channel.remove(connection);
    };
    if (role === "play") channel.setPlayer(connection);
    connection.send(session.hello(role, player.resumed, nowMs));
    if (role === "spectate") channel.addSpectator(connection, options.encoding);
    conversation = new Conversation(connection, session, role, player.epoch, nowMs);
    for (const early of waiting.splice(0)) conversation.hear(early, nowMs);
  }

  return connection;
}
