/**
 * `npm run lab -- bench http`: public reads (P6) of the whole service, with its limits, log and metrics, beside Express and
 * Fastify with the same features and beside Node with ready bytes, each in its own process.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Benchmark, Round, Row, Side } from "./compare/types.ts";
import { findMissing } from "./compare/work.ts";
import { createRequest, isRight, PATHS } from "./http/endpoints.ts";
import { type Answer, Load } from "./http/load.ts";
import type { Peer } from "./http/peers.ts";
import { createWorld, type World } from "./http/world.ts";
import { ServerProcess } from "./server/process.ts";

const CONNECTIONS = 32;
/** More than the ranked ones. */
const WALLETS = 200;
const SIZES = { full: { rounds: 9, requests: 6_000, warmUp: 9_000 }, quick: { rounds: 2, requests: 500, warmUp: 500 } };
type Script = "arcade" | Peer | "idle";
type Size = (typeof SIZES)["full"];
/** After a suspension a process first does the work that became due. */
const SETTLE_MS = 300;

/** A server process under load. */
class HttpSide implements Side {
  readonly name: string;
  readonly #script: Script;
  readonly #world: World;
  readonly #size: Size;
  /** The first answers of our side, by path; its peers give the same. */
  readonly #recorded: Answer[];
  #process: ServerProcess | null = null;
  #next = 0;

  constructor(name: string, script: Script, world: World, size: Size, recorded: Answer[]) {
    this.name = name;
    this.#script = script;
    this.#world = world;
    this.#size = size;
    this.#recorded = recorded;
  }

  async start(): Promise<void> {
    const { rpcUrl, deployment, folder } = this.#world;
    if (this.#script === "arcade") {
      const databaseFile = await this.#world.createDatabase("reads");
      this.#process = await ServerProcess.start("http/arcade", { rpcUrl, deployment, folder, databaseFile });
    } else if (this.#script === "idle") this.#process = await ServerProcess.start("http/idle", {});
    else {
      const answers = PATHS.map((path, n) => ({ path, text: this.#recorded[n]!.body.toString() }));
      this.#process = await ServerProcess.start("http/peers", { peer: this.#script, answers });
    }
    // Each round opens new connections: idle ones would be closed while the process is frozen.
    const load = await Load.open(this.#process.url, CONNECTIONS);
    if (this.#script === "arcade") await this.#record(load);
    if (this.#script !== "idle") await this.#send(load, this.#size.warmUp);
    load.close();
    this.#process.freeze();
  }

  /** Records the answer of each path. */
  async #record(load: Load): Promise<void> {
    await load.send(PATHS.length, createRequest, (n, answer) => {
      const { status, body } = answer;
      if (status !== 200) throw new Error(`${PATHS[n]} answers ${status}: ${body.toString().slice(0, 300)}`);
      this.#recorded[n] = { ...answer, body: Buffer.from(body) };
    });
  }

  /** Returns how many answers were right. */
  async #send(load: Load, count: number): Promise<number> {
    const from = this.#next;
    this.#next += count;
    let right = 0;
    await load.send(
      count,
      (n) => createRequest(from + n),
      (n, answer) => {
        if (isRight(from + n, answer, this.#recorded)) right += 1;
      },
    );
    return right;
  }

  async runRound(): Promise<Round> {
    const { requests } = this.#size;
    const side = this.#process!;
    side.resume();
    await sleep(SETTLE_MS);
    const load = await Load.open(side.url, CONNECTIONS);
    const cpuBefore = await side.readCpuUs();
    const startedMs = performance.now();
    const right = await this.#send(load, requests);
    const cpuUs = (await side.readCpuUs()) - cpuBefore;
    const seconds = (performance.now() - startedMs) / 1000;
    load.close();
    side.freeze();
    return {
      value: cpuUs / requests,
      missing: findMissing([{ what: "right answers", done: right, expected: requests }]),
      more: { "answers a second of CPU": (requests / cpuUs) * 1e6, "answers a second": requests / seconds },
    };
  }

  async stop(): Promise<void> {
    await this.#process?.stop();
  }
}

const NAMES = {
  arcade: "Agent Arcade",
  express: "Express with the same features",
  fastify: "Fastify with the same features",
  node: "Node, ready bytes",
  idle: "answers without work",
} as const;

function createRow(world: World, size: Size): Row {
  const recorded: Answer[] = [];
  const create = (script: Script) => new HttpSide(NAMES[script], script, world, size, recorded);
  return {
    id: "P6",
    what: `catalog, leaderboard and sums in turn at ${CONNECTIONS} connections`,
    figure: { name: "CPU for each answer", unit: "us", better: "lower" },
    rounds: size.rounds,
    sides: [create("arcade"), create("express"), create("fastify"), create("node")],
    idle: create("idle"),
    bars: [
      { against: NAMES.express, times: 2.5 },
      { against: NAMES.fastify, times: 2 },
      { against: NAMES.node, share: 1.8 },
    ],
  };
}

export const benchmark: Benchmark = {
  summary: "public reads beside Express and Fastify with the same features (P6)",
  async *rows({ isQuick }) {
    const world = await createWorld(WALLETS);
    try {
      yield createRow(world, isQuick ? SIZES.quick : SIZES.full);
    } finally {
      await world.close();
    }
  },
};
