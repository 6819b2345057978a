/** Sends requests over persistent connections, one at a time on each, with as little work as possible. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface Answer {
  readonly status: number;
  readonly head: string;
  readonly body: Buffer;
}

const HEAD_END = "\r\n\r\n";

/** The answer at the start of these bytes; null while it is not complete. Only `Content-Length` is supported. */
function parseAnswer(bytes: Buffer): Answer | null {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return null;
  const head = bytes.toString("latin1", 0, headEnd);
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`an answer without Content-Length: ${head.slice(0, 200)}`);
  const bodyStart = headEnd + HEAD_END.length;
  const bodyEnd = bodyStart + Number(length);
  if (bytes.length < bodyEnd) return null;
  return { status: Number(head.slice(9, 12)), head, body: bytes.subarray(bodyStart, bodyEnd) };
}

/** Connections to one server that stay open. */
export class Load {
  readonly #sockets: readonly Socket[];

  private constructor(sockets: readonly Socket[]) {
    this.#sockets = sockets;
  }

  static async open(url: string, connections: number): Promise<Load> {
    const port = Number(new URL(url).port);
    const sockets = Array.from({ length: connections }, () => connect({ port, host: "127.0.0.1", noDelay: true }));
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    // `close` follows.
    for (const socket of sockets) socket.on("error", () => undefined);
    return new Load(sockets);
  }

  /** Sends `count` requests, and passes each answer to `onAnswer`. Rejects if an answer is missing. */
  async send(count: number, createRequest: (n: number) => Buffer, onAnswer: (n: number, answer: Answer) => void) {
    let next = 0;
    const run = (socket: Socket): Promise<void> =>
      new Promise((resolve, reject) => {
        let n = -1;
        let received: Buffer | null = null;
        const sendNext = (): void => {
          if (next === count) {
            finish();
            return;
          }
          n = next++;
          socket.write(createRequest(n));
        };
        const finish = (error?: Error): void => {
          socket.off("data", onData).off("close", onClose).setTimeout(0).off("timeout", onClose);
          if (error === undefined) resolve();
          else reject(error);
        };
        const onData = (chunk: Buffer): void => {
          received = received === null ? chunk : Buffer.concat([received, chunk]);
          const answer = parseAnswer(received);
          if (answer === null) return;
          received = null;
          onAnswer(n, answer);
          sendNext();
        };
        const onClose = (): void => finish(new Error(`no answer after ${n} of ${count} requests`));
        socket.on("data", onData).on("close", onClose).setTimeout(ANSWER_TIMEOUT_MS).on("timeout", onClose);
        sendNext();
      });
    await Promise.all(this.#sockets.map(run));
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

const ANSWER_TIMEOUT_MS = 5_000;
