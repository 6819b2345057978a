/** One side in a process of its own, told what to do over IPC. `node server.ts SIDE [DATABASE_URL]`. */
import type { Worker } from "../../backend/ports.ts";
import { type CryptoBy, type CryptoDone, startCrypto } from "./crypto.ts";
import type { Extras, Side } from "./side.ts";

export type Order =
  | {
      readonly order: "open";
      readonly count: number;
      readonly tickHz: number;
      readonly viewers: number;
      readonly extras: Extras;
    }
  | { readonly order: "begin"; readonly crypto: CryptoBy }
  | { readonly order: "end" };

export interface Measured {
  readonly cpuMs: number;
  /** The kernel's part of `cpuMs`. */
  readonly systemMs: number;
  readonly ticks: number;
  readonly seconds: number;
  /** How much longer than its period the time between two ticks of a session was. */
  readonly p99LateMs: number;
  /** By how much the rate of all sessions' ticks was off, from the first tick of each to its last: -0.01 is 1 % slow. */
  readonly rateError: number;
  readonly rssMb: number;
  readonly signatures: number;
  readonly signIns: number;
}

const STARTS: {
  readonly [side: string]: (onTick: (n: number) => void) => Promise<Side & { readonly worker?: Worker }>;
} = {
  arcade: async (onTick) => (await import("./arcade.ts")).startArcade(onTick, process.argv[3]),
  naive: async (onTick) => (await import("./naive.ts")).startNaive(onTick),
  corrected: async (onTick) => (await import("./naive.ts")).startNaive(onTick, true),
  floor: async (onTick) => (await import("./floor.ts")).startFloor(onTick),
  colyseus: async (onTick) => (await import("./colyseus.ts")).startColyseus(onTick),
  "socket.io": async (onTick) => (await import("./socketio.ts")).startSocketIo(onTick),
};

/** Of each session in this window: its first tick, its last one, and how many periods lie between. */
let firstMs: number[] = [];
let lastMs: number[] = [];
let periods = 0;
let periodMs = 50;
let late: number[] = [];
let ticks = 0;
const side = await STARTS[process.argv[2]!]!((n) => {
  const nowMs = performance.now();
  ticks += 1;
  const before = lastMs[n];
  if (before === undefined) firstMs[n] = nowMs;
  else {
    late.push(Math.max(0, nowMs - before - periodMs));
    periods += 1;
  }
  lastMs[n] = nowMs;
});

let cpu = process.cpuUsage();
let startedMs = 0;
let stopCrypto: () => CryptoDone = () => ({ signatures: 0, signIns: 0 });

process.on("message", async (order: Order) => {
  if (order.order === "open") {
    periodMs = 1000 / order.tickHz;
    const tickets = [];
    for (let i = 0; i < order.count; i++) {
      tickets.push(...(await side.open(order.tickHz, order.viewers, order.extras)));
      // Sessions begin at moments of their own, as players do.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 2));
    }
    process.send!({ tickets });
  } else if (order.order === "begin") {
    stopCrypto = startCrypto(order.crypto, side.worker!);
    firstMs = [];
    lastMs = [];
    periods = 0;
    late = [];
    ticks = 0;
    cpu = process.cpuUsage();
    startedMs = performance.now();
    process.send!({ begun: true });
  } else {
    const { user, system } = process.cpuUsage(cpu);
    late.sort((a, b) => a - b);
    let spanMs = 0;
    for (const n in lastMs) spanMs += lastMs[n]! - firstMs[n]!;
    const measured: Measured = {
      cpuMs: (user + system) / 1000,
      systemMs: system / 1000,
      ticks,
      seconds: (performance.now() - startedMs) / 1000,
      p99LateMs: late[Math.floor(late.length * 0.99)] ?? 0,
      rateError: (periods * periodMs) / spanMs - 1,
      rssMb: process.memoryUsage.rss() / 2 ** 20,
      ...stopCrypto(),
    };
    process.send!({ measured });
  }
});
process.on("disconnect", () => process.exit(0));
process.send!({ ready: true });
