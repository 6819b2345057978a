/** An agent's HTTP/1.1: `fetch` over connections in memory, which are kept alive as in a browser. */
import type { Fetch } from "../../../client/http.ts";
import type { Connection, ConnectionEnd } from "../world/connection.ts";
import type { SimulatedBackend } from "./backend.ts";
import { NoAnswer } from "./no-answer.ts";

interface Answer {
  readonly status: number;
  /** Status line and headers. */
  readonly head: string;
  readonly text: string;
}

interface Exchange {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: NoAnswer) => void;
}

const HEAD_END = "\r\n\r\n";
const STATUS = { from: "HTTP/1.1 ".length, to: "HTTP/1.1 200".length };

const findHeader = (head: string, name: string): string | null =>
  new RegExp(`^${name}: (.*)$`, "im").exec(head)?.[1] ?? null;

/** A connection with one request at a time. */
class HttpConnection {
  readonly #connection: Connection;
  #received: Buffer = Buffer.alloc(0);
  #exchange: Exchange | null = null;
  #isEnded = false;

  constructor(connect: (end: ConnectionEnd) => Connection) {
    this.#connection = connect({ onBytes: (bytes) => this.#onBytes(bytes), onEnd: () => this.#onEnd() });
  }

  get isIdle(): boolean {
    return this.#exchange === null && !this.#isEnded;
  }

  /** Rejects with `NoAnswer` if the service closes the connection. */
  ask(request: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#exchange = { resolve, reject };
      this.#connection.send(request);
    });
  }

  #onBytes(bytes: Buffer): void {
    const received = this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes]);
    this.#received = received;
    const headEnd = received.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const head = received.toString("latin1", 0, headEnd);
    const start = headEnd + HEAD_END.length;
    const end = start + Number(findHeader(head, "content-length"));
    if (received.length < end) return;
    this.#received = received.subarray(end);
    const exchange = this.#exchange;
    this.#exchange = null;
    const text = received.toString("utf8", start, end);
    exchange?.resolve({ status: Number(head.slice(STATUS.from, STATUS.to)), head, text });
  }

  #onEnd(): void {
    this.#isEnded = true;
    this.#exchange?.reject(new NoAnswer("the connection was closed"));
    this.#connection.close();
  }
}

function toBytes(url: string, init: RequestInit): Buffer {
  const { host, pathname, search } = new URL(url);
  const { method = "GET", headers, body } = init as { method?: string; headers: Record<string, string>; body?: string };
  const text = body ?? "";
  const length = body === undefined ? {} : { "content-length": Buffer.byteLength(text) };
  const head = Object.entries({ host, ...headers, ...length }).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from([`${method} ${pathname}${search} HTTP/1.1`, ...head, "", text].join("\r\n"));
}

/** The part of a response that the client reads. */
const toResponse = ({ status, head, text }: Answer): Response =>
  ({
    ...{ status, ok: status >= 200 && status < 300 },
    headers: { get: (name: string) => findHeader(head, name) },
    text: async () => text,
  }) as unknown as Response;

export class HttpClient {
  readonly #address: string;
  readonly #connections = new Map<SimulatedBackend, HttpConnection[]>();

  /** `address`: the agent's IP address. */
  constructor(address: string) {
    this.#address = address;
  }

  /** `fetch` whose requests reach this backend. */
  createFetch(backend: SimulatedBackend): Fetch {
    return async (url, init) => toResponse(await this.#connect(backend).ask(toBytes(url, init)));
  }

  #connect(backend: SimulatedBackend): HttpConnection {
    const connections = this.#connections.get(backend) ?? [];
    this.#connections.set(backend, connections);
    const idle = connections.find(({ isIdle }) => isIdle);
    if (idle !== undefined) return idle;
    const opened = new HttpConnection((end) => backend.connect(this.#address, end));
    connections.push(opened);
    return opened;
  }
}
