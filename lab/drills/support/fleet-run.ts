/** A fleet as `npm run fleet` starts it, with agents and viewers, and the faults that it gets. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Bus } from "../../../backend/adapters/live-plane/bus.ts";
import { systemClock } from "../../../backend/adapters/system/clock.ts";
import { createLog } from "../../../backend/adapters/system/log.ts";
import { readConfigAndSecrets } from "../../../backend/config/config.ts";
import type { FleetBackend } from "../../../scripts/fleet/backend-process.ts";
import { type Fleet, startFleet } from "../../../scripts/fleet/start-fleet.ts";
import { createFaultEnvironment } from "../../injected/inject.ts";
import { PATIENT_WITH_CHAIN, sleep, waitUntil } from "./drill.ts";
import { FleetAgent, FleetViewer } from "./fleet-agents.ts";
import { FleetDatabase } from "./fleet-database.ts";

/** For this long after a takeover, late frames of the dead node arrive. */
const LATE_MS = 4_000;
const LATE_EVERY_MS = 50;
/** After this time a session counts as lost. The time that it takes is a figure. */
const GOES_ON_WITHIN_MS = 60_000;
const LEASE_LOST_WITHIN_MS = 30_000;
const POLL_MS = 100;
const WRITES_MAX = 8;
const LEASE_LOST = "the lease of this node has run out";
const ENDED = /^backend \d+: ended with /;
const JSON_BEGIN = "{".charCodeAt(0);

const staleWriter = fileURLToPath(new URL("./stale-writer.ts", import.meta.url));

export interface FleetRunOptions {
  readonly backendCount: number;
  readonly sessionCount: number;
  readonly viewerCount: number;
  /** Names of injected faults. */
  readonly faults: readonly string[];
}

interface PublishedFrame {
  readonly subject: string;
  readonly data: Uint8Array;
}

/** Nodes and sessions at the moment of a fault. */
interface Moment {
  /** The last frame of each session; later ones may come from its next owner. */
  readonly lastFrames: ReadonlyMap<string, PublishedFrame>;
  readonly nodes: readonly string[];
  readonly sessions: Awaited<ReturnType<FleetDatabase["listOpen"]>>;
  readonly atMs: number;
}

export class FleetRun {
  readonly fleet: Fleet;
  readonly agents: readonly FleetAgent[];
  readonly viewers: readonly FleetViewer[];
  /** Things that must never happen but did. */
  readonly problems: string[] = [];
  /** Time limits that were missed, which a busy machine can cause. */
  readonly late: string[] = [];
  /** From the kill of a node to the first frame of each of its players. */
  readonly goneOnMs: number[] = [];
  /** The same for a suspended node, whose sockets the balancer closes. */
  readonly afterStopMs: number[] = [];
  /** At each fault, a session may go back to an earlier tick. */
  faults = 0;
  /** How many backends the drill has ended. */
  #ends = 0;
  readonly #bus: Bus;
  readonly #database: FleetDatabase;
  readonly #messages: string[];
  readonly #env: { readonly [name: string]: string };
  /** The last frame of each session, with its subject. */
  readonly #lastFrames = new Map<string, PublishedFrame>();

  private constructor(parts: { fleet: Fleet; bus: Bus; messages: string[] }, options: FleetRunOptions) {
    const { fleet, bus } = parts;
    this.fleet = fleet;
    this.#bus = bus;
    this.#messages = parts.messages;
    this.#env = toEnvironment(options.faults);
    this.#database = new FleetDatabase(fleet.databaseUrl);
    const address = { httpUrl: fleet.url, rpcUrl: fleet.rpcUrl };
    this.agents = Array.from({ length: options.sessionCount }, () => new FleetAgent(address));
    this.viewers = Array.from({ length: options.viewerCount }, () => new FleetViewer(fleet.url));
    bus.subscribe("arcade.*.session.*.frames.*", ({ subject, data }) => {
      if (data[0] !== JSON_BEGIN) this.#lastFrames.set(subject.split(".")[3]!, { subject, data });
    });
  }

  static async start(options: FleetRunOptions): Promise<FleetRun> {
    const { config, secrets } = readConfigAndSecrets();
    const messages: string[] = [];
    const fleet = await startFleet({
      backendCount: options.backendCount,
      config: { ...config, port: 0, portIsSet: true, rpcPort: 0, rpcPortIsSet: true },
      secrets,
      env: { ...PATIENT_WITH_CHAIN, ...toEnvironment(options.faults) },
      step: (_, run) => run(),
      onMessage: (text) => messages.push(text),
    });
    try {
      const bus = await Bus.connect([fleet.nats.url], { clock: systemClock, log: createLog("silent") });
      const run = new FleetRun({ fleet, bus, messages }, options);
      for (const [number, agent] of run.agents.entries()) await agent.start(number);
      for (const [number, viewer] of run.viewers.entries()) viewer.start(number);
      return run;
    } catch (error) {
      await fleet.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.#bus.close();
    await this.fleet.stop();
  }

  /** Kills the busiest backend. Its players must continue, and its late frames and writes must have no effect. */
  async kill(): Promise<void> {
    const [backend, moment] = await this.#begin();
    backend.kill("SIGKILL");
    this.goneOnMs.push(...(await this.#expectTakenOver(moment)));
    await backend.waitUntilReady();
  }

  /** Suspends the busiest backend for longer than its lease, then resumes it. It must not do anything more. */
  async pause(ms: number): Promise<void> {
    const [backend, moment] = await this.#begin();
    const line = `backend ${backend.number}: ${LEASE_LOST}`;
    const countLost = (): number => this.#messages.filter((text) => text === line).length;
    const before = countLost();
    backend.kill("SIGSTOP");
    await sleep(ms);
    backend.kill("SIGCONT");
    await waitUntil(line, () => countLost() > before, LEASE_LOST_WITHIN_MS).catch((error: Error) =>
      this.late.push(error.message),
    );
    this.afterStopMs.push(...(await this.#expectTakenOver(moment)));
    await backend.waitUntilReady();
  }

  async restartNats(): Promise<void> {
    this.faults += 1;
    await this.fleet.nats.kill();
    await sleep(1_000);
    await this.fleet.nats.start();
  }

  async restartPostgres(): Promise<void> {
    this.faults += 1;
    await this.fleet.postgres.crash();
    await this.fleet.postgres.start();
  }

  /**
   * Without a fault, a viewer never sees an older frame after a newer one. A backend that a busy machine delays for
   * longer than its lease counts as one more fault.
   */
  checkViewers(): void {
    const others = this.#messages.filter((text) => ENDED.test(text)).length - this.#ends;
    const found = others > 0 ? this.late : this.problems;
    for (const { backward } of this.viewers)
      for (const [sessionId, times] of backward)
        if (times > this.faults)
          found.push(
            `a viewer of ${sessionId} saw older frames ${times} times; ${others} backends ended by themselves`,
          );
  }

  /** Waits until games run. Returns the backend with the most games. */
  async #begin(): Promise<readonly [FleetBackend, Moment]> {
    for (const backend of this.fleet.backends) await backend.waitUntilReady();
    let busiest = { backend: this.fleet.backends[0]!, games: 0 };
    await waitUntil(
      "games run",
      async () => {
        for (const backend of this.fleet.backends) {
          const games = await countGames(backend);
          if (games > busiest.games) busiest = { backend, games };
        }
        return busiest.games > 0;
      },
      GOES_ON_WITHIN_MS,
    );
    this.faults += 1;
    this.#ends += 1;
    const [nodes, sessions] = [await this.#database.listNodes(), await this.#database.listOpen()];
    return [busiest.backend, { nodes, sessions, lastFrames: new Map(this.#lastFrames), atMs: performance.now() }];
  }

  /** Returns the milliseconds until each player of the dead node saw its next frame. */
  async #expectTakenOver({ nodes, sessions, lastFrames, atMs }: Moment): Promise<readonly number[]> {
    let dead: string | undefined;
    await waitUntil(
      "the lease of a dead node runs out",
      async () => {
        const alive = await this.#database.listNodes();
        dead = nodes.find((node) => !alive.includes(node));
        return dead !== undefined;
      },
      LEASE_LOST_WITHIN_MS,
    );
    const taken = sessions.filter(({ owner, phase }) => owner === dead && phase === "running");
    const ids = taken.map(({ sessionId }) => sessionId);
    const late = this.#publishLate(ids.flatMap((id) => lastFrames.get(id) ?? []));
    const frames = await this.#waitUntilAllGoOn(ids, atMs);
    await this.#expectWritesRejected();
    await late;
    return frames.map((frameAtMs) => frameAtMs - atMs);
  }

  /** Returns when the players saw frames again. Leaves out sessions that have ended since. */
  async #waitUntilAllGoOn(sessionIds: readonly string[], atMs: number): Promise<readonly number[]> {
    const endMs = performance.now() + GOES_ON_WITHIN_MS;
    const findFrame = (sessionId: string): number | null =>
      this.agents
        .flatMap(({ resumes }) => resumes)
        .find((one) => one.sessionId === sessionId && one.helloAtMs > atMs && one.frameAtMs !== null)?.frameAtMs ??
      null;
    for (;;) {
      const open = new Set((await this.#database.listOpen()).map(({ sessionId }) => sessionId));
      const waiting = sessionIds.filter((sessionId) => open.has(sessionId) && findFrame(sessionId) === null);
      if (waiting.length === 0) break;
      if (performance.now() > endMs) {
        this.late.push(`${waiting.join(", ")}: no player came back within ${GOES_ON_WITHIN_MS} ms`);
        break;
      }
      await sleep(POLL_MS);
    }
    return sessionIds.flatMap((sessionId) => findFrame(sessionId) ?? []);
  }

  /** Publishes frames of the dead node that a slow network delivers late. */
  async #publishLate(frames: readonly PublishedFrame[]): Promise<void> {
    const endMs = performance.now() + LATE_MS;
    while (performance.now() < endMs) {
      for (const { subject, data } of frames) this.#bus.publish(subject, data);
      await sleep(LATE_EVERY_MS);
    }
  }

  async #expectWritesRejected(): Promise<void> {
    const ids = (await this.#database.listOpen()).map(({ sessionId }) => sessionId);
    const args = [staleWriter, this.fleet.databaseUrl, ...ids.slice(0, WRITES_MAX)];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...this.#env } });
    if (stdout !== "[]")
      this.problems.push(`writes of a node that does not run these sessions were accepted: ${stdout}`);
  }
}

/** The number of games that a backend runs itself. */
async function countGames({ httpUrl }: FleetBackend): Promise<number> {
  const text = await fetch(`${httpUrl}/metrics`).then(
    (response) => response.text(),
    () => "",
  );
  const counts = [...text.matchAll(/^arcade_sessions_live\{[^}]*\} (\d+)/gm)].map(([, count]) => Number(count));
  return counts.reduce((sum, count) => sum + count, 0);
}

const toEnvironment = (faults: readonly string[]): { readonly [name: string]: string } =>
  faults.length === 0 ? {} : createFaultEnvironment(faults);
