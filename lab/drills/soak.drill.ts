/**
 * O1: 20 agents play and put their scores on chain for 20 minutes; they leave and come back, and the backend is stopped
 * once and killed once. What must hold: after a warm-up, memory grows by less than 1 MB a minute, no descriptor leaks,
 * and nothing that was confirmed is lost.
 */
import { readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { createClient } from "../../client/index.ts";
import { type Balancer, startBalancer } from "../../scripts/fleet/balancer.ts";
import { createAnvilAgent } from "../../test/helpers/anvil-agent.ts";
import { type AnvilChain, startAnvilChain } from "../../test/helpers/anvil-stack.ts";
import { startAnvilServer } from "./support/anvil-server.ts";
import { type MemorySample, measureMemory } from "./support/collected-memory.ts";
import { checkConfirmed } from "./support/confirmed.ts";
import {
  createRandom,
  IS_FULL_RUN,
  IS_SELF_TEST,
  PATIENT_WITH_CHAIN,
  printFigures,
  SEED,
  scaleCount,
  sleep,
  waitUntil,
} from "./support/drill.ts";
import type { BackendProcess } from "./support/process.ts";
import { computeMedianSlope, formatMb } from "./support/resources.ts";
import { type Soak, SoakAgent } from "./support/soak-agent.ts";

/** The injected fault shows within minutes. */
const SOAK_MS = IS_SELF_TEST ? 2 * 60_000 : scaleCount(20 * 60_000);
const IS_LONG = IS_FULL_RUN && !IS_SELF_TEST;
const AGENTS = 20;
const SLUGS = ["shellrunners", "flappybots"];
/** Parts of the soak: the stop, the kill, and the end of the warm-up of the process that is measured. */
const [STOP_AT, KILL_AT, WARM_AT] = [0.1, 0.2, 0.5];
/**
 * Practice games that are started and ended after the kill: as many as the drill `leak` needs until compiled code has
 * its final size, and more than the number of practice tokens that the service keeps (1,000).
 */
const WARM_UP_GAMES = 1_500;
const WARM_UP_AT_ONCE = 20;
const SAMPLES = 60;
/** The lowest sample of each window counts. */
const WINDOW_SAMPLES = 5;
const SLOPE_MAX_MB = 1;
/** The allowed noise for samples of a few minutes; none in a full run. */
const NOISE_MB = IS_LONG ? 0 : 10;
/** Keep-alive connections, to the node and from clients, which close by themselves. */
const IDLE_DESCRIPTORS = 8;
const CLOSED_WITHIN_MS = 90_000;
const MB = 2 ** 20;

interface TimedSample extends MemorySample {
  readonly minute: number;
}

/** The slope through each window's lowest sample, in MB a minute. */
function computeSlopeMb(samples: readonly TimedSample[], read: (sample: MemorySample) => number): number {
  const lowest: [number, number][] = [];
  for (let from = 0; from + WINDOW_SAMPLES <= samples.length; from += WINDOW_SAMPLES) {
    const window = samples.slice(from, from + WINDOW_SAMPLES);
    lowest.push([window[0]!.minute, Math.min(...window.map(read))]);
  }
  return computeMedianSlope(lowest) / MB;
}

/** The kinds of a process's descriptors: `socket`, `anon_inode`, or the path of a file. */
const listDescriptors = (processId: number): readonly string[] => {
  const folder = `/proc/${processId}/fd`;
  return readdirSync(folder).flatMap((name) => {
    try {
      return readlinkSync(join(folder, name)).replace(/:\[\d+\]$/, "");
    } catch {
      // It was closed while listing.
      return [];
    }
  });
};

function formatDescriptors(processId: number): string {
  const counts = Map.groupBy(listDescriptors(processId), (kind) => kind);
  return [...counts].map(([kind, all]) => `${kind} ${all.length}`).join(", ");
}

describe("O1: a soak", function () {
  this.timeout(SOAK_MS + 1_200_000);
  let chain: AnvilChain;
  /** Agents reach the backend through it, on any port after a restart. */
  let balancer: Balancer;
  let server: BackendProcess;
  const agents: SoakAgent[] = [];
  const random = createRandom(SEED);
  const soak: Soak = { isUp: true, isOver: false, restarts: 0, games: 0, returns: 0, unexpected: [], random };
  const getUrl = (): string => `http://127.0.0.1:${balancer.port}`;

  before(async () => {
    chain = await startAnvilChain();
    balancer = await startBalancer({
      port: 0,
      whenBusy: "next",
      listPorts: () => (soak.isUp ? [Number(new URL(server.httpUrl).port)] : []),
    });
    await start();
    for (let count = 0; count < AGENTS; count += 1) {
      const agent = await createAnvilAgent(chain, getUrl());
      agents.push(new SoakAgent(agent, SLUGS[count % SLUGS.length]!, soak));
    }
  });
  after(async () => {
    soak.isOver = true;
    server?.kill("SIGKILL");
    await server?.exited;
    await balancer?.close();
    await chain?.close();
  });

  async function start(): Promise<void> {
    const env = { ...PATIENT_WITH_CHAIN, ARCADE_PUBLIC_URL: getUrl() };
    server = await startAnvilServer(chain, { fault: "queue", env });
  }
  async function restart(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    soak.isUp = false;
    soak.restarts += 1;
    server.kill(signal);
    await server.exited;
    await start();
    soak.isUp = true;
  }

  /** Fills the bounded caches that the service keeps of games. */
  async function warmUp(): Promise<void> {
    const client = createClient({ baseUrl: server.httpUrl });
    let left = WARM_UP_GAMES;
    const work = async (index: number): Promise<void> => {
      const slug = SLUGS[index % SLUGS.length]!;
      while (left-- > 0) {
        const { sessionId, practiceToken } = await client.sessions.start({ slug, source: "browser_ws" });
        await client.sessions.end({ slug, sessionId }, { token: practiceToken! });
      }
    };
    await Promise.all(Array.from({ length: WARM_UP_AT_ONCE }, (_, index) => work(index)));
  }

  async function takeSamples(durationMs: number): Promise<readonly TimedSample[]> {
    const startedMs = performance.now();
    const samples: TimedSample[] = [];
    for (let count = 1; count <= SAMPLES; count += 1) {
      const minute = (performance.now() - startedMs) / 60_000;
      samples.push({ minute, ...(await measureMemory(server)) });
      await sleep(Math.max(0, startedMs + (durationMs * count) / SAMPLES - performance.now()));
    }
    return samples;
  }

  it("restarts, reconnects and time leak no memory and no descriptor, and lose no score", async () => {
    const startedMs = performance.now();
    const waitUntilPart = (part: number) => sleep(Math.max(0, startedMs + SOAK_MS * part - performance.now()));
    const idleDescriptors = listDescriptors(server.processId).length;
    const living = agents.map((agent) => agent.live());
    await waitUntilPart(STOP_AT);
    await restart("SIGTERM");
    await waitUntilPart(KILL_AT);
    await restart("SIGKILL");
    await warmUp();
    await waitUntilPart(WARM_AT);
    const samples = await takeSamples(SOAK_MS * (1 - WARM_AT));
    soak.isOver = true;
    await Promise.all(living);
    const isIdle = () => listDescriptors(server.processId).length <= idleDescriptors + IDLE_DESCRIPTORS;
    await waitUntil("descriptors are closed", isIdle, CLOSED_WITHIN_MS).catch(() => undefined);
    const [first, last] = [samples[0]!, samples.at(-1)!];
    const minutes = last.minute - first.minute;
    const allowedMb = SLOPE_MAX_MB + NOISE_MB / minutes;
    const [liveMb, anonymousMb] = [
      computeSlopeMb(samples, ({ liveBytes }) => liveBytes),
      computeSlopeMb(samples, ({ anonymousBytes }) => anonymousBytes),
    ];
    printFigures({
      minutes: ((performance.now() - startedMs) / 60_000).toFixed(1),
      "measured minutes": minutes.toFixed(1),
      agents: AGENTS,
      games: soak.games,
      returns: soak.returns,
      "live memory": `${formatMb(first.liveBytes)} -> ${formatMb(last.liveBytes)}, ${liveMb.toFixed(2)} MB a minute`,
      "memory of the process": `${formatMb(first.anonymousBytes)} -> ${formatMb(last.anonymousBytes)}, ${anonymousMb.toFixed(2)} MB a minute`,
      "allowed a minute": `${allowedMb.toFixed(2)} MB`,
      descriptors: `${idleDescriptors} -> ${listDescriptors(server.processId).length}`,
    });
    expect(soak.unexpected).to.deep.equal([]);
    expect(soak.games, "games").to.be.greaterThan(0);
    expect(soak.returns, "returns").to.be.greaterThan(0);
    expect(liveMb, "live memory, MB a minute").to.be.below(allowedMb);
    expect(anonymousMb, "memory of the process, MB a minute").to.be.below(allowedMb);
    expect(isIdle(), `descriptors: ${formatDescriptors(server.processId)}`).to.equal(true);
    const { rpcUrl, deployment: contracts } = chain;
    for (const { agent, confirmed } of agents) {
      const { client, address } = agent;
      await checkConfirmed({ client, address, confirmed, ready: { rpcUrl, contracts }, slugs: SLUGS });
    }
  });
});
