/** A play or spectate channel that survives its sockets: authenticates, hands messages on, comes back when it may. */

import type { EndMessage, EventMessage, FrameBody, HelloMessage, ServerMessage } from "../backend/domain/protocol.ts";
import { CLOSES } from "../backend/domain/protocol-rules.ts";
import { CompactDecoder } from "./compact.ts";
import { ArcadeChannelError, isApiError } from "./errors.ts";
import { sleep } from "./retry.ts";

export type { EndMessage, EventMessage, FrameBody, HelloMessage } from "../backend/domain/protocol.ts";

export interface ChannelHandlers {
  onHello?(hello: HelloMessage): void;
  onEvent?(event: EventMessage): void;
  /** The socket is gone and a new one will be tried. */
  onReconnect?(why: { readonly closeCode: number; readonly reason: string }): void;
  /** A message the service did not take (`BAD_MESSAGE`, `RATE_LIMITED`, `PAUSE_LIMIT`). */
  onRefused?(error: { readonly code: string; readonly error: string }): void;
}

export interface ChannelOptions extends ChannelHandlers {
  readonly WebSocket: typeof WebSocket;
  /** A fresh token and where to use it; asked before every socket. */
  ticket(): Promise<{ readonly token: string; readonly wsUrl: string }>;
  onFrame(frame: FrameBody, send: (message: object) => void): void;
  /** The session is over and no `end` message was seen: its record, as one. */
  ended(): Promise<EndMessage>;
  readonly signal?: AbortSignal | undefined;
  readonly random?: () => number;
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Without a working socket for so long the channel is given up. */
  readonly giveUpAfterMs?: number;
  readonly nowMs?: () => number;
}

const GIVE_UP_AFTER_MS = 90_000;
const BACKOFF_MS = { base: 500, max: 5_000 };
/** Tokens refused in a row: the next one would be, too. */
const REFUSED_TOKENS = 5;

type SocketEnd =
  | { readonly kind: "end"; readonly message: EndMessage }
  | { readonly kind: "closed"; readonly code: number; readonly reason: string; readonly greeted: boolean };

/** What to do after a close, by its reason, then by its code; a broken network (1006) is tried again at once. */
function afterClose(code: number, reason: string): "no" | "new_token" | "after_pause" {
  const rows = Object.entries(CLOSES);
  const row =
    rows.find(([name, { code: known }]) => name === reason && known === code) ??
    rows.find(([, row]) => row.code === code);
  return row?.[1].reconnect ?? "new_token";
}

/** One socket from its opening to its end. */
function runSocket(
  options: ChannelOptions,
  ticket: { readonly token: string; readonly wsUrl: string },
): Promise<SocketEnd> {
  return new Promise((resolve, reject) => {
    const socket = new options.WebSocket(ticket.wsUrl);
    socket.binaryType = "arraybuffer";
    const compact = new CompactDecoder();
    let greeted = false;
    let settled = false;
    const settle = (finish: () => void): void => {
      if (settled) return;
      settled = true;
      options.signal?.removeEventListener("abort", stop);
      finish();
      if (socket.readyState === socket.OPEN || socket.readyState === socket.CONNECTING) socket.close(1000);
    };
    const stop = (): void => settle(() => reject(options.signal?.reason));
    const send = (message: object): void => {
      if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message));
    };
    options.signal?.addEventListener("abort", stop, { once: true });
    if (options.signal?.aborted) stop();

    socket.onopen = () => send({ t: "auth", token: ticket.token });
    socket.onmessage = ({ data }) => {
      if (settled) return;
      try {
        if (data instanceof ArrayBuffer) {
          options.onFrame(compact.decode(new Uint8Array(data)), send);
          return;
        }
        const message = JSON.parse(String(data)) as ServerMessage;
        if (message.t === "hello") {
          greeted = true;
          options.onHello?.(message);
        } else if (message.t === "frame") options.onFrame(message.frame, send);
        else if (message.t === "event") options.onEvent?.(message);
        else if (message.t === "error") options.onRefused?.(message);
        else if (message.t === "compact") compact.learn(message);
        else if (message.t === "end") settle(() => resolve({ kind: "end", message }));
      } catch (fault) {
        // A bot's or a listener's own fault ends the channel; it must not be swallowed by the socket.
        settle(() => reject(fault));
      }
    };
    // An error is always followed by a close, which tells more.
    socket.onerror = () => {};
    socket.onclose = ({ code, reason }) => settle(() => resolve({ kind: "closed", code, reason, greeted }));
  });
}

/**
 * Runs a channel to the session's end and resolves with its `end` message. New token on 4002/4003, a jittered second
 * on 1012, backoff where the network broke; never again after 4004 (resolves with the record) and 4009. Throws
 * `ArcadeChannelError`, `ArcadeApiError`, or the signal's reason.
 */
export async function runChannel(options: ChannelOptions): Promise<EndMessage> {
  const nowMs = options.nowMs ?? Date.now;
  const wait = options.sleep ?? sleep;
  const random = options.random ?? Math.random;
  const giveUpAfterMs = options.giveUpAfterMs ?? GIVE_UP_AFTER_MS;
  let lastGoodAtMs = nowMs();
  let failures = 0;
  let refusedTokens = 0;

  const backOff = async (): Promise<void> => {
    failures += 1;
    await wait(random() * Math.min(BACKOFF_MS.max, BACKOFF_MS.base * 2 ** failures), options.signal);
  };

  for (;;) {
    let outcome: SocketEnd;
    try {
      outcome = await runSocket(options, await options.ticket());
    } catch (error) {
      if (isApiError(error, "SESSION_ENDED", "SESSION_NOT_FOUND")) return options.ended();
      if (!isApiError(error) || !error.retryable || nowMs() - lastGoodAtMs > giveUpAfterMs) throw error;
      await backOff();
      continue;
    }
    if (outcome.kind === "end") return outcome.message;
    const { code, reason, greeted } = outcome;
    if (greeted) {
      lastGoodAtMs = nowMs();
      failures = 0;
      refusedTokens = 0;
    }
    // 1000 without an `end`: the message was lost with its socket, the record has it.
    if (code === 4004 || code === 1000) return options.ended();
    const next = afterClose(code, reason);
    if (code === 4002 || code === 4003) refusedTokens += 1;
    if (next === "no" || refusedTokens >= REFUSED_TOKENS || nowMs() - lastGoodAtMs > giveUpAfterMs) {
      throw new ArcadeChannelError(code, reason, `The channel was closed for good (${code} ${reason || "no reason"}).`);
    }
    options.onReconnect?.({ closeCode: code, reason });
    if (next === "after_pause") await wait(500 + random() * 1000, options.signal);
    else if (!greeted) await backOff();
  }
}
