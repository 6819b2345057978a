/** P16: ticks of ranked games, with and without calls of tools through `/mcp` of the same service. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Side as ComparedSide, Options, Row } from "../compare/types.ts";
import { type Count, findMissing } from "../compare/work.ts";
import { connectViewers, type Received } from "../ws/viewer.ts";
import { toAddress } from "./endpoints.ts";
import { type Answer, type EndpointRequest, sendAtRate } from "./load.ts";
import { databaseOf, seedArcade } from "./seed.ts";
import { Side } from "./side.ts";
import type { StartedTicking, TickingOptions, Ticks } from "./ticking.ts";
import { createWorld, SLUG, type World } from "./world.ts";

const TICK_HZ = 20;
const CALLS_PER_SECOND = 100;
const SIZES = {
  full: { sessions: 100, windowMs: 4000, rounds: 9 },
  quick: { sessions: 20, windowMs: 500, rounds: 2 },
};
const WARM_UP_CALLS = 50;
const TICKS_TOLERANCE = 0.12;
/** Messages beside the frames, such as events of the game. */
const FRAMES_EXCESS = 0.3;
/** Ticks of the window before are told first. */
const SETTLE_MS = 300;
const LATER_MS_MAX = 0.2;

/** What a model asks before it plays, with a word of the right answer. */
const CALLS = [
  { name: "list_games", arguments: {}, expected: SLUG },
  { name: "describe_game", arguments: { slug: SLUG }, expected: "frameSchema" },
  { name: "leaderboard", arguments: { limit: 10 }, expected: "items" },
] as const;
const getCall = (n: number) => CALLS[n % CALLS.length]!;

function createRequest(n: number): EndpointRequest {
  const { expected: _, ...params } = getCall(n);
  return {
    path: "/mcp",
    headers: {
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-06-18",
      "x-forwarded-for": toAddress(n),
    },
    body: { jsonrpc: "2.0", id: n, method: "tools/call", params },
  };
}

/** Whether the tool itself has answered: an error of the protocol and one of the tool have status 200 too. */
const isAnswered = (n: number, { status, body }: Answer): boolean =>
  status === 200 && body.includes('"result"') && !body.includes('"isError":true') && body.includes(getCall(n).expected);

type Size = (typeof SIZES)["full"];

/** One process that ticks and serves; its `/mcp` starts a process of its own with the first call. */
class TickingService {
  readonly #size: Size;
  #world: World | null = null;
  #side: Side<StartedTicking> | null = null;
  readonly #received: Received = { frames: 0, bytes: 0 };
  #calls = 0;

  constructor(size: Size) {
    this.#size = size;
  }

  async start(): Promise<void> {
    this.#world = await createWorld(1, 1);
    const databaseFile = databaseOf(this.#world.folder, "mcp");
    await seedArcade(databaseFile, this.#world);
    const { rpcUrl, deployment, folder } = this.#world;
    const { sessions } = this.#size;
    const options: TickingOptions = { rpcUrl, deployment, folder, databaseFile, sessions, tickHz: TICK_HZ, mcp: "on" };
    this.#side = await Side.start<StartedTicking>("endpoint/ticking", options);
    await connectViewers(this.#side.started.tickets, this.#received);
    await this.#sendCalls(WARM_UP_CALLS);
  }

  /** How many of the calls were answered by their tool. */
  async #sendCalls(count: number): Promise<number> {
    const from = this.#calls;
    this.#calls += count;
    const requests = Array.from({ length: count }, (_, i) => createRequest(from + i));
    const answers = await sendAtRate(this.#side!.started.url, requests, CALLS_PER_SECOND);
    return answers.filter((answer, i) => isAnswered(from + i, answer)).length;
  }

  /** The lateness of one window's ticks, during this number of calls. */
  async measure(calls: number) {
    const side = this.#side!;
    await sleep(SETTLE_MS);
    const { cpuUs } = await side.read<Ticks>();
    const startedMs = performance.now();
    const framesBefore = this.#received.frames;
    const [answered] = await Promise.all([this.#sendCalls(calls), sleep(this.#size.windowMs)]);
    const seconds = (performance.now() - startedMs) / 1000;
    const read = await side.read<Ticks>();
    const frames = this.#received.frames - framesBefore;
    return { ...read, answered, frames, seconds, cpuUsPerSecond: (read.cpuUs - cpuUs) / seconds };
  }

  async stop(): Promise<void> {
    await this.#side?.stop();
    await this.#world?.close();
    [this.#side, this.#world] = [null, null];
  }
}

/** A round is a window without calls and one with them, in turns first. */
function createSide(name: string, size: Size, sendsCalls: boolean): ComparedSide {
  const service = new TickingService(size);
  const { sessions, windowMs } = size;
  const expected = (windowMs * CALLS_PER_SECOND) / 1000;
  const runRound: ComparedSide["runRound"] = async (round) => {
    const measureBeside = () => service.measure(sendsCalls ? expected : 0);
    const early = round % 2 === 0 ? null : await measureBeside();
    const without = await service.measure(0);
    const beside = early ?? (await measureBeside());
    const listWork = ({ ticks, frames, seconds }: typeof beside): Count[] => {
      const inWindow = { expected: sessions * TICK_HZ * seconds, tolerance: TICKS_TOLERANCE };
      return [
        { ...inWindow, what: "ticks", done: ticks },
        { ...inWindow, what: "frames received", done: frames, excess: FRAMES_EXCESS },
      ];
    };
    const answers = { what: "calls answered", done: beside.answered, expected };
    return {
      value: beside.p99LateMs - without.p99LateMs,
      missing: findMissing([...listWork(without), ...listWork(beside), answers]),
      more: {
        "ms late beside calls (p99)": beside.p99LateMs,
        "ms late without calls (p99)": without.p99LateMs,
        "us of the ticks' process for a call": (beside.cpuUsPerSecond - without.cpuUsPerSecond) / CALLS_PER_SECOND,
      },
    };
  };
  return { name, start: () => service.start(), stop: () => service.stop(), runRound };
}

export function createBesideMcpRow({ isQuick }: Options): Row {
  const size = isQuick ? SIZES.quick : SIZES.full;
  return {
    id: "P16",
    what: `${CALLS_PER_SECOND} calls a second beside ${size.sessions} ranked sessions at ${TICK_HZ} Hz`,
    figure: { name: "a tick's lateness, 99 of 100 at most, with calls less without", unit: "ms", better: "lower" },
    rounds: size.rounds,
    sides: [createSide("Agent Arcade", size, true)],
    planted: createSide("ticks without calls", size, false),
    bars: [{ max: LATER_MS_MAX }],
  };
}
