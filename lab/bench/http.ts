/**
 * `npm run lab -- bench http`: public reads and authenticated JSON routes (P6) of the whole service, with its limits, log
 * and metrics, beside bare Express that has the same answers ready, each in a process of its own.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Bar, Benchmark, Round, Row, Side } from "./compare/types.ts";
import { findMissing } from "./compare/work.ts";
import { createEndpoints, type Endpoint } from "./http/endpoints.ts";
import type { FixedAnswer } from "./http/express.ts";
import { type Answer, Load } from "./http/load.ts";
import { createWorld, type World } from "./http/world.ts";
import { ServerProcess } from "./server/process.ts";

const CONNECTIONS = 32;
/** Enough for the limits of a wallet and a minute. */
const WALLETS = 300;
const SIZES = { full: { rounds: 7, requests: 4_000, warmUp: 6_000 }, quick: { rounds: 2, requests: 500, warmUp: 500 } };
type Size = (typeof SIZES)["full"];
/** After it was frozen, a process first does what was due meanwhile. */
const SETTLE_MS = 300;

/** What the first answer of our side was; its peers answer the same. */
interface Recorded {
  answer: Answer | null;
}

/** A server process under the load of one endpoint. */
class HttpSide implements Side {
  readonly name: string;
  readonly #script: string;
  readonly #endpoint: Endpoint;
  readonly #world: World;
  readonly #size: Size;
  readonly #recorded: Recorded;
  #process: ServerProcess | null = null;
  #next = 0;

  constructor(name: string, script: string, endpoint: Endpoint, world: World, size: Size, recorded: Recorded) {
    this.name = name;
    this.#script = script;
    this.#endpoint = endpoint;
    this.#world = world;
    this.#size = size;
    this.#recorded = recorded;
  }

  async start(): Promise<void> {
    const { rpcUrl, deployment, folder } = this.#world;
    const isOurs = this.#script === "arcade";
    const databaseFile = isOurs
      ? await this.#world.createDatabase(this.#endpoint.fileName, this.#endpoint.name === "live")
      : "";
    const options = isOurs ? { rpcUrl, deployment, folder, databaseFile } : { answers: [this.#toFixedAnswer()] };
    this.#process = await ServerProcess.start(`http/${this.#script}`, options);
    // Each round has connections of its own: idle ones would be closed while the process is frozen.
    const load = await Load.open(this.#process.url, CONNECTIONS);
    if (isOurs) await this.#record(load);
    if (this.#script !== "idle") await this.#send(load, this.#size.warmUp);
    load.close();
    this.#process.freeze();
  }

  /** Prepares the endpoint, and records its answer. */
  async #record(load: Load): Promise<void> {
    await this.#endpoint.prepare?.(this.#process!.url);
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
    const { method, path, isAuthenticated } = this.#endpoint;
    return { method, path: path(0), isAuthenticated, text: this.#recorded.answer!.body.toString() };
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

const PEER = "bare Express";
const BARS: { readonly [kind in "read" | "authenticated"]: Bar } = {
  read: { against: PEER, times: 1.4 },
  authenticated: { against: PEER, share: 1.3 },
};

function createRow(endpoint: Endpoint, world: World, size: Size): Row {
  const recorded: Recorded = { answer: null };
  const create = (name: string, script: string) => new HttpSide(name, script, endpoint, world, size, recorded);
  return {
    id: "P6",
    what: `${endpoint.name} at ${CONNECTIONS} connections`,
    figure: { name: "CPU for each answer", unit: "us", better: "lower" },
    rounds: size.rounds,
    sides: [create("Agent Arcade", "arcade"), create(PEER, "express")],
    idle: create("answers without work", "idle"),
    bars: [BARS[endpoint.isAuthenticated ? "authenticated" : "read"]],
  };
}

export const benchmark: Benchmark = {
  summary: "public reads and authenticated JSON routes beside bare Express (P6)",
  async *rows({ isQuick }) {
    const world = await createWorld(WALLETS);
    try {
      for (const endpoint of createEndpoints(world)) {
        const { rounds, requests, warmUp } = isQuick ? SIZES.quick : SIZES.full;
        const share = endpoint.share ?? 1;
        yield createRow(endpoint, world, { rounds, requests: share * requests, warmUp: share * warmUp });
      }
    } finally {
      await world.close();
    }
  },
};
