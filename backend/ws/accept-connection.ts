import type { Duplex } from "node:stream";
import type { RawData, WebSocket } from "ws";
import { CHANNEL_LIMITS } from "../../domain/limits/limits.ts";
import type { ChannelRole, CloseReason } from "../../domain/protocol/rules.ts";
import type { LiveChannels, SessionMember } from "../ports/live-channels.ts";
import type { ChannelTokenStore } from "../ports/store/auth.ts";
import type { Clock, Log, RateLimiter } from "../ports/system.ts";
import { ReceiveBudget } from "../rate-limits/receive-budget.ts";
import { type AcceptedToken, authenticate } from "./authenticate.ts";
import type { Channel, Encoding } from "./channel.ts";
import { Connection } from "./connection.ts";
import { MessageHandler } from "./player-messages.ts";
import { toText } from "./server-web-socket.ts";

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
  readonly live: Pick<LiveChannels, "join">;
  /** The channel of the socket's session; opened for the first socket. */
  readonly getChannel: () => Channel;
  /** Called when the socket's token was accepted. */
  readonly onAuthenticated: () => void;
  /** Called when the socket has joined its session, which may run on another node. */
  readonly onJoined: () => void;
  readonly onClose: () => void;
}

/** Accepts a new socket: waits for its token, then adds it to its session's channel. */
export const acceptConnection = (options: ConnectionOptions): Connection => new SocketHandler(options).connection;

/** What a socket waits for: its first message, the check of its token, or messages of its role. */
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
      onExceeded: (explanation) => this.connection.closeWithoutReading("RATE_LIMITED", explanation),
      onDiscarded: () => this.connection.terminate(),
    });
    this.#budget.attach(socket);
    this.#cancelTimeout = clock.after(CHANNEL_LIMITS.authSeconds * 1000, () => {
      if (this.#state.name === "awaiting-token") this.connection.close("AUTH_TIMEOUT");
    });
    // Also binary messages: what many libraries send for a buffer.
    ws.on("message", (data) => this.#onMessage(data));
  }

  #onClosing(): void {
    this.#cancelTimeout();
    this.#leaveChannel();
    this.#options.onClose();
  }

  #onMessage(data: RawData): void {
    if (!this.connection.isOpen) return;
    const text = toText(data);
    const state = this.#state;
    if (state.name === "awaiting-token" && Buffer.byteLength(text) > CHANNEL_LIMITS.authBytes) {
      const received = `${Buffer.byteLength(text)} bytes`;
      this.connection.close("TOO_BIG", `Expected at most ${CHANNEL_LIMITS.authBytes} bytes; received ${received}.`);
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
    const { clock, tokens, limiter, onAuthenticated } = this.#options;
    const authResult = await authenticate(text, this.#options, { tokens, limiter, nowMs: () => clock.nowMs() });
    this.#cancelTimeout();
    if (!this.connection.isOpen) return;
    if (!authResult.ok) {
      this.connection.close(authResult.reason, authResult.explanation);
      return;
    }
    onAuthenticated();
    this.#join(authResult);
  }

  #join({ tokenHash, ip, entropy }: AcceptedToken): void {
    const { role, sessionId, live, getChannel } = this.#options;
    const { connection } = this;
    const channel = getChannel();
    const stopExpecting = channel.expectSocket();
    const close = (reason: CloseReason): void => connection.close(reason);
    live.join(
      sessionId,
      { role, tokenHash, ip, entropy, close },
      {
        onJoined: (member) => {
          if (connection.isOpen) this.#enter(channel, member);
          else member.leave();
          stopExpecting();
        },
        onRejected: (reason) => {
          stopExpecting();
          connection.close(reason);
        },
      },
    );
  }

  #enter(channel: Channel, member: SessionMember): void {
    const { role, encoding, clock, onJoined } = this.#options;
    const { connection } = this;
    this.#budget.setTickRate(member.hello.tickHz);
    this.#leaveChannel = () => {
      member.leave();
      channel.remove(connection);
    };
    if (role === "play") channel.setPlayer(connection);
    connection.send(member.hello);
    if (role === "spectate") channel.addSpectator(connection, encoding, member.hello);
    if (connection.isOpen) onJoined();
    const messageHandler = new MessageHandler(connection, member, role, clock.monotonicMs());
    this.#state = { name: "joined", messageHandler };
  }
}
