/** Drives one side: its process, its spectators and its measurements. Spectators count bytes and parse nothing. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { WebSocket } from "ws";
import type { CryptoMode } from "./crypto.ts";
import type { Measurement, ServerCommand } from "./server.ts";
import type { ConnectInfo, OpenOptions } from "./side.ts";

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Spectators that connect at the same time. */
const CONNECT_BATCH_SIZE = 50;

async function connectViewer(connectInfo: ConnectInfo, count: (bytes: number) => void): Promise<void> {
  if (connectInfo.via === "colyseus") {
    const { Client } = await import("@colyseus/sdk");
    const room = await new Client(connectInfo.url).joinById(connectInfo.roomId);
    room.onMessage("frame", () => count(1));
    room.reconnection.enabled = false;
    return;
  }
  const ws = new WebSocket(connectInfo.url, { perMessageDeflate: false });
  const waiters: (() => void)[] = [];
  let waiting = 0;
  ws.on("message", () => {
    waiting += 1;
    waiters.shift()?.();
  });
  const next = async (): Promise<void> => {
    while (waiting === 0) await new Promise<void>((resolve) => waiters.push(resolve));
    waiting -= 1;
  };
  await once(ws, "open");
  if (connectInfo.greets === true) await next();
  for (const text of connectInfo.say) {
    ws.send(text);
    await next();
  }
  const raw = (ws as unknown as { _socket: Socket })._socket;
  raw.removeAllListeners("data");
  raw.on("data", (chunk) => count(chunk.length));
}

export class Driver {
  readonly name: string;
  readonly #child: ChildProcess;
  #received = 0;

  private constructor(name: string, child: ChildProcess) {
    this.name = name;
    this.#child = child;
  }

  /** `databaseUrl`: for our own side only. */
  static async start(name: string, databaseUrl?: string): Promise<Driver> {
    const script = fileURLToPath(new URL("./server.ts", import.meta.url));
    const child = fork(script, databaseUrl === undefined ? [name] : [name, databaseUrl], {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    await once(child, "message");
    return new Driver(name, child);
  }

  async #request<T>(command: ServerCommand): Promise<T> {
    this.#child.send(command);
    const [response] = await once(this.#child, "message");
    return response as T;
  }

  async open(count: number, tickHz: number, viewers: number, extras: OpenOptions = {}): Promise<void> {
    const { tickets } = await this.#request<{ tickets: ConnectInfo[] }>({
      order: "open",
      count,
      tickHz,
      viewers,
      extras,
    });
    for (let i = 0; i < tickets.length; i += CONNECT_BATCH_SIZE) {
      await Promise.all(
        tickets
          .slice(i, i + CONNECT_BATCH_SIZE)
          .map((ticket) => connectViewer(ticket, (bytes) => (this.#received += bytes))),
      );
    }
  }

  /** Lets only this side run for a while; `received`: bytes that its spectators got, or messages of Colyseus. */
  async measure(ms: number, crypto: CryptoMode = "none"): Promise<Measurement & { received: number }> {
    this.resume();
    await sleep(300);
    await this.#request({ order: "begin", crypto });
    const before = this.#received;
    await sleep(ms);
    const { measured } = await this.#request<{ measured: Measurement }>({ order: "end" });
    return { ...measured, received: this.#received - before };
  }

  resume(): void {
    this.#child.kill("SIGCONT");
  }

  /** Stops the process by a signal, so that it uses no CPU while another side is measured. */
  freeze(): void {
    this.#child.kill("SIGSTOP");
  }

  async stop(): Promise<void> {
    this.#child.kill("SIGKILL");
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, "exit");
  }
}

/** The machine of the measurement and its current load. */
export const describeMachine = (): string =>
  `${cpus()[0]?.model ?? "unknown"}, ${cpus().length} cores, Node ${process.version}, load ${loadavg()
    .map((value) => value.toFixed(1))
    .join(" ")}`;

export const ratio = (ours: number, theirs: number): string => (ours / theirs).toFixed(2);
