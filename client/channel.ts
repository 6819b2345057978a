/** A play or spectate channel over several sockets: authenticates, dispatches messages, and reconnects. */

import type { ServerMessage } from "../domain/protocol/messages.ts";
import { CLOSE_REASONS } from "../domain/protocol/rules.ts";
import type { EndMessage, EventMessage, FrameBody, HelloMessage } from "./api-types.ts";
import { CompactDecoder } from "./compact.ts";
import { ArcadeChannelError, isApiError } from "./errors.ts";
import { sleep } from "./retry.ts";
import { checkSilenceTimeout, SILENT, type SilenceOptions, watchSilence } from "./silence.ts";

export type { EndMessage, EventMessage, FrameBody, HelloMessage } from "./api-types.ts";

export interface ChannelHandlers {
  onHello?(hello: HelloMessage): void;
  onEvent?(event: EventMessage): void;
  /**
   * The socket is gone and the channel reconnects. A silent socket is closed with code 1006 and the reason `SILENT`.
   */
  onReconnect?(close: { readonly closeCode: number; readonly reason: string }): void;
  /** The service rejected a message, or explains why it will close the socket. */
  onError?(error: { readonly code: string; readonly error: string }): void;
}

export interface ChannelOptions extends ChannelHandlers, SilenceOptions {
  readonly WebSocket: typeof WebSocket;
  /** A new token and the address for it; called before every socket. */
  getToken(): Promise<{ readonly token: string; readonly wsUrl: string }>;
  /** The channel ends if it throws or its promise is rejected. */
  onFrame(frame: FrameBody, send: (message: object) => void): void | Promise<void>;
  /** Sent with the token: the player's part of the seed. */
  readonly entropy?: string;
  /** The session's record as an `end` message, for a channel that closed without one. */
  getEndMessage(): Promise<EndMessage>;
  readonly signal?: AbortSignal | undefined;
  readonly random?: () => number;
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** The channel gives up after this long without a working socket. */
  readonly reconnectTimeoutMs?: number;
  readonly nowMs?: () => number;
}

const RECONNECT_TIMEOUT_MS = 90_000;
const BACKOFF_MS = { base: 500, max: 5_000 };
/** After this many rejected tokens in a row, request no more. */
const REJECTED_TOKENS_MAX = 5;

type SocketEnd =
  | { readonly kind: "end"; readonly message: EndMessage }
  | {
      readonly kind: "closed";
      readonly code: number;
      readonly reason: string;
      readonly explanation: string | null;
      readonly receivedHello: boolean;
    };

/** What to do after a close, by its reason, then by its code. A broken network (1006) is retried at once. */
function getReconnectAction(code: number, reason: string): "no" | "new_token" | "after_pause" {
  const rows = Object.entries(CLOSE_REASONS);
  const row =
    rows.find(([name, { code: knownCode }]) => name === reason && knownCode === code) ??
    rows.find(([, row]) => row.code === code);
  return row?.[1].reconnect ?? "new_token";
}

/** Parses the messages of one socket and calls the handlers. */
class MessageReader {
  receivedHello = false;
  /** The error message that came before the service closed the socket. */
  explanation: string | null = null;
  readonly #handlers: ChannelHandlers;
  readonly #onFrame: (frame: FrameBody) => void;
  readonly #compact = new CompactDecoder();

  constructor(handlers: ChannelHandlers, onFrame: (frame: FrameBody) => void) {
    this.#handlers = handlers;
    this.#onFrame = onFrame;
  }

  /** Returns the `end` message, or null for any other. Throws what a handler throws. */
  read(data: unknown): EndMessage | null {
    if (data instanceof ArrayBuffer) {
      this.#onFrame(this.#compact.decode(new Uint8Array(data)));
      return null;
    }
    const message = JSON.parse(String(data)) as ServerMessage;
    if (message.t === "end") return message;
    if (message.t === "hello") {
      this.receivedHello = true;
      this.#handlers.onHello?.(message);
    } else if (message.t === "frame") this.#onFrame(message.frame);
    else if (message.t === "event") this.#handlers.onEvent?.(message);
    else if (message.t === "error") {
      if (message.fatal) this.explanation = message.error;
      this.#handlers.onError?.(message);
    } else if (message.t === "compact") this.#compact.addEntries(message);
    return null;
  }
}

/** One socket, from open to close. */
function runSocket(
  options: ChannelOptions,
  channelToken: { readonly token: string; readonly wsUrl: string },
): Promise<SocketEnd> {
  return new Promise((resolve, reject) => {
    const socket = new options.WebSocket(channelToken.wsUrl);
    socket.binaryType = "arraybuffer";
    let settled = false;
    const settle = (finish: () => void): void => {
      if (settled) return;
      settled = true;
      silence.stop();
      options.signal?.removeEventListener("abort", abort);
      finish();
      if (socket.readyState === socket.OPEN || socket.readyState === socket.CONNECTING) socket.close(1000);
    };
    const abort = (): void => settle(() => reject(options.signal?.reason));
    const onClose = (code: number, reason: string): void =>
      settle(() =>
        resolve({ kind: "closed", code, reason, explanation: reader.explanation, receivedHello: reader.receivedHello }),
      );
    const send = (message: object): void => {
      if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message));
    };
    const reader = new MessageReader(options, (frame) => {
      options.onFrame(frame, send)?.catch((error: unknown) => settle(() => reject(error)));
    });
    const silence = watchSilence({
      silenceTimeoutMs: options.silenceTimeoutMs,
      every: options.every,
      // Before `hello` the service accepts only the token.
      ask: () => {
        if (reader.receivedHello) send({ t: "ping" });
      },
      onSilent: () => onClose(1006, SILENT),
    });
    options.signal?.addEventListener("abort", abort, { once: true });
    if (options.signal?.aborted) abort();

    socket.onopen = () => {
      const { entropy } = options;
      send({ t: "auth", token: channelToken.token, ...(entropy === undefined ? {} : { entropy }) });
    };
    socket.onmessage = ({ data }) => {
      if (settled) return;
      silence.onMessage();
      try {
        const message = reader.read(data);
        if (message !== null) settle(() => resolve({ kind: "end", message }));
      } catch (error) {
        // An exception of a bot or a handler ends the channel: the socket must not swallow it.
        settle(() => reject(error));
      }
    };
    // A close with a code always follows an error event.
    socket.onerror = () => {};
    socket.onclose = ({ code, reason }) => onClose(code, reason);
  });
}

/**
 * Runs a channel until the session ends and resolves with its `end` message. Reconnects with a new token on 4002, 4003
 * and silence, after a random part of a second on 1012, and with backoff if the network broke. Never reconnects after
 * 4004 (resolves with the record) and 4009. Throws `ArcadeChannelError`, `ArcadeApiError`, the signal's reason, or
 * `RangeError` for a wrong `silenceTimeoutMs`.
 */
export async function runChannel(options: ChannelOptions): Promise<EndMessage> {
  // Check before any socket opens.
  checkSilenceTimeout(options);
  const nowMs = options.nowMs ?? Date.now;
  const wait = options.sleep ?? sleep;
  const random = options.random ?? Math.random;
  const reconnectTimeoutMs = options.reconnectTimeoutMs ?? RECONNECT_TIMEOUT_MS;
  let lastConnectedAtMs = nowMs();
  let failures = 0;
  let rejectedTokens = 0;
  let wasConnected = false;

  /** `retryAfterSeconds`: the wait that the service asked for; never wait less. */
  const backOff = async (retryAfterSeconds = 0): Promise<void> => {
    failures += 1;
    const jitterMs = random() * Math.min(BACKOFF_MS.max, BACKOFF_MS.base * 2 ** failures);
    await wait(retryAfterSeconds * 1000 + jitterMs, options.signal);
  };

  for (;;) {
    let outcome: SocketEnd;
    try {
      outcome = await runSocket(options, await options.getToken());
    } catch (error) {
      if (isApiError(error, "SESSION_ENDED", "SESSION_NOT_FOUND")) return options.getEndMessage();
      // The seat of a lost socket is free only after the service has noticed the loss.
      const isOwnSeat = wasConnected && isApiError(error, "SPECTATORS_FULL");
      if (!isApiError(error) || !(error.retryable || isOwnSeat)) throw error;
      const retryAfterSeconds = error.retryAfterSeconds ?? 0;
      // Also gives up if the service asks for a longer wait than the channel has left.
      if (nowMs() + retryAfterSeconds * 1000 - lastConnectedAtMs > reconnectTimeoutMs) throw error;
      await backOff(retryAfterSeconds);
      continue;
    }
    if (outcome.kind === "end") return outcome.message;
    const { code, reason, explanation, receivedHello } = outcome;
    if (receivedHello) {
      wasConnected = true;
      lastConnectedAtMs = nowMs();
      failures = 0;
      rejectedTokens = 0;
    }
    // 1000 without an `end`: the message was lost with its socket, so read the record.
    if (code === 4004 || code === 1000) return options.getEndMessage();
    const next = getReconnectAction(code, reason);
    if (code === 4002 || code === 4003) rejectedTokens += 1;
    if (next === "no" || rejectedTokens >= REJECTED_TOKENS_MAX || nowMs() - lastConnectedAtMs > reconnectTimeoutMs) {
      const why = explanation === null ? "" : ` ${explanation}`;
      throw new ArcadeChannelError(
        code,
        reason,
        `The channel was closed for good (${code} ${reason || "no reason"}).${why}`,
      );
    }
    options.onReconnect?.({ closeCode: code, reason });
    if (next === "after_pause") await wait(500 + random() * 1000, options.signal);
    else if (!receivedHello) await backOff();
  }
}
