/**
 * `npm run lab -- bench endpoint`: the whole signed endpoints (P4) through HTTP with token, limits, validation, durable
 * row and signature. The limits for all signatures together and for a network are lifted.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Benchmark, Round, Row, Side } from "./compare/types.ts";
import { findMissing } from "./compare/work.ts";
import { createEndpoints, type Endpoint } from "./endpoint/endpoints.ts";
import { sendAll, type TimedAnswer } from "./endpoint/load.ts";
import { countSignings, databaseOf, seedArcade } from "./endpoint/seed.ts";
import { createWorld, type World } from "./endpoint/world.ts";
import { ServerProcess } from "./server/process.ts";

const CONNECTIONS = 50;
const LATENCY = "ms to the answer (p99)";
/** The server is warmed up by requests that repeat their facts, so that its code is compiled. */
const SIZES = {
  full: {
    rounds: 7,
    requests: 1_000,
    warmUp: { requests: 6_000, facts: 2_000 },
  },
  quick: { rounds: 2, requests: 200, warmUp: { requests: 200, facts: 200 } },
};
type Script = "arcade" | "idle";
type Size = (typeof SIZES)["full"];
/** After a suspension a process first does the work that became due. */
const SETTLE_MS = 2_000;

/** A server process under the load of one endpoint. */
class EndpointSide implements Side {
  readonly name: string;
  readonly #endpoint: Endpoint;
  readonly #world: World;
  readonly #size: Size;
  readonly #script: Script;
  readonly #databaseFile: string;
  #process: ServerProcess | null = null;
  #next = 0;

  constructor(name: string, script: Script, endpoint: Endpoint, world: World, size: Size) {
    this.name = name;
    this.#script = script;
    this.#endpoint = endpoint;
    this.#world = world;
    this.#size = size;
    this.#databaseFile = databaseOf(world.folder, `${script}-${endpoint.name.replace("/", "-")}`);
  }

  async start(): Promise<void> {
    const { rpcUrl, deployment, folder } = this.#world;
    await seedArcade(this.#databaseFile, this.#world);
    const options = { rpcUrl, deployment, folder, databaseFile: this.#databaseFile };
    this.#process = await ServerProcess.start(`endpoint/${this.#script}`, options);
    if (this.#script !== "idle") await this.#warmUp();
    this.#process.freeze();
  }

  async #warmUp(): Promise<void> {
    const { requests, facts } = this.#size.warmUp;
    const repeated = Array.from({ length: requests }, (_, i) => this.#endpoint.createRequest(i % facts));
    await sendAll(this.#process!.url, repeated, CONNECTIONS);
    this.#next = facts;
  }

  async #send(count: number): Promise<{ readonly from: number; readonly answers: readonly TimedAnswer[] }> {
    const from = this.#next;
    this.#next += count;
    const requests = Array.from({ length: count }, (_, i) => this.#endpoint.createRequest(from + i));
    return { from, answers: await sendAll(this.#process!.url, requests, CONNECTIONS) };
  }

  async runRound(): Promise<Round> {
    const requests = this.#size.requests;
    const side = this.#process!;
    side.resume();
    await sleep(SETTLE_MS);
    const rowsBefore = countSignings(this.#databaseFile);
    const cpuBefore = await side.readCpuUs();
    const startedMs = performance.now();
    const { from, answers } = await this.#send(requests);
    const cpuUs = (await side.readCpuUs()) - cpuBefore;
    const seconds = (performance.now() - startedMs) / 1000;
    side.freeze();
    const rows = countSignings(this.#databaseFile) - rowsBefore;
    const signed = answers.filter((answer, i) => this.#endpoint.isSigned(from + i, answer)).length;
    const missing = findMissing([
      { what: "signatures verified", done: signed, expected: requests },
      { what: "durable rows", done: rows, expected: requests },
    ]);
    const latencies = answers.map(({ ms }) => ms).sort((a, b) => a - b);
    const p99Ms = latencies[Math.floor(latencies.length * 0.99)]!;
    return { value: cpuUs / requests, missing, more: { [LATENCY]: p99Ms, "answers a second": requests / seconds } };
  }

  async stop(): Promise<void> {
    await this.#process?.stop();
  }
}

function createRow(endpoint: Endpoint, world: World, size: Size): Row {
  const create = (name: string, script: Script) => new EndpointSide(name, script, endpoint, world, size);
  return {
    id: "P4",
    what: `${endpoint.name} at ${CONNECTIONS} connections, limits of all signatures and of a network lifted`,
    figure: { name: "CPU for each answer", unit: "us", better: "lower" },
    rounds: size.rounds,
    sides: [create("Agent Arcade", "arcade")],
    idle: create("answers without work", "idle"),
    bars: [{ max: 600 }, { max: 60, of: LATENCY }],
  };
}

export const benchmark: Benchmark = {
  summary: "the whole signed endpoints through HTTP (P4)",
  async *rows({ isQuick }) {
    const size = isQuick ? SIZES.quick : SIZES.full;
    // For each request a wallet with facts that it has not used.
    const world = await createWorld(size.warmUp.facts + size.rounds * size.requests);
    try {
      for (const endpoint of createEndpoints(world)) yield createRow(endpoint, world, size);
    } finally {
      await world.close();
    }
  },
};
