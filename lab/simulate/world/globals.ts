/**
 * Puts simulated time, randomness and network in place of Node's during a run, so that the product's
 * code runs unchanged. Imports of Node's modules see the stand-ins as well (`syncBuiltinESMExports`).
 */
import nodeCrypto from "node:crypto";
import { EventEmitter } from "node:events";
import nodeHttp from "node:http";
import { syncBuiltinESMExports } from "node:module";
import nodeTimers from "node:timers";
import timerPromises from "node:timers/promises";
import nodeZlib from "node:zlib";
import type { Random } from "../../../testing/random.ts";
import { type EventLoop, getOwner, type Task } from "./event-loop.ts";
import { type Abortable, joinSignals, rejectWhenAborted, SimulatedSignal } from "./signals.ts";

/** Answers one HTTP request of a process with status and JSON text. Never resolves if no answer comes. */
export type Network = (url: string, body: string) => Promise<{ readonly status: number; readonly text: string }>;

export interface SimulatedWorld {
  readonly loop: EventLoop;
  readonly random: Random;
  readonly network: Network;
  /** When the run starts, milliseconds since 1970. */
  readonly startMs: number;
}

const COMPRESSION_MS = 1;

interface Overlay {
  readonly target: object;
  readonly values: { readonly [name: string]: unknown };
}

const toUuid = (bytes: Buffer): string => {
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
};

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

function createTimers(loop: EventLoop) {
  const cancel = (timer: { readonly task?: Task } | undefined): void => {
    if (timer?.task) timer.task.isCancelled = true;
  };
  const setTimer = (run: (...args: unknown[]) => void, delayMs = 0, ...args: unknown[]) => {
    const task = loop.schedule(delayMs, () => run(...args));
    const timer = { task, ref: () => timer, unref: () => timer, hasRef: () => true };
    return timer;
  };
  return {
    setTimeout: setTimer,
    setImmediate: (run: (...args: unknown[]) => void, ...args: unknown[]) => setTimer(run, 0, ...args),
    clearTimeout: cancel,
    clearImmediate: cancel,
    setInterval: () => {
      throw new Error("a simulated run has no intervals");
    },
  };
}

interface FetchInit {
  readonly body: string;
  readonly signal: Abortable;
}

function createFetch({ network }: SimulatedWorld): (url: string, init: FetchInit) => Promise<unknown> {
  return async (url, { body, signal }) => {
    const owner = getOwner();
    if (owner !== null && !owner.isAlive) return never();
    const aborted = rejectWhenAborted(signal);
    try {
      const { status, text } = await Promise.race([network(url, body), aborted.promise]);
      if (owner !== null && !owner.isAlive) return never();
      return { ok: status === 200, status, statusText: "", headers: {}, body: [Buffer.from(text)] };
    } finally {
      aborted.stop();
    }
  };
}

/** The part of a `node:http` request that a process uses. */
class SimulatedRequest extends EventEmitter {
  readonly #url: URL;
  readonly #network: Network;
  readonly #owner = getOwner();
  /** Requests of the run without an answer so far. */
  readonly #open: Set<SimulatedRequest>;

  constructor(url: URL, network: Network, open: Set<SimulatedRequest>) {
    super();
    this.#url = url;
    this.#network = network;
    this.#open = open;
    open.add(this);
  }

  end(body: string): void {
    if (this.#isOver()) return;
    this.#network(this.#url.href, body).then(
      ({ status, text }) => this.#answer(status, text),
      (error: Error) => this.fail(error),
    );
  }

  destroy(): void {
    this.#open.delete(this);
  }

  fail(error: Error): void {
    if (this.#open.delete(this)) this.emit("error", error);
  }

  #answer(statusCode: number, text: string): void {
    if (this.#isOver()) return;
    this.#open.delete(this);
    const response = Object.assign(new EventEmitter(), { statusCode, statusMessage: "" });
    this.emit("response", response);
    response.emit("data", Buffer.from(text));
    response.emit("end");
  }

  #isOver(): boolean {
    return !this.#open.has(this) || this.#owner?.isAlive === false;
  }
}

type Compressed = (error: Error | null, bytes: Buffer) => void;

/** Simulates compression with a delay, instead of Node's threads, whose timing varies. */
function createCompression(loop: EventLoop) {
  const later = (compress: (input: string | Buffer) => Buffer) => (input: string | Buffer, callback: Compressed) => {
    loop.schedule(COMPRESSION_MS, () => callback(null, compress(input)));
  };
  return {
    gzip: later((input) => nodeZlib.gzipSync(input, { level: 1 })),
    gunzip: later((input) => nodeZlib.gunzipSync(input)),
  };
}

function createTimeout(loop: EventLoop, delayMs: number): Abortable {
  const signal = new SimulatedSignal(() => {
    task.isCancelled = true;
  });
  const createReason = (): unknown => new DOMException("it took too long", "TimeoutError");
  const task = loop.schedule(delayMs, () => signal.abort(createReason), true);
  return signal;
}

function listOverlays(world: SimulatedWorld, requests: Set<SimulatedRequest>): readonly Overlay[] {
  const { loop, random, startMs, network } = world;
  const timers = createTimers(loop);
  // Only libraries call it, and they keep the values beyond a run, so nothing may depend on the number of draws.
  const forLibraries = random.fork();
  const now = (): number => Math.floor(startMs + loop.nowMs + (getOwner()?.wallOffsetMs ?? 0));
  return [
    { target: globalThis, values: { ...timers, fetch: createFetch(world) } },
    { target: nodeHttp, values: { request: (url: URL) => new SimulatedRequest(url, network, requests) } },
    { target: nodeTimers, values: timers },
    { target: nodeZlib, values: createCompression(loop) },
    {
      target: timerPromises,
      values: { setTimeout: (ms: number) => loop.sleep(ms), setImmediate: () => loop.sleep(0) },
    },
    { target: Date, values: { now } },
    { target: performance, values: { now: () => loop.nowMs } },
    { target: Math, values: { random: () => forLibraries.next() } },
    {
      target: AbortSignal,
      values: { timeout: (delayMs: number) => createTimeout(loop, delayMs), any: joinSignals },
    },
    {
      target: nodeCrypto,
      values: { randomBytes: (count: number) => random.bytes(count), randomUUID: () => toUuid(random.bytes(16)) },
    },
  ];
}

export interface InstalledWorld {
  /** Fails open requests, whose waiters libraries would keep beyond the run. Returns false if there were none. */
  failRequests(): boolean;
  /** Restores Node's functions. */
  restore(): void;
}

export function installWorld(world: SimulatedWorld): InstalledWorld {
  const requests = new Set<SimulatedRequest>();
  const undo: (() => void)[] = [];
  for (const { target, values } of listOverlays(world, requests))
    for (const [name, value] of Object.entries(values)) {
      const before = Object.getOwnPropertyDescriptor(target, name);
      Object.defineProperty(target, name, { value, configurable: true, writable: true });
      undo.push(() => {
        if (before === undefined) Reflect.deleteProperty(target, name);
        else Object.defineProperty(target, name, before);
      });
    }
  syncBuiltinESMExports();
  return {
    failRequests: () => {
      const open = [...requests];
      for (const request of open) request.fail(new Error("the run is over"));
      return open.length > 0;
    },
    restore: () => {
      for (const restore of undo.reverse()) restore();
      syncBuiltinESMExports();
    },
  };
}
