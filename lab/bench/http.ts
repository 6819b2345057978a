/**
 * `npm run lab -- bench http`: public reads (P6) of the whole service, with its limits, log and metrics, beside Express and
 * Fastify with the same features and beside Node with ready bytes, each in its own process.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Benchmark, Round, Row, Side } from "./compare/types.ts";
import { findMissing } from "./compare/work.ts";
import { ENDPOINTS, type Endpoint } from "./http/endpoints.ts";
import { type Answer, Load } from "./http/load.ts";
import type { FixedAnswer, Peer } from "./http/peers.ts";
import { createWorld, type World } from "./http/world.ts";
import { ServerProcess } from "./server/process.ts";

const CONNECTIONS = 32;
/** More than the ranked ones. */
const WALLETS = 200;
const SIZES = { full: { rounds: 7, requests: 4_000, warmUp: 6_000 }, quick: { rounds: 2, requests: 500, warmUp: 500 } };
type Script = "arcade" | Peer | "idle";
type Size = (typeof SIZES)["full"];
/** After it was frozen, a process first does what was due by then. */
const SETTLE_MS = 300;

/** What the first answer of our side was; its peers answer the same. */
interface Recorded {
  answer: Answer | null;
}

/** A server process under the load of one endpoint. */
class HttpSide implements Side {
  readonly name: string;
  readonly #script: Script;
  readonly #endpoint: Endpoint;
  readonly #world: World;
  readonly #size: Size;
  readonly #recorded: Recorded;
  #process: ServerProcess | null = null;
  #next = 0;

  constructor(name: string, script: Script, endpoint: Endpoint, world: World, size: Size, recorded: Recorded) {
    this.name = name;
    this.#script = script;
    this.#endpoint = endpoint;
    this.#world = world;
    this.#size = size;
    this.#recorded = recorded;
  }

  async start(): Promise<void> {
    const { rpcUrl, deployment, folder } = this.#world;
    if (this.#script === "arcade") {
      const databaseFile = await this.#world.createDatabase(this.#endpoint.name);
      this.#process = await ServerProcess.start("http/arcade", { rpcUrl, deployment, folder, databaseFile });
    } else if (this.#script === "idle") this.#process = await ServerProcess.start("http/idle", {});
    else this.#process = await ServerProcess.start("http/peers", { peer: this.#script, answer: this.#toFixedAnswer() });
    // Each round opens new connections: idle ones would be closed while the process is frozen.
    const load = await Load.open(this.#process.url, CONNECTIONS);
    if (this.#script === "arcade") await this.#record(load);
    if (this.#script !== "idle") await this.#send(load, this.#size.warmUp);
    load.close();
    this.#process.freeze();
  }

  /** Records the answer of the endpoint. */
  async #record(load: Load): Promise<void> {
    await load.send(
      1,
      (n) => this.#endpoint.createRequest(n),
      (_, answer) => {
        this.#recorded.answer = { ...answer, body: Buffer.from(answer.body) };
      },
    );
    const { status, body } = this.#recorded.answer!;
    if (status !== 200) throw new Error(`${this.#endpoint.name} answers ${status}: ${body.toString().slice(0, 300)}`);
  }

  #toFixedAnswer(): FixedAnswer {
    return { path: this.#endpoint.path, text: this.#recorded.answer!.body.toString() };
  }

  /** Returns how many answers were right. */
  async #send(load: Load, count: number): Promise<number> {
    const from = this.#next;
    const expected = this.#recorded.answer!;
    this.#next += count;
    let right = 0;
    await load.send(
      count,
      (n) => this.#endpoint.createRequest(from + n),
      (_, answer) => {
        if (this.#endpoint.isRight(answer, expected)) right += 1;
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

function createRow(endpoint: Endpoint, world: World, size: Size): Row {
  const recorded: Recorded = { answer: null };
  const create = (script: Script) => new HttpSide(NAMES[script], script, endpoint, world, size, recorded);
  return {
    id: "P6",
    what: `${endpoint.name} at ${CONNECTIONS} connections`,
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
      for (const endpoint of ENDPOINTS) yield createRow(endpoint, world, isQuick ? SIZES.quick : SIZES.full);
    } finally {
      await world.close();
    }
  },
};
