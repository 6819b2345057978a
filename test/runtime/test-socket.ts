import { once } from "node:events";
import { WebSocket } from "ws";
import type { EventMessage, FrameBody, HelloMessage, ServerMessage } from "../../backend/domain/protocol.ts";
import { CompactDecoder } from "../../client/compact.ts";

export interface TestSocketOptions {
  readonly headers?: Record<string, string>;
  readonly autoPong?: boolean;
  /** Appended to the address. */
  readonly query?: string;
}

/** A client's socket that keeps what it hears, compact frames as JSON ones, and lets a test wait for it. */
export class TestSocket {
  readonly ws: WebSocket;
  readonly messages: ServerMessage[] = [];
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  /** Bytes of all messages. */
  received = 0;
  readonly #waiting = new Set<() => void>();

  constructor(url: string, { query = "", ...options }: TestSocketOptions = {}) {
    this.ws = new WebSocket(url + query, { perMessageDeflate: false, ...options });
    const compact = new CompactDecoder();
    this.ws.on("message", (data: Buffer, isBinary) => {
      this.received += data.length;
      const message = isBinary ? { t: "frame" as const, frame: compact.decode(data) } : JSON.parse(String(data));
      if (message.t === "compact") compact.learn(message);
      this.messages.push(message);
      for (const look of this.#waiting) look();
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

  /** Resolves with the first message, heard or to come, that fits. Rejects when the socket closes before. */
  find<T extends ServerMessage>(fits: (message: ServerMessage) => message is T): Promise<T>;
  find(fits: (message: ServerMessage) => boolean): Promise<ServerMessage>;
  find(fits: (message: ServerMessage) => boolean): Promise<ServerMessage> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const found = this.messages.find(fits);
        if (!found) return;
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
      void this.closed.then(({ code, reason }) => reject(new Error(`closed before the message: ${code} ${reason}`)));
    });
  }

  hello(): Promise<HelloMessage> {
    return this.find((message): message is HelloMessage => message.t === "hello");
  }

  event(name: string): Promise<EventMessage> {
    return this.find((message): message is EventMessage => message.t === "event" && message.event === name);
  }

  async frame(fits: (frame: FrameBody) => boolean): Promise<FrameBody> {
    const message = await this.find((message) => message.t === "frame" && fits(message.frame));
    return (message as { readonly frame: FrameBody }).frame;
  }

  frames(): FrameBody[] {
    return this.messages.flatMap((message) => (message.t === "frame" ? [message.frame] : []));
  }

  async close(): Promise<void> {
    this.ws.close();
    await this.closed;
  }
}
