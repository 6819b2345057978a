/**
 * NATS between the backends of a run: each message arrives at most once and in order within its subject; messages of
 * different subjects may overtake each other. Messages sent while a connection is cut are lost.
 */
import type { Bus, BusMessage, BusReply } from "../../../backend/adapters/live-plane/bus.ts";
import type { Random } from "../../../testing/random.ts";
import { type EventLoop, runAs, type SimulatedProcess } from "./event-loop.ts";

const DELAY_MAX_MS = 6;
/** As in the client: how long to wait for a session's new node after the answer of the former one. */
const FORMER_NODE_MS = 50;

const toPattern = (subject: string): RegExp =>
  new RegExp(`^${subject.replaceAll(".", "\\.").replaceAll("*", "[^.]+")}$`);

export class MessageServer {
  readonly #loop: EventLoop;
  readonly #random: Random;
  readonly #links = new Set<SimulatedBus>();
  /** When the last message of a subject arrives at a receiver. */
  readonly #lastMs = new Map<string, number>();
  readonly #cut = new Set<SimulatedProcess>();

  constructor(loop: EventLoop, random: Random) {
    this.#loop = loop;
    this.#random = random;
  }

  connect(process: SimulatedProcess): SimulatedBus {
    const bus = new SimulatedBus(this, process);
    this.#links.add(bus);
    return bus;
  }

  disconnect(bus: SimulatedBus): void {
    this.#links.delete(bus);
  }

  /** Cuts these processes off for a while. */
  cut(processes: readonly SimulatedProcess[], forMs: number): void {
    for (const process of processes) this.#setCut(process, true);
    this.#loop.schedule(forMs, () => {
      for (const process of processes) this.#setCut(process, false);
    });
  }

  isConnected(process: SimulatedProcess): boolean {
    return process.isAlive && !this.#cut.has(process);
  }

  /** Returns the number of receivers. */
  send(subject: string, data: Uint8Array | string, onResponse: (text: string) => void): number {
    const bytes = Buffer.from(data);
    let receivers = 0;
    for (const bus of this.#links) {
      if (!this.isConnected(bus.process) || !bus.listens(subject)) continue;
      receivers += 1;
      this.deliver(bus.process, subject, () => bus.receive(subject, Buffer.from(bytes), onResponse));
    }
    return receivers;
  }

  deliver(process: SimulatedProcess, subject: string, run: () => void): void {
    const key = `${process.name} ${subject}`;
    const arrivesMs = this.#loop.nowMs + this.#random.between(0, DELAY_MAX_MS);
    const atMs = Math.max(this.#lastMs.get(key) ?? 0, arrivesMs);
    this.#lastMs.set(key, atMs);
    runAs(process, () =>
      this.#loop.schedule(atMs - this.#loop.nowMs, () => {
        if (this.isConnected(process)) run();
      }),
    );
  }

  after(process: SimulatedProcess, delayMs: number, run: () => void): () => void {
    const task = runAs(process, () => this.#loop.schedule(delayMs, run));
    return () => {
      task.isCancelled = true;
    };
  }

  #setCut(process: SimulatedProcess, isCut: boolean): void {
    if (isCut) this.#cut.add(process);
    else this.#cut.delete(process);
    for (const bus of this.#links)
      if (bus.process === process && process.isAlive) runAs(process, () => bus.setConnected(!isCut));
  }
}

/** The part of `Bus` that the live plane uses. */
export class SimulatedBus implements Pick<Bus, keyof Bus> {
  readonly process: SimulatedProcess;
  readonly #server: MessageServer;
  readonly #subscriptions = new Set<{ readonly pattern: RegExp; readonly onMessage: (message: BusMessage) => void }>();
  readonly #listeners = new Set<(isConnected: boolean) => void>();
  readonly #requests = new Set<(reply: BusReply) => void>();
  #isConnected = true;

  constructor(server: MessageServer, process: SimulatedProcess) {
    this.#server = server;
    this.process = process;
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  onConnectionChange(listener: (isConnected: boolean) => void): void {
    this.#listeners.add(listener);
  }

  publish(subject: string, data: Uint8Array | string): void {
    if (this.#isConnected) this.#server.send(subject, data, () => undefined);
  }

  subscribe(subject: string, onMessage: (message: BusMessage) => void): () => void {
    const subscription = { pattern: toPattern(subject), onMessage };
    this.#subscriptions.add(subscription);
    return () => void this.#subscriptions.delete(subscription);
  }

  request(subject: string, text: string, timeoutMs: number, onReply: (reply: BusReply) => void): void {
    if (!this.#isConnected) {
      onReply({ kind: "disconnected" });
      return;
    }
    const settle = (reply: BusReply): void => {
      if (!this.#requests.delete(settle)) return;
      cancel();
      onReply(reply);
    };
    this.#requests.add(settle);
    const cancel = this.#server.after(this.process, timeoutMs, () => settle({ kind: "timeout" }));
    const unanswered = (): void => settle({ kind: "no-responders" });
    const onResponse = (reply: string): void =>
      this.#server.deliver(this.process, "reply", () => {
        if (reply === "") this.#server.after(this.process, FORMER_NODE_MS, unanswered);
        else settle({ kind: "reply", data: Buffer.from(reply) });
      });
    if (this.#server.send(subject, text, onResponse) === 0) this.#server.deliver(this.process, "reply", unanswered);
  }

  ask(subject: string, text: string, timeoutMs: number): Promise<BusReply> {
    return new Promise((resolve) => this.request(subject, text, timeoutMs, resolve));
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    this.#isConnected = false;
    this.#subscriptions.clear();
    for (const settle of [...this.#requests]) settle({ kind: "disconnected" });
    this.#server.disconnect(this);
  }

  listens(subject: string): boolean {
    return [...this.#subscriptions].some(({ pattern }) => pattern.test(subject));
  }

  receive(subject: string, data: Buffer, onResponse: (text: string) => void): void {
    const respond = (text: string): void => {
      if (this.#isConnected) onResponse(text);
    };
    for (const { pattern, onMessage } of [...this.#subscriptions])
      if (pattern.test(subject)) onMessage({ subject, data, respond });
  }

  setConnected(isConnected: boolean): void {
    if (isConnected === this.#isConnected) return;
    this.#isConnected = isConnected;
    if (!isConnected) for (const settle of [...this.#requests]) settle({ kind: "disconnected" });
    for (const listener of this.#listeners) listener(isConnected);
  }
}
