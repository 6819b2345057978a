/** What each backend must know of the chain, and how soon, while nothing disturbs it. */
import type { SimulatedBackend } from "./backend.ts";
import { countFaults, mark } from "./coverage.ts";
import { findDerivedDifference } from "./final-checks.ts";
import { Violation } from "./trace.ts";
import type { World } from "./world.ts";

const KNOWN = "an undisturbed backend knows the chain";
const FINAL = "no block is safe or final too early";
const KEPT = "only blocks that left the chain are removed";
const REVISION = "changed chain data has another revision";
/** After each block. The block before it is then older than a poll and its reads. */
const CHECKED_AFTER_MS = 600;
const FOLLOWED_MS = 2_600;
/** The deadline of a call (3 s), the pause after a failure (1 s), a poll, and the reads of many blocks. */
const RECOVERED_MS = 8_000;
/** An event that the node left out is read again 10 to 15 s after the blocks were replaced last. */
const SECOND_READ_MS = 20_500;
/** Two reads of the tag must agree, and each comes when the head has risen by three blocks. */
const FINAL_LAG_BLOCKS = 8;
/** Longer than a commit, shorter than most requests to the node. */
const REWOUND_MS = 4;

export class IndexChecks {
  readonly #world: World;
  #faults = 0;
  #processes = "";
  /** When something disturbed a backend last, and when blocks were replaced. */
  #disturbedMs = 0;
  #replacedMs = 0;
  /** The head at the previous check, and the highest one. */
  #known = 0;
  #highest = 0;
  readonly #revisions = new Map<string, string>();

  constructor(world: World) {
    this.#world = world;
    const { chain, loop, disk } = world;
    const { onChanged } = chain;
    this.#highest = chain.head.number;
    let dropped = chain.dropped.length;
    chain.onChanged = () => {
      onChanged();
      if (chain.dropped.length !== dropped) this.#replacedMs = loop.nowMs;
      dropped = chain.dropped.length;
      this.#highest = Math.max(this.#highest, chain.head.number);
    };
    disk.database.onBlockRemoved = (number, hash) => this.#checkRemoved(number, hash);
  }

  /** Call it after each block. */
  start(): void {
    if (this.#world.kind.isHarsh) this.#world.loop.schedule(CHECKED_AFTER_MS, () => this.#check());
  }

  #check(): void {
    const world = this.#world;
    const { backends, chain, loop, plan } = world;
    const known = this.#known;
    this.#known = chain.head.number;
    this.#noteDisturbances();
    const { running } = backends;
    for (const { backend } of running) this.#report(FINAL, backend, this.#findTooEarly(backend));
    if (running.length === 1) this.#checkRevision(running[0]!.backend);
    const quietMs = loop.nowMs - this.#disturbedMs;
    const sameMs = loop.nowMs - this.#replacedMs;
    if (quietMs < RECOVERED_MS || sameMs < FOLLOWED_MS) return;
    mark("check", KNOWN);
    for (const { backend } of running)
      this.#report(KNOWN, backend, this.#findUnknown(backend, known, Math.min(quietMs, sameMs)));
    const isLeftOut = plan.some(({ kind }) => /^logs/.test(kind)) && Math.min(quietMs, sameMs) < SECOND_READ_MS;
    const difference = isLeftOut || world.disk.database.inTransaction ? null : findDerivedDifference(world, known);
    if (difference !== null) world.fail(new Violation(KNOWN, difference));
  }

  #noteDisturbances(): void {
    const { backends, loop, shared } = this.#world;
    const names = backends.running.map(({ backend }) => backend.process.name).join();
    const isAlone = backends.running.length === 1 || (shared !== null && names !== "");
    const faults = countFaults();
    if (names !== this.#processes || backends.isAnyPaused || !isAlone || faults !== this.#faults)
      this.#disturbedMs = loop.nowMs;
    [this.#processes, this.#faults] = [names, faults];
  }

  #report(invariant: string, { process }: SimulatedBackend, problem: string | null): void {
    if (problem !== null) this.#world.fail(new Violation(invariant, `${process.name}: ${problem}`));
  }

  /** Null if the backend knows the blocks up to this one. */
  #findUnknown({ parts }: SimulatedBackend, known: number, quietMs: number): string | null {
    const { chain, finalDepth, confirmations } = this.#world;
    const { indexer, index, facts } = parts.chain;
    const { head, followed, lagBlocks, healthy, outageMs } = indexer.status();
    if (outageMs > 0 || index.getProblem() !== null) return `an outage of ${outageMs} ms: ${index.getProblem()}`;
    if (head === null || head < known) return `the head is ${head}, not ${known}`;
    if (followed === null || followed < known) return `block ${followed} is the last one that is stored, not ${known}`;
    if (lagBlocks !== Math.max(0, head - followed) || healthy !== (lagBlocks === 0))
      return `${lagBlocks} blocks behind, healthy: ${healthy}`;
    const stored = index.getStoredHead();
    if (stored === null || stored.number < known) return `the stored head is ${stored?.number}, not ${known}`;
    if (chain.blocks[stored.number]?.hash !== stored.hash) return `the stored head is ${stored.hash}`;
    if (facts.getNextBlockTime() < chain.blocks[known]!.time) return "the contracts' state is older";
    const { final } = index.getFinality();
    // The tag is tried again after a minute.
    if (this.#world.node.tagUnknownMs !== null) return null;
    const least = known - Math.max(finalDepth, confirmations) - FINAL_LAG_BLOCKS;
    // Polls agree later while the head is lower than before.
    return quietMs >= SECOND_READ_MS && final < least ? `block ${final} is final, not ${least}` : null;
  }

  /** Null if no block is final before the node reports it, or safe without its confirmations. */
  #findTooEarly({ parts }: SimulatedBackend): string | null {
    const { confirmations, finalDepth, plan } = this.#world;
    // A new process counts blocks while the node does not know the tag.
    if (plan.some(({ kind }) => kind === "tag unknown") && plan.some(({ kind }) => kind === "crash")) return null;
    mark("check", FINAL);
    const { index } = parts.chain;
    const { safe, final } = index.getFinality();
    const head = index.getHead()?.number ?? -1;
    const confirmed = head < 0 ? -1 : Math.max(0, head - confirmations);
    if (safe !== Math.max(confirmed, final)) return `block ${safe} is safe at ${head}`;
    return final > Math.max(0, this.#highest - Math.max(finalDepth, confirmations))
      ? `block ${final} is final at ${this.#highest}`
      : null;
  }

  /** The store changes only with a revision. Others in a fleet learn of it later. */
  #checkRevision({ process, parts }: SimulatedBackend): void {
    const { disk, shared, loop } = this.#world;
    if (shared !== null || disk.database.inTransaction || loop.nowMs - this.#disturbedMs < FOLLOWED_MS) return;
    mark("check", REVISION);
    const sql = "select count(*) as events, (select max(number) from blocks) as last from chain_events";
    const data = JSON.stringify(disk.database.prepare(sql).get());
    const key = `${process.name} ${parts.chain.index.getRevision()}`;
    const known = this.#revisions.get(key) ?? data;
    this.#revisions.set(key, data);
    if (known !== data) this.#world.fail(new Violation(REVISION, `${key}: ${known}, then ${data}`));
  }

  /** Call it when blocks are removed and others are not read yet. */
  #checkStoredHead(): void {
    const { disk, shared, backends } = this.#world;
    const [running, ...others] = backends.running;
    if (running === undefined || others.length > 0 || shared !== null || disk.database.inTransaction) return;
    const { last } = disk.database.prepare("select max(number) as last from blocks").get() as { last: number | null };
    const { number } = running.backend.parts.chain.index.getStoredHead() ?? { number: -1 };
    if (number > (last ?? number)) this.#report(KNOWN, running.backend, `the stored head is ${number}, not ${last}`);
  }

  #checkRemoved(number: number, hash: string): void {
    const { chain, loop } = this.#world;
    mark("check", KEPT);
    if (chain.blocks[number]?.hash === hash) this.#world.fail(new Violation(KEPT, `block ${number}`));
    loop.schedule(REWOUND_MS, () => this.#checkStoredHead());
  }
}
