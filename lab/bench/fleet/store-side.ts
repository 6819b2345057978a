/** A side of the bench: one or several backends on one store, under the load of one endpoint. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { copyStore } from "../../../backend/app/copy-store.ts";
import { type NatsServer, startNats } from "../../../test/helpers/nats.ts";
import { type PostgresServer, startPostgres } from "../../../test/helpers/postgres.ts";
import type { Side as ComparedSide, Round } from "../compare/types.ts";
import { findMissing } from "../compare/work.ts";
import { type Answer, type EndpointRequest, sendAll } from "../endpoint/load.ts";
import { countRows, databaseOf, seedArcade } from "../endpoint/seed.ts";
import { Side } from "../endpoint/side.ts";
import type { World } from "../endpoint/world.ts";
import type { StoreWork } from "./work.ts";

/** Of each backend that is loaded. */
export interface StoreLoad {
  readonly connections: number;
  /** Of each round. */
  readonly requests: number;
  /** How often each backend gets as many requests before the first round. */
  readonly warmUps: number;
}

export interface StoreSideOptions {
  readonly store: "sqlite" | "postgres";
  readonly backends: number;
  /** Each round loads another backend, and the others only keep their leases; left out: each round loads all. */
  readonly isInTurn?: boolean;
  /** The backends answer without any work. */
  readonly isIdle?: boolean;
}

interface Sent {
  /** The number of the first request. */
  readonly from: number;
  readonly answers: readonly Answer[];
}

/** After it was frozen, a process first does what was due meanwhile, and verifies the sessions that have ended. */
const SETTLE_MS = 1_000;
const SETTLES_MAX = 30;
/** A backend that only follows the chain and keeps its lease uses less, microseconds of CPU a second. */
const SETTLED_CPU_US = 35_000;
const IDLE_MS = 3_000;

/**
 * CPU of all backends together for each answer, without what they use as long without requests (they follow the chain
 * and keep their leases). That of PostgreSQL itself is not in it.
 */
export class StoreSide implements ComparedSide {
  readonly name: string;
  readonly #work: StoreWork;
  readonly #world: World;
  readonly #load: StoreLoad;
  readonly #options: StoreSideOptions;
  #postgres: PostgresServer | null = null;
  #nats: NatsServer | null = null;
  #databaseUrl: string | null = null;
  #databaseFile = "";
  #processes: readonly Side[] = [];
  /** The backends that the next requests go to. */
  #loaded: readonly Side[] = [];
  #sends = 0;
  #next = 0;

  constructor(name: string, work: StoreWork, world: World, load: StoreLoad, options: StoreSideOptions) {
    this.name = name;
    this.#work = work;
    this.#world = world;
    this.#load = load;
    this.#options = options;
  }

  async start(): Promise<void> {
    const { rpcUrl, deployment, folder } = this.#world;
    const { store, backends, isInTurn = false, isIdle = false } = this.#options;
    this.#databaseFile = databaseOf(folder, `fleet-${randomUUID()}`);
    await seedArcade(this.#databaseFile, this.#world);
    if (store === "postgres") {
      // Commits wait for the disk, as those of SQLite do.
      this.#postgres = await startPostgres([]);
      this.#databaseUrl = await this.#postgres.createDatabase();
      await copyStore(`sqlite:${this.#databaseFile}`, this.#databaseUrl);
    }
    if (backends > 1) this.#nats = await startNats();
    const databaseUrl = this.#databaseUrl ?? undefined;
    const natsUrl = this.#nats?.url;
    const options = { rpcUrl, deployment, folder, databaseFile: this.#databaseFile, databaseUrl, natsUrl };
    // One after the other, so that the first one makes the tables.
    for (let n = 0; n < backends; n++)
      this.#processes = [...this.#processes, await Side.start(`endpoint/${isIdle ? "idle" : "arcade"}`, options)];
    const warmUps = isIdle ? 0 : this.#load.warmUps * (isInTurn ? backends : 1);
    for (let warmUp = 0; warmUp < warmUps; warmUp++) await this.#end(await this.#send());
    this.#freeze();
  }

  async runRound(): Promise<Round> {
    if (this.#canFreeze) for (const process of this.#processes) process.resume();
    await this.#settle();
    const idleCpuUsPerSecond = await this.#measureCpu(IDLE_MS);
    const [rowsBefore, cpuBefore, startedMs] = [await this.#countRows(), await this.#readCpuUs(), performance.now()];
    const sent = await this.#send();
    const requests = sent.answers.length;
    const seconds = (performance.now() - startedMs) / 1000;
    const cpuUs = (await this.#readCpuUs()) - cpuBefore;
    const rows = (await this.#countRows()) - rowsBefore;
    await this.#end(sent);
    this.#freeze();
    const done = sent.answers.filter((answer, i) => this.#work.isDone(sent.from + i, answer)).length;
    const missing = findMissing([
      { what: "answers checked", done, expected: requests },
      { what: "durable rows", done: rows, expected: requests },
    ]);
    return {
      value: (cpuUs - idleCpuUsPerSecond * seconds) / requests,
      missing,
      more: {
        "ms of CPU a second without requests": idleCpuUsPerSecond / 1000,
        "answers a second": requests / seconds,
      },
    };
  }

  /** Waits until the backends have done what they have to do without requests. Throws where they do not come to an end. */
  async #settle(): Promise<void> {
    for (let settle = 0; settle < SETTLES_MAX; settle++)
      if ((await this.#measureCpu(SETTLE_MS)) < SETTLED_CPU_US * this.#processes.length) return;
    throw new Error(`${this.name} uses CPU without requests after ${SETTLES_MAX * SETTLE_MS} ms`);
  }

  /** CPU of all backends in a second of a time without requests, in microseconds. */
  async #measureCpu(durationMs: number): Promise<number> {
    const [cpuBefore, startedMs] = [await this.#readCpuUs(), performance.now()];
    await sleep(durationMs);
    return ((await this.#readCpuUs()) - cpuBefore) / ((performance.now() - startedMs) / 1000);
  }

  async stop(): Promise<void> {
    for (const process of this.#processes) await process.stop();
    await this.#nats?.stop();
    await this.#postgres?.stop();
  }

  /** Backends that share a database lose their leases when they are stopped: they idle while other sides are measured. */
  get #canFreeze(): boolean {
    return this.#processes.length === 1;
  }

  #freeze(): void {
    if (this.#canFreeze) for (const process of this.#processes) process.freeze();
  }

  /** The answers are in the order of the requests. */
  async #send(): Promise<Sent> {
    const next = this.#processes[this.#sends++ % this.#processes.length]!;
    this.#loaded = this.#options.isInTurn ? [next] : this.#processes;
    const from = this.#next;
    const count = this.#load.requests * this.#loaded.length;
    this.#next += count;
    const requests = Array.from({ length: count }, (_, i) => this.#work.createRequest(from + i));
    return { from, answers: await this.#share(requests) };
  }

  /** Ends what right answers have begun. */
  async #end({ from, answers }: Sent): Promise<void> {
    const { createEnd, isDone } = this.#work;
    if (createEnd === null) return;
    const ends = answers.flatMap((answer, i) => (isDone(from + i, answer) ? [createEnd(from + i, answer)] : []));
    await this.#share(ends);
  }

  /** Each backend that is loaded gets as many of the requests. */
  async #share(requests: readonly EndpointRequest[]): Promise<readonly Answer[]> {
    const backends = this.#loaded.length;
    const shares = await Promise.all(
      this.#loaded.map(({ started }, n) =>
        sendAll(
          started.url,
          requests.filter((_, i) => i % backends === n),
          this.#load.connections,
        ),
      ),
    );
    return requests.map((_, i) => shares[i % backends]![Math.floor(i / backends)]!);
  }

  async #readCpuUs(): Promise<number> {
    let sum = 0;
    for (const process of this.#processes) sum += (await process.read()).cpuUs;
    return sum;
  }

  async #countRows(): Promise<number> {
    const { table } = this.#work;
    if (this.#databaseUrl === null) return countRows(this.#databaseFile, table);
    const client = new Client({ connectionString: this.#databaseUrl });
    await client.connect();
    const { rows } = await client.query<{ readonly count: number }>(`select count(*)::int as count from ${table}`);
    await client.end();
    return rows[0]!.count;
  }
}
