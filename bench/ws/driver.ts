/** Drives one side: its process, its viewers, its measurements. Viewers count bytes and read nothing. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { WebSocket } from "ws";
import type { CryptoBy } from "./crypto.ts";
import type { Measured, Order } from "./server.ts";
import type { Extras, Ticket } from "./side.ts";

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Viewers that come in at once. */
const TOGETHER = 50;

async function enter(ticket: Ticket, count: (bytes: number) => void): Promise<void> {
  if (ticket.via === "colyseus") {
    const { Client } = await import("@colyseus/sdk");
    const room = await new Client(ticket.url).joinById(ticket.roomId);
    room.onMessage("frame", () => count(1));
    room.reconnection.enabled = false;
    return;
  }
  const ws = new WebSocket(ticket.url, { perMessageDeflate: false });
  const heard: (() => void)[] = [];
  let waiting = 0;
  ws.on("message", () => {
    waiting += 1;
    heard.shift()?.();
  });
  const next = async (): Promise<void> => {
    while (waiting === 0) await new Promise<void>((resolve) => heard.push(resolve));
    waiting -= 1;
  };
  await once(ws, "open");
  if (ticket.greets === true) await next();
  for (const text of ticket.say) {
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

  /** `databaseUrl`: for our own side alone. */
  static async start(name: string, databaseUrl?: string): Promise<Driver> {
    const script = fileURLToPath(new URL("./server.ts", import.meta.url));
    const child = fork(script, databaseUrl === undefined ? [name] : [name, databaseUrl], {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    await once(child, "message");
    return new Driver(name, child);
  }

  async #ask<T>(order: Order): Promise<T> {
    this.#child.send(order);
    const [answer] = await once(this.#child, "message");
    return answer as T;
  }

  async open(count: number, tickHz: number, viewers: number, extras: Extras = {}): Promise<void> {
    const { tickets } = await this.#ask<{ tickets: Ticket[] }>({ order: "open", count, tickHz, viewers, extras });
    for (let i = 0; i < tickets.length; i += TOGETHER) {
      await Promise.all(
        tickets.slice(i, i + TOGETHER).map((ticket) => enter(ticket, (bytes) => (this.#received += bytes))),
      );
    }
  }

  /** Lets the side run alone for a while; `received`: what its viewers got (bytes, or messages of Colyseus). */
  async measure(ms: number, crypto: CryptoBy = "nobody"): Promise<Measured & { received: number }> {
    this.resume();
    await pause(300);
    await this.#ask({ order: "begin", crypto });
    const before = this.#received;
    await pause(ms);
    const { measured } = await this.#ask<{ measured: Measured }>({ order: "end" });
    return { ...measured, received: this.#received - before };
  }

  resume(): void {
    this.#child.kill("SIGCONT");
  }

  /** Freezes the process, so that it takes nothing from the side that is measured. */
  freeze(): void {
    this.#child.kill("SIGSTOP");
  }

  async stop(): Promise<void> {
    this.#child.kill("SIGKILL");
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, "exit");
  }
}

/** What the figures were made on, and how busy it is now. */
export const machine = (): string =>
  `${cpus()[0]?.model ?? "unknown"}, ${cpus().length} cores, Node ${process.version}, load ${loadavg()
    .map((value) => value.toFixed(1))
    .join(" ")}`;

export const ratio = (ours: number, theirs: number): string => (ours / theirs).toFixed(2);

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
