import { once } from "node:events";
import { WebSocket } from "ws";
import { CompactDecoder } from "../../client/compact.ts";
import type { EventMessage, FrameBody, HelloMessage, ServerMessage } from "../../domain/protocol/messages.ts";

export interface TestSocketOptions {
  readonly headers?: Record<string, string>;
  readonly autoPong?: boolean;
  /** The client's address: all of 127.0.0.0/8 is loopback. */
  readonly localAddress?: string;
  /** Appended to the address. */
  readonly query?: string;
}

/** A client's socket that keeps received messages, compact frames as JSON ones, and lets a test wait for one. */
export class TestSocket {
  readonly ws: WebSocket;
  readonly messages: ServerMessage[] = [];
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  /** Bytes of all messages. */
  receivedBytes = 0;
  readonly #listeners = new Set<() => void>();

  constructor(url: string, { query = "", ...options }: TestSocketOptions = {}) {
    this.ws = new WebSocket(url + query, { perMessageDeflate: false, ...options });
    const compact = new CompactDecoder();
    this.ws.on("message", (data: Buffer, isBinary) => {
      this.receivedBytes += data.length;
      const message = isBinary ? { t: "frame" as const, frame: compact.decode(data) } : JSON.parse(String(data));
      if (message.t === "compact") compact.addEntries(message);
      this.messages.push(message);
      for (const check of this.#listeners) check();
    });
    this.closed = new Promise((resolve) => {
      this.ws.on("close", (code, reason) => resolve({ code, reason: String(reason) }));
    });
    this.ws.on("error", () => {});
  }

  async open(): Promise<this> {
    if (this.ws.readyState === WebSocket.CONNECTING) await once(this.ws, "open");
    return this;
  }

  send(message: unknown): void {
    this.ws.send(typeof message === "string" || Buffer.isBuffer(message) ? message : JSON.stringify(message));
  }

  /** Resolves with the first matching message, already received or later. Rejects if the socket closes first. */
  waitForMessage<T extends ServerMessage>(predicate: (message: ServerMessage) => message is T): Promise<T>;
  waitForMessage(predicate: (message: ServerMessage) => boolean): Promise<ServerMessage>;
  waitForMessage(predicate: (message: ServerMessage) => boolean): Promise<ServerMessage> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        const found = this.messages.find(predicate);
        if (!found) return;
        this.#listeners.delete(check);
        resolve(found);
      };
      this.#listeners.add(check);
      check();
      void this.closed.then(({ code, reason }) => reject(new Error(`closed before the message: ${code} ${reason}`)));
    });
  }

  waitForHello(): Promise<HelloMessage> {
    return this.waitForMessage((message): message is HelloMessage => message.t === "hello");
  }

  waitForEvent(name: string): Promise<EventMessage> {
    return this.waitForMessage((message): message is EventMessage => message.t === "event" && message.event === name);
  }

  async frame(predicate: (frame: FrameBody) => boolean): Promise<FrameBody> {
    const message = await this.waitForMessage((message) => message.t === "frame" && predicate(message.frame));
    return (message as { readonly frame: FrameBody }).frame;
  }

  getFrames(): FrameBody[] {
    return this.messages.flatMap((message) => (message.t === "frame" ? [message.frame] : []));
  }

  async close(): Promise<void> {
    this.ws.close();
    await this.closed;
  }
}
