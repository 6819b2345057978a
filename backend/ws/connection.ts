import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { CHANNEL_LIMITS } from "../../domain/limits/limits.ts";
import type { ServerMessage } from "../../domain/protocol/messages.ts";
import { CLOSE_REASONS, type ClientErrorCode, type CloseReason, explainClose } from "../../domain/protocol/rules.ts";
import type { TickBuffers } from "../../domain/protocol/session-tick.ts";
import { encodeTextFrame } from "../../domain/protocol/websocket-frames.ts";
import type { Clock } from "../ports/system.ts";

/** A socket that does not answer the close frame is terminated after this time. */
const TERMINATE_AFTER_MS = 2000;

/** One socket: sends with backpressure, pings, and closes with a reason. */
export class Connection {
  readonly #ws: WebSocket;
  readonly #socket: Duplex;
  readonly #clock: Pick<Clock, "after">;
  readonly #onClosing: () => void;
  #skipped = 0;
  #missedPongs = 0;
  #isClosing = false;

  /** `onClosing` runs once, as soon as either side begins to close the socket. */
  constructor(ws: WebSocket, socket: Duplex, clock: Pick<Clock, "after">, onClosing: () => void) {
    this.#ws = ws;
    this.#socket = socket;
    this.#clock = clock;
    this.#onClosing = onClosing;
    ws.on("pong", () => {
      this.#missedPongs = 0;
    });
    // Pongs are sent here instead of by `ws`, so that a peer that sends but never reads cannot fill memory.
    ws.on("ping", (data) => {
      if (this.isOpen && this.#socket.writableLength <= CHANNEL_LIMITS.queuedBytes) this.#ws.pong(data);
    });
    ws.on("closing", () => this.#beginClosing());
    // A malformed frame first emits an error event; without this listener it would end the process.
    ws.on("error", () => this.#beginClosing());
    ws.on("close", () => this.#beginClosing());
  }

  get #hasRoom(): boolean {
    return this.#socket.writableLength <= CHANNEL_LIMITS.queuedEventBytes;
  }

  get isOpen(): boolean {
    return !this.#isClosing && this.#ws.readyState === this.#ws.OPEN;
  }

  /** Sends a message that is never skipped; a socket with too many queued bytes is closed instead. */
  send(message: ServerMessage): void {
    if (!this.isOpen) return;
    if (!this.#hasRoom) this.close("CONSUMER_TOO_SLOW");
    else this.#socket.write(encodeTextFrame(JSON.stringify(message)));
  }

  sendError(code: ClientErrorCode, error: string): void {
    this.send({ t: "error", code, error, fatal: false });
  }

  /** Sends ticks. A socket that reads too slowly gets only the events, and later the next whole frame. */
  sendTick(tick: TickBuffers): void {
    if (!this.isOpen) return;
    const queuedBytes = this.#socket.writableLength;
    if (queuedBytes <= CHANNEL_LIMITS.queuedBytes) {
      if (this.#skipped === 0) {
        this.#socket.write(tick.whole);
        return;
      }
      if (tick.events) this.#socket.write(tick.events);
      this.#socket.write(tick.withSkipped(this.#skipped));
      this.#skipped = 0;
      return;
    }
    this.#skipped += tick.count;
    if (this.#skipped >= CHANNEL_LIMITS.skippedFrames || queuedBytes > CHANNEL_LIMITS.queuedEventBytes) {
      this.close("CONSUMER_TOO_SLOW");
    } else if (tick.events) this.#socket.write(tick.events);
  }

  /** Called every `pingSeconds`. */
  ping(): void {
    if (this.#missedPongs >= CHANNEL_LIMITS.missedPongs) {
      this.close("PONG_TIMEOUT");
      return;
    }
    this.#missedPongs += 1;
    if (this.isOpen) this.#ws.ping();
  }

  /** Before a close with a code of the service (4000 and above), sends an `error` message that explains it. */
  close(reason: CloseReason, explanation?: string): void {
    if (this.#isClosing) return;
    const { code } = CLOSE_REASONS[reason];
    if ((code > 4000 || reason === "TOO_BIG") && this.isOpen && this.#hasRoom) {
      const error = explainClose(reason, explanation);
      this.#socket.write(encodeTextFrame(JSON.stringify({ t: "error", code: reason, error, fatal: true })));
    }
    this.#ws.close(code, reason);
    this.#beginClosing();
  }

  /** For a peer that exceeded its limit: ends the connection without waiting for the peer's close frame. */
  closeWithoutReading(reason: CloseReason, explanation: string): void {
    this.close(reason, explanation);
    this.#socket.end();
  }

  terminate(): void {
    this.#beginClosing();
    this.#ws.terminate();
  }

  #beginClosing(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    const cancel = this.#clock.after(TERMINATE_AFTER_MS, () => this.#ws.terminate());
    this.#ws.once("close", cancel);
    this.#onClosing();
  }
}
