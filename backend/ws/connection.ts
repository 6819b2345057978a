import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { ServerMessage } from "../domain/protocol.ts";
import { CHANNEL_LIMITS, CLOSES, type ClientErrorCode, type CloseReason } from "../domain/protocol-rules.ts";
import type { Clock } from "../ports/clock.ts";
import { frameText } from "./wire.ts";

/** A socket that was told to close and does not answer is cut after this. */
const CUT_AFTER_MS = 2000;

/** What one tick has to say, framed once for all sockets. */
export interface TickBuffers {
  /** Events of the tick, or null. */
  readonly events: Buffer | null;
  /** Events and frame. */
  readonly whole: Buffer;
  /** The frame with its count of skipped ones, for a socket that missed some. */
  readonly withSkipped: (skipped: number) => Buffer;
}

/** One socket: sends with back-pressure, pings, and closes with a reason. */
export class Connection {
  readonly #ws: WebSocket;
  readonly #socket: Duplex;
  readonly #clock: Pick<Clock, "after">;
  readonly #onClosing: () => void;
  #skipped = 0;
  #missedPongs = 0;
  #isClosing = false;

  /** `onClosing` runs once, as soon as the socket is of no use any more, whichever side ended it. */
  constructor(ws: WebSocket, socket: Duplex, clock: Pick<Clock, "after">, onClosing: () => void) {
    this.#ws = ws;
    this.#socket = socket;
    this.#clock = clock;
    this.#onClosing = onClosing;
    ws.on("pong", () => {
      this.#missedPongs = 0;
    });
    // Answering pings is done here and not by `ws`, so that a peer which sends and never reads fills no memory.
    ws.on("ping", (data) => {
      if (this.isOpen && this.#socket.writableLength <= CHANNEL_LIMITS.queuedBytes) this.#ws.pong(data);
    });
    ws.on("closing", () => this.#leave());
    // A malformed frame is an error event first; without this listener it would end the process.
    ws.on("error", () => this.#leave());
    ws.on("close", () => this.#leave());
  }

  get isOpen(): boolean {
    return !this.#isClosing && this.#ws.readyState === this.#ws.OPEN;
  }

  /** Sends what is never skipped; a socket with too much of it queued is closed instead. */
  send(message: ServerMessage): void {
    if (!this.isOpen) return;
    if (this.#socket.writableLength > CHANNEL_LIMITS.queuedEventBytes) this.close("CONSUMER_TOO_SLOW");
    else this.#socket.write(frameText(JSON.stringify(message)));
  }

  sendError(code: ClientErrorCode, error: string, fatal = false): void {
    this.send({ t: "error", code, error, fatal });
  }

  /** Sends a tick; a socket that reads too slowly gets the events alone, and the next whole frame when it has room. */
  sendTick(tick: TickBuffers): void {
    if (!this.isOpen) return;
    const queued = this.#socket.writableLength;
    if (queued <= CHANNEL_LIMITS.queuedBytes) {
      if (this.#skipped === 0) {
        this.#socket.write(tick.whole);
        return;
      }
      if (tick.events) this.#socket.write(tick.events);
      this.#socket.write(tick.withSkipped(this.#skipped));
      this.#skipped = 0;
      return;
    }
    this.#skipped += 1;
    if (this.#skipped >= CHANNEL_LIMITS.skippedFrames || queued > CHANNEL_LIMITS.queuedEventBytes) {
      this.close("CONSUMER_TOO_SLOW");
    } else if (tick.events) this.#socket.write(tick.events);
  }

  /** Called every `pingSeconds`. */
  ping(): void {
    if (this.#missedPongs >= CHANNEL_LIMITS.missedPongs) {
      this.terminate();
      return;
    }
    this.#missedPongs += 1;
    if (this.isOpen) this.#ws.ping();
  }

  close(reason: CloseReason): void {
    if (this.#isClosing) return;
    this.#ws.close(CLOSES[reason].code, reason);
    this.#leave();
  }

  terminate(): void {
    this.#leave();
    this.#ws.terminate();
  }

  #leave(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    const cancel = this.#clock.after(CUT_AFTER_MS, () => this.#ws.terminate());
    this.#ws.once("close", cancel);
    this.#onClosing();
  }
}
