import { connect, createInbox, type Msg, type NatsConnection } from "@nats-io/transport-node";
import type { Clock, Log } from "../../ports/system.ts";
import { toNatsOptions } from "./nats-options.ts";

/** A message of a subscription. `data` belongs to the receiver. */
export interface BusMessage {
  readonly subject: string;
  readonly data: Buffer;
  /** Answers a request; does nothing for other messages. */
  respond(text: string): void;
}

/** The result of a request. `no-responders`: no node runs the session. */
export type BusReply =
  | { readonly kind: "reply"; readonly data: Buffer }
  | { readonly kind: "no-responders" | "timeout" | "disconnected" };

/** How long the start waits for a NATS server. */
const CONNECT_TIMEOUT_MS = 10_000;
const RECONNECT_WAIT_MS = 250;
/** The response of a node that no longer runs the session; the server's "no responders" is empty too. */
export const NO_RESPONDER = "";
/** After that response, how long to wait for the session's new node to respond. */
const FORMER_NODE_MS = 50;
/** The status of the server's "no responders". */
const NO_RESPONDERS_STATUS = 503;

/**
 * One connection to NATS. Messages of all subscriptions, replies included, are delivered in order and in the same turn.
 * While the connection is lost, published messages are dropped, and requests fail at once.
 */
export class Bus {
  readonly #connection: NatsConnection;
  readonly #clock: Pick<Clock, "after">;
  readonly #inbox: string;
  readonly #requests = new Map<string, (reply: BusReply) => void>();
  readonly #listeners = new Set<(isConnected: boolean) => void>();
  readonly #log: Log;
  #requestCount = 0;
  #isConnected = true;
  #isClosing = false;

  private constructor(connection: NatsConnection, clock: Pick<Clock, "after">, log: Log) {
    this.#connection = connection;
    this.#clock = clock;
    this.#log = log;
    this.#inbox = createInbox();
    connection.subscribe(`${this.#inbox}.*`, {
      callback: (error, message) => {
        if (error === null) this.#protect(() => this.#onReply(message));
      },
    });
    void this.#followStatus();
  }

  /** Connects to one of the servers (`ARCADE_NATS_URL`). Rejects if none answers. */
  static async connect(
    urls: readonly string[],
    { clock, log }: { clock: Pick<Clock, "after">; log: Log },
  ): Promise<Bus> {
    const options = toNatsOptions(urls);
    const connection = await connect({
      ...options,
      name: "agent-arcade",
      timeout: CONNECT_TIMEOUT_MS,
      maxReconnectAttempts: -1,
      reconnectTimeWait: RECONNECT_WAIT_MS,
      ignoreAuthErrorAbort: true,
    }).catch((cause: Error) => {
      const expected = `ARCADE_NATS_URL: expected a NATS server at ${String(options.servers)}, received: ${cause.message}`;
      throw new Error(`${expected}; start it, or correct the address, user and password`, { cause });
    });
    return new Bus(connection, clock, log);
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** Calls back when the connection is lost and when it is restored. */
  onConnectionChange(listener: (isConnected: boolean) => void): void {
    this.#listeners.add(listener);
  }

  publish(subject: string, data: Uint8Array | string): void {
    if (this.#isConnected) this.#connection.publish(subject, data);
  }

  subscribe(subject: string, onMessage: (message: BusMessage) => void): () => void {
    const subscription = this.#connection.subscribe(subject, {
      callback: (error, message) => {
        if (error !== null) return;
        const respond = (text: string): void => {
          if (this.#isConnected) message.respond(text);
        };
        const { subject, data } = message;
        this.#protect(() => onMessage({ subject, data: Buffer.from(data), respond }));
      },
    });
    return () => subscription.unsubscribe();
  }

  request(subject: string, text: string, timeoutMs: number, onReply: (reply: BusReply) => void): void {
    if (!this.#isConnected) {
      onReply({ kind: "disconnected" });
      return;
    }
    this.#requestCount += 1;
    const token = String(this.#requestCount);
    const cancel = this.#clock.after(timeoutMs, () => this.#settle(token, { kind: "timeout" }));
    this.#requests.set(token, (reply) => {
      cancel();
      onReply(reply);
    });
    this.#connection.publish(subject, text, { reply: `${this.#inbox}.${token}` });
  }

  /** Like `request`, but without delivery in the same turn. */
  ask(subject: string, text: string, timeoutMs: number): Promise<BusReply> {
    return new Promise((resolve) => this.request(subject, text, timeoutMs, resolve));
  }

  /** Sends what is already published, then closes the connection. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#listeners.clear();
    if (this.#isConnected) await this.#connection.flush().catch(() => undefined);
    await this.#connection.close();
  }

  #onReply(message: Msg): void {
    const token = message.subject.slice(this.#inbox.length + 1);
    const settleUnanswered = (): void => this.#settle(token, { kind: "no-responders" });
    if (message.data.length > 0) this.#settle(token, { kind: "reply", data: Buffer.from(message.data) });
    else if (message.headers?.code === NO_RESPONDERS_STATUS) settleUnanswered();
    // For a moment a session's old node may respond as well as the new one: do not repeat a request that was handled.
    else this.#clock.after(FORMER_NODE_MS, settleUnanswered);
  }

  #settle(token: string, reply: BusReply): void {
    const onReply = this.#requests.get(token);
    this.#requests.delete(token);
    onReply?.(reply);
  }

  async #followStatus(): Promise<void> {
    for await (const status of this.#connection.status()) {
      if (status.type === "disconnect" || status.type === "close") this.#setConnected(false);
      else if (status.type === "reconnect") this.#setConnected(true);
    }
  }

  /** The client would catch an error, which aborts its parser. */
  #protect(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#log.error({ err: error }, "a message of another node met a bug");
    }
  }

  #setConnected(isConnected: boolean): void {
    if (isConnected === this.#isConnected) return;
    this.#isConnected = isConnected;
    if (isConnected) this.#log.info({}, "connected to NATS again");
    else {
      if (!this.#isClosing) this.#log.warn({}, "the connection to NATS is lost");
      for (const token of [...this.#requests.keys()]) this.#settle(token, { kind: "disconnected" });
    }
    for (const listener of this.#listeners) listener(isConnected);
  }
}
