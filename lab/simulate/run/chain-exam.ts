/** At the end of a chain run: how often a backend asks the node, and when waits for the chain end. */
import { runAs } from "../world/event-loop.ts";
import type { SimulatedBackend } from "./backend.ts";
import { mineAtOnce } from "./chain-runs.ts";
import { mark } from "./coverage.ts";
import { Violation } from "./trace.ts";
import type { World } from "./world.ts";

const REQUESTS = "a backend asks the node no more than it has to";
const WAITS = "waits for the chain end as promised";
/** From the last fault until everything that it delayed is done. */
const SETTLED_MS = 14_000;
const IDLE_MS = 12_000;
const POLL_MS = 2_000;
/** When a poll starts for which a request waits, in how many blocks the final one is read once, and the next reads. */
const NEXT_POLL_MS = 1_000;
const BLOCKS_PER_TAG = 3;
const TOGETHER_MS = 5_000;
const LATENCY_MS = 250;
/** The blocks of a second read, and the 64 before them. */
const AGAIN_BLOCKS = 80;
/** Waits at once. */
const COUNT = 8;
/** More blocks than the longest range that a backend tries. */
const FAR_BLOCKS = 2_200;
/** The longest ranges that the node accepts. */
const RANGES = { least: 40, count: 37 };
/** Requests for the logs of these blocks, the first ones with the ranges that the node accepted before. */
const UNLIMITED_MAX = 90;

export class ChainExam {
  readonly #world: World;
  readonly #seed: number;
  isDone: boolean;

  constructor(world: World, seed: number) {
    this.#world = world;
    this.#seed = seed;
    this.isDone = world.kind.name !== "chain";
  }

  async run(): Promise<void> {
    const { loop, backends, plan, node } = this.#world;
    if (this.isDone) return;
    await loop.sleep(SETTLED_MS);
    const { backend } = backends.running[0]!;
    // A backend that has found a limit takes longer to find that it is gone.
    const isLimited = plan.some(({ kind }) => kind === "log range limit");
    if (!isLimited) await this.#idle(backend);
    await this.#wait(backend);
    if (!isLimited) await this.#waitForPoll(backend);
    await this.#replaceHead(backend);
    if (this.#seed % 4 === 1 && !isLimited) await this.#catchUp(backend);
    node.countRequests(null);
    this.isDone = true;
  }

  #fail(invariant: string, text: string): void {
    this.#world.fail(new Violation(invariant, text));
  }

  #limit(counts: ReadonlyMap<string, number>, most: { readonly [what: string]: number }): void {
    mark("check", REQUESTS);
    for (const [what, count] of Object.entries(most))
      if ((counts.get(what) ?? 0) > count) this.#fail(REQUESTS, `${what}: ${counts.get(what)}, not ${count}`);
  }

  async #idle({ process }: SimulatedBackend): Promise<void> {
    const { loop, node, chain, plan } = this.#world;
    const first = chain.blocks.length - 1;
    const counts = node.countRequests(process);
    await loop.sleep(IDLE_MS);
    const polls = IDLE_MS / POLL_MS + 1;
    const blocks = chain.blocks.length - 1 - first;
    const isFilled = chain.blocks
      .slice(first)
      .filter(({ transactions }) => transactions.some((one) => one.events.length > 0));
    const isStarted = plan.some(({ kind }) => kind === "crash");
    this.#limit(counts, {
      // An unknown tag is tried again after a minute, and by a new process.
      ...{
        latest: polls,
        finalized: node.tagUnknownMs === null || isStarted ? Math.ceil(blocks / BLOCKS_PER_TAG) + 1 : 0,
      },
      ...{ "logs of a block": isFilled.length, "logs of blocks": IDLE_MS / TOGETHER_MS + 1 },
      // A new process reads more blocks again.
      "blocks of logs": isStarted ? Number.POSITIVE_INFINITY : polls * AGAIN_BLOCKS,
    });
  }

  /** Waits for a block, which no poll has seen yet. */
  async #nextBlock(): Promise<number> {
    const { chain, loop } = this.#world;
    const { number } = chain.head;
    while (chain.head.number === number) await loop.sleep(1);
    return chain.head.number;
  }

  /** Waits for the head share a poll and leave no timers; the last one is for a block and the contracts' state. */
  async #wait({ process, parts }: SimulatedBackend): Promise<void> {
    const { node, loop, chain } = this.#world;
    const { index, facts } = parts.chain;
    mark("check", WAITS);
    const first = await this.#nextBlock();
    const counts = node.countRequests(process);
    const [startMs, timers] = [loop.nowMs, loop.countTimers(process)];
    const results = await runAs(process, () => Promise.all(Array.from({ length: COUNT }, () => index.waitForHead())));
    const [ms, left, stored] = [
      loop.nowMs - startMs,
      loop.countTimers(process) - timers,
      index.getStoredHead()?.number,
    ];
    if (results.includes(false) || ms > LATENCY_MS || left >= COUNT || stored !== first)
      this.#fail(WAITS, `waitForHead: ${results.join()} after ${ms} ms, ${left} timers, ${stored} of ${first}`);
    this.#limit(counts, { latest: 2 });
    const block = await this.#nextBlock();
    const isKnown = await runAs(process, () => index.waitForBlock(block));
    if (!isKnown || facts.getNextBlockTime() < chain.blocks[block]!.time) this.#fail(WAITS, `waitForBlock: ${isKnown}`);
  }

  /** Just after a poll: the next one is scheduled. */
  async #waitForPoll({ process, parts }: SimulatedBackend): Promise<void> {
    const { loop } = this.#world;
    const { index } = parts.chain;
    await runAs(process, () => index.waitForHead());
    const startMs = loop.nowMs;
    await runAs(process, () => index.waitForNextPoll());
    const ms = loop.nowMs - startMs;
    if (ms < NEXT_POLL_MS - LATENCY_MS || ms > NEXT_POLL_MS + LATENCY_MS)
      this.#fail(WAITS, `waitForNextPoll: ${ms} ms`);
  }

  /** Another head of the same number is a reorganization. */
  async #replaceHead({ process, parts }: SimulatedBackend): Promise<void> {
    const { chain, disk, unixSeconds } = this.#world;
    const { index } = parts.chain;
    const block = await this.#nextBlock();
    await runAs(process, () => index.waitForHead());
    chain.drop(1, () => false);
    chain.mine(unixSeconds);
    const isStored = await runAs(process, () => index.waitForHead());
    const row = disk.database.prepare("select hash from blocks where number = ?").get(block) as { hash: string };
    if (!isStored || row.hash !== chain.blocks[block]!.hash) this.#fail(WAITS, `${isStored}: ${row.hash} is stored`);
  }

  /** Reads many blocks from a node that limits ranges of logs, and more when it limits them no longer. */
  async #catchUp(backend: SimulatedBackend): Promise<void> {
    const { node, loop } = this.#world;
    node.rangeMax = RANGES.least + (this.#seed % RANGES.count);
    // Two reads, the second read, and a search for the limit.
    await this.#readBlocks(backend, Math.ceil((3.2 * FAR_BLOCKS) / node.rangeMax) + 45);
    node.rangeMax = null;
    await loop.sleep(SETTLED_MS);
    await this.#readBlocks(backend, UNLIMITED_MAX);
  }

  async #readBlocks({ process, parts }: SimulatedBackend, mostLogs: number): Promise<void> {
    const { node, loop, chain } = this.#world;
    const { index } = parts.chain;
    const counts = node.countRequests(process);
    mark("fault", "blocks at once");
    mineAtOnce(this.#world, FAR_BLOCKS);
    const block = chain.head.number;
    const isStored = await runAs(process, () => index.waitForHead());
    const stored = index.getStoredHead()?.number ?? -1;
    if (isStored && stored < block) this.#fail(WAITS, `waitForHead: ${stored} of ${block}`);
    await loop.sleep(SETTLED_MS);
    this.#limit(counts, { "logs of blocks": mostLogs });
  }
}
