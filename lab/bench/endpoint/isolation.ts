/** P9 as it is really used: ticks beside signed snapshots through HTTP, in one process of the service. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Side as ComparedSide, Options, Row } from "../compare/types.ts";
import { type Count, findMissing } from "../compare/work.ts";
import { connectViewers, type Received } from "../ws/viewer.ts";
import { createEndpoints, type Endpoint } from "./endpoints.ts";
import { type Answer, sendAtRate } from "./load.ts";
import { databaseOf, seedArcade } from "./seed.ts";
import { Side } from "./side.ts";
import type { StartedTicking, Ticks } from "./ticking.ts";
import { createWorld, type World } from "./world.ts";

const TICK_HZ = 30;
const SNAPSHOTS_PER_SECOND = 500;
const SIZES = { full: { sessions: 300, windowMs: 2000, rounds: 7 }, quick: { sessions: 20, windowMs: 500, rounds: 2 } };
const WALLETS = 1_000;
const SESSIONS_PER_WALLET = 10;
const NOTHING = "nothing beside the ticks";
const TICKS_TOLERANCE = 0.12;
/** Messages beside the frames, such as events of the game. */
const FRAMES_EXCESS = 0.3;
const SETTLE_MS = 500;

type Load = "snapshots" | "none" | "idle";

/** The process that both sides load, and the sessions whose snapshots were not asked for yet. */
class TickingService {
  readonly #size: (typeof SIZES)["full"];
  #world: World | null = null;
  #endpoint: Endpoint | null = null;
  #side: Side<StartedTicking> | null = null;
  readonly #received: Received = { frames: 0, bytes: 0 };
  #next = 0;

  constructor(size: (typeof SIZES)["full"]) {
    this.#size = size;
  }

  async start(): Promise<void> {
    if (this.#side !== null) return;
    this.#world = await createWorld(WALLETS, SESSIONS_PER_WALLET);
    const databaseFile = databaseOf(this.#world.folder, "ticking");
    await seedArcade(databaseFile, this.#world);
    const { rpcUrl, deployment, folder } = this.#world;
    const options = { rpcUrl, deployment, folder, databaseFile, sessions: this.#size.sessions, tickHz: TICK_HZ };
    this.#side = await Side.start<StartedTicking>("endpoint/ticking", options);
    [this.#endpoint] = createEndpoints(this.#world) as [Endpoint];
    await connectViewers(this.#side.started.tickets, this.#received);
    await this.#sendSnapshots();
    this.#side.freeze();
  }

  /** How many of a window's snapshots were signed. */
  async #sendSnapshots(): Promise<number> {
    const count = (this.#size.windowMs * SNAPSHOTS_PER_SECOND) / 1000;
    const from = this.#next;
    this.#next += count;
    const requests = Array.from({ length: count }, (_, i) => this.#endpoint!.createRequest(from + i));
    const answers = await sendAtRate(this.#side!.started.url, requests, SNAPSHOTS_PER_SECOND);
    return answers.filter((answer: Answer, i) => this.#endpoint!.isSigned(from + i, answer)).length;
  }

  async measure(load: Load) {
    const side = this.#side!;
    side.resume();
    await sleep(SETTLE_MS);
    const { cpuUs } = await side.read<Ticks>();
    const startedMs = performance.now();
    const framesBefore = this.#received.frames;
    const signed = load === "snapshots" ? this.#sendSnapshots() : null;
    await sleep(this.#size.windowMs);
    const seconds = (performance.now() - startedMs) / 1000;
    const read = await side.read<Ticks>();
    const frames = this.#received.frames - framesBefore;
    const signatures = (await signed) ?? 0;
    side.freeze();
    return { ...read, cpuUs: read.cpuUs - cpuUs, seconds, signatures, frames };
  }

  async stop(): Promise<void> {
    await this.#side?.stop();
    await this.#world?.close();
    [this.#side, this.#world] = [null, null];
  }
}

function createSide(service: TickingService, name: string, load: Load, { sessions, windowMs }: (typeof SIZES)["full"]) {
  const runRound: ComparedSide["runRound"] = async () => {
    const { ticks, p99LateMs, cpuUs, seconds, signatures, frames } = await service.measure(load);
    const inWindow = { expected: sessions * TICK_HZ * seconds, tolerance: TICKS_TOLERANCE };
    const counts: Count[] = [
      { ...inWindow, what: "ticks", done: ticks },
      { ...inWindow, what: "frames received", done: frames, excess: FRAMES_EXCESS },
    ];
    const expected = (windowMs * SNAPSHOTS_PER_SECOND) / 1000;
    if (load !== "none") counts.push({ what: "signatures verified", done: signatures, expected, tolerance: 0 });
    return { value: p99LateMs, missing: findMissing(counts), more: { "ms of CPU a second": cpuUs / 1000 / seconds } };
  };
  return { name, start: () => service.start(), stop: () => service.stop(), runRound };
}

export function createHttpIsolationRow({ isQuick }: Options): Row {
  const size = isQuick ? SIZES.quick : SIZES.full;
  const service = new TickingService(size);
  return {
    id: "P9",
    what: `${SNAPSHOTS_PER_SECOND} signed snapshots a second through HTTP beside ${size.sessions} sessions at ${TICK_HZ} Hz`,
    figure: { name: "lateness of a tick, 99 of 100 at most", unit: "ms", better: "lower" },
    rounds: size.rounds,
    sides: [createSide(service, "Agent Arcade", "snapshots", size), createSide(service, NOTHING, "none", size)],
    idle: createSide(service, "ticks without snapshots", "idle", size),
    bars: [{ against: NOTHING, share: 1.5 }],
  };
}
