import type { Duplex } from "node:stream";
import type { RawData, WebSocket } from "ws";
import { CHANNEL_LIMITS } from "../domain/limits/limits.ts";
import type { ChannelRole } from "../domain/protocol/rules.ts";
import type { LiveSession } from "../live/session.ts";
import type { ChannelTokenStore } from "../ports/store/auth.ts";
import type { Clock, Log, RateLimiter } from "../ports/system.ts";
import { type AuthResult, authenticate } from "./authenticate.ts";
import type { Channel, Encoding } from "./channel.ts";
import { Connection } from "./connection.ts";
import { toText } from "./frame-encoder.ts";
import { MessageHandler } from "./player-messages.ts";
import { ReceiveBudget } from "./receive-budget.ts";

export interface ConnectionOptions {
  readonly ws: WebSocket;
  readonly socket: Duplex;
  readonly role: ChannelRole;
  readonly encoding: Encoding;
  readonly sessionId: string;
  readonly clock: Clock;
  readonly tokens: ChannelTokenStore;
  readonly log: Log;
  /** The key of the client's address. */
  readonly ip: string;
  readonly limiter: RateLimiter;
  /** The session while it runs in this process. */
  readonly getSession: () => LiveSession | undefined;
  readonly getChannel: (session: LiveSession) => Channel;
  /** Called when the socket's token was accepted. */
  readonly onAuthenticated: () => void;
  readonly onClose: () => void;
}

/** Accepts a new socket: waits for its token, then adds it to its session's channel. */
export const acceptConnection = (options: ConnectionOptions): Connection => new SocketHandler(options).connection;

/** What a socket waits for: its first message, the check of the token in it, or messages of its role. */
type SocketState =
  | { readonly name: "awaiting-token" }
  | { readonly name: "authenticating" }
  | { readonly name: "joined"; readonly messageHandler: MessageHandler };

class SocketHandler {
  readonly connection: Connection;
  readonly #options: ConnectionOptions;
  readonly #budget: ReceiveBudget;
  readonly #cancelTimeout: () => void;
  #state: SocketState = { name: "awaiting-token" };
  #leaveChannel: () => void = () => undefined;

  constructor(options: ConnectionOptions) {
    const { ws, socket, clock } = options;
    this.#options = options;
    this.connection = new Connection(ws, socket, clock, () => this.#onClosing());
    this.#budget = new ReceiveBudget({
      ...options,
      onExceeded: () => this.connection.closeWithoutReading("RATE_LIMITED"),
      onDiscarded: () => this.connection.terminate(),
    });
    this.#budget.attach(socket);
    this.#cancelTimeout = clock.after(CHANNEL_LIMITS.authSeconds * 1000, () => {
      if (this.#state.name === "awaiting-token") this.connection.close("AUTH_TIMEOUT");
    });
    ws.on("message", (data, isBinary) => this.#onMessage(data, isBinary));
  }

  #onClosing(): void {
    this.#cancelTimeout();
    this.#leaveChannel();
    this.#options.onClose();
  }

  #onMessage(data: RawData, isBinary: boolean): void {
    if (!this.connection.isOpen) return;
    const text = toText(data);
    const state = this.#state;
    if (isBinary || (state.name === "awaiting-token" && Buffer.byteLength(text) > CHANNEL_LIMITS.authBytes)) {
      this.connection.close("TOO_BIG");
    } else if (state.name === "joined") {
      state.messageHandler.onMessage(text, this.#options.clock.monotonicMs());
    } else if (state.name === "awaiting-token") {
      this.#state = { name: "authenticating" };
      this.#authenticate(text).catch((cause) => {
        const { log, sessionId } = this.#options;
        log.error({ err: cause, sessionId }, "a channel token could not be checked");
        this.connection.close("SERVER_RESTART");
      });
    }
  }

  async #authenticate(text: string): Promise<void> {
    const { clock, tokens, limiter, getSession, onAuthenticated } = this.#options;
    const authResult = await authenticate(text, this.#options, {
      tokens,
      limiter,
      nowMs: () => clock.nowMs(),
      isRunning: () => (getSession()?.phase ?? "ended") !== "ended",
    });
    this.#cancelTimeout();
    if (!this.connection.isOpen) return;
    if (!authResult.ok) {
      this.connection.close(authResult.reason);
      return;
    }
    onAuthenticated();
    this.#join(getSession()!, authResult);
  }

  #join(session: LiveSession, auth: AuthResult & { readonly ok: true }): void {
    const { role, encoding, clock, getChannel } = this.#options;
    const { connection } = this;
    const nowMs = clock.monotonicMs();
    if (role === "spectate" && !session.seats.take(auth.tokenHash, auth.ip, clock.nowMs())) {
      connection.close("TOKEN_EXPIRED");
      return;
    }
    this.#budget.setTickRate(session.row.tickHz);
    const channel = getChannel(session);
    const player = role === "play" ? session.connectPlayer(nowMs, auth.entropy) : { epoch: 0, resumed: false };
    const forgetToken = session.addChannel(auth.tokenHash, () => connection.close("TOKEN_REPLAYED"));
    this.#leaveChannel = () => {
      forgetToken();
      if (role === "play") session.disconnectPlayer(player.epoch, clock.monotonicMs());
      else session.seats.leave(auth.tokenHash);
      channel.remove(connection);
    };
    if (role === "play") channel.setPlayer(connection);
    connection.send(session.toHelloMessage(role, player.resumed, nowMs));
    if (role === "spectate") channel.addSpectator(connection, encoding);
    const messageHandler = new MessageHandler(connection, session, role, player.epoch, nowMs);
    this.#state = { name: "joined", messageHandler };
  }
}
