/** One side in a separate process, with commands over IPC. `node server.ts SIDE [DATABASE_URL]`. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { BenchServer, OpenOptions } from "./side.ts";

export type ServerCommand =
  | {
      readonly order: "open";
      readonly count: number;
      readonly tickHz: number;
      readonly viewers: number;
      readonly extras: OpenOptions;
    }
  | { readonly order: "begin" | "end" };

export interface Measurement {
  readonly cpuMs: number;
  /** The system time within `cpuMs`. */
  readonly systemMs: number;
  readonly ticks: number;
  /** Ticks since the process began. */
  readonly allTicks: number;
  readonly seconds: number;
  /** By how much the time between two ticks of a session exceeded its period. */
  readonly p99LateMs: number;
  /** The error of the tick rate of all sessions, from each first tick to each last: -0.01 is 1 % slow. */
  readonly rateError: number;
  readonly rssMb: number;
  /** The delay of the event loop. */
  readonly p99DelayMs: number;
}

const SERVER_FACTORIES: {
  readonly [side: string]: (onTick: (n: number) => void) => Promise<BenchServer>;
} = {
  arcade: async (onTick) => (await import("./arcade.ts")).startArcade(onTick, process.argv[3]),
  naive: async (onTick) => (await import("./naive.ts")).startNaive(onTick),
  floor: async (onTick) => (await import("./floor.ts")).startFloor(onTick),
  idle: async (onTick) => (await import("./floor.ts")).startFloor(onTick, true),
};

/** For each session in this window: its first tick, its last tick, and the number of periods between them. */
let firstMs: number[] = [];
let lastMs: number[] = [];
let periods = 0;
let periodMs = 50;
let late: number[] = [];
let ticks = 0;
let allTicks = 0;
const side = await SERVER_FACTORIES[process.argv[2]!]!((n) => {
  const nowMs = performance.now();
  ticks += 1;
  allTicks += 1;
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
const delay = monitorEventLoopDelay({ resolution: 1 });

process.on("message", async (command: ServerCommand) => {
  if (command.order === "open") {
    periodMs = 1000 / command.tickHz;
    const tickets = [];
    for (let i = 0; i < command.count; i++) {
      tickets.push(...(await side.open(command.tickHz, command.viewers, command.extras)));
      // Sessions start at different times, as with real players.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 2));
    }
    process.send!({ tickets });
  } else if (command.order === "begin") {
    firstMs = [];
    lastMs = [];
    periods = 0;
    late = [];
    ticks = 0;
    cpu = process.cpuUsage();
    startedMs = performance.now();
    delay.reset();
    delay.enable();
    process.send!({ begun: true });
  } else {
    const { user, system } = process.cpuUsage(cpu);
    delay.disable();
    late.sort((a, b) => a - b);
    let spanMs = 0;
    for (const n in lastMs) spanMs += lastMs[n]! - firstMs[n]!;
    const seconds = (performance.now() - startedMs) / 1000;
    const rssMb = process.memoryUsage.rss() / 2 ** 20;
    const measured: Measurement = {
      cpuMs: (user + system) / 1000,
      systemMs: system / 1000,
      ticks,
      seconds,
      p99LateMs: late[Math.floor(late.length * 0.99)] ?? 0,
      rateError: (periods * periodMs) / spanMs - 1,
      rssMb,
      p99DelayMs: delay.percentile(99) / 1e6,
      allTicks,
    };
    // Stops itself, so that no tick falls between these counts and the stop.
    process.send!({ measured });
    process.kill(process.pid, "SIGSTOP");
  }
});
process.on("disconnect", () => process.exit(0));
process.send!({ ready: true });
