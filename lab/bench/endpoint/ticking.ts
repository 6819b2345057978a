/** The whole service, and running sessions on the same thread. It tells how late their ticks were. */
import { startArcade } from "../ws/arcade.ts";
import type { ConnectInfo } from "../ws/side.ts";
import { startService } from "./service.ts";
import { type Started, serveSide } from "./side.ts";
import type { EndpointOptions } from "./world.ts";

export interface TickingOptions extends EndpointOptions {
  readonly sessions: number;
  readonly tickHz: number;
}

export interface StartedTicking extends Started {
  /** How each session's spectator connects. */
  readonly tickets: readonly ConnectInfo[];
}

/** Since the last report. */
export interface Ticks {
  readonly ticks: number;
  /** By how much the time between two ticks of a session exceeded its period. */
  readonly p99LateMs: number;
}

let periodMs = 0;
let lastMs: number[] = [];
let late: number[] = [];
let ticks = 0;

function onTick(session: number): void {
  const nowMs = performance.now();
  const before = lastMs[session];
  if (before !== undefined) late.push(Math.max(0, nowMs - before - periodMs));
  lastMs[session] = nowMs;
  ticks += 1;
}

async function start(options: TickingOptions): Promise<StartedTicking> {
  const { sessions, tickHz } = options;
  periodMs = 1000 / tickHz;
  const game = await startArcade(onTick);
  const url = await startService(options);
  const tickets: ConnectInfo[] = [];
  for (let n = 0; n < sessions; n++) {
    tickets.push(...(await game.open(tickHz, 1)));
    // Sessions start at different times, as with real players.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 2));
  }
  return { url, tickets };
}

function read(): Ticks {
  late.sort((a, b) => a - b);
  const told = { ticks, p99LateMs: late[Math.floor(late.length * 0.99)] ?? Number.NaN };
  lastMs = [];
  late = [];
  ticks = 0;
  return told;
}

serveSide<TickingOptions>(start, read);
