/** Checks which backend may write to a store: the holder of a file's lease, or the nodes of a fleet. */
import type { Parts } from "../../../backend/app/parts.ts";
import type { NodeOwnership } from "../../../backend/ports/store/nodes.ts";
import type { Disk } from "../world/disk.ts";
import { type EventLoop, runAs, type SimulatedProcess } from "../world/event-loop.ts";
import type { SharedDatabase } from "../world/shared-database.ts";
import type { SimulatedBackend } from "./backend.ts";
import { mark } from "./coverage.ts";
import type { Fault, FaultPlan } from "./faults.ts";
import { Violation } from "./trace.ts";

/** The limits of docs/operating.md and docs/scaling.md. */
const LEASE_MS = 15_000;
const NODE_LEASE_MS = 3_000;
const TICKS_END_MS = 2_000;
const HELD_LEFT_MS = NODE_LEASE_MS - TICKS_END_MS;
/** A renewal that meets another transaction is tried again after this time, and may meet one again. */
const RETRY_MS = 500;
/** A tick arrives within this time. */
const ARRIVED_MS = 100;
/** A free lease is taken within this time: a standby looks for it four times a second. */
const FREE_MS = 1_000;
/** A lost lease is noticed within this time: it is renewed every 2 s. */
const NOTICED_MS = 4_000;
/** A node that takes over a session also has to replay it. */
const TAKEN_OVER_MS = NODE_LEASE_MS + NOTICED_MS;
const STORE_FAULTS: readonly Fault["kind"][] = ["disk full", "disk locked", "database away"];

/** A transaction that checked its lease shortly before the end commits within 50 ms. */
const IS_NODE = "select 1 from nodes where node_id = ? and lease_until_ms >= unixepoch('subsec') * 1000 - 50";
const NODES =
  "select node_id as nodeId, url, is_exclusive as isExclusive, lease_until_ms - unixepoch('subsec') * 1000 as leftMs from nodes";
/** A node hosts a session once its row is stored. */
const OPEN =
  "select session_id as sessionId, owner from sessions where ended_at_ms is null and started_at_ms < unixepoch('subsec') * 1000 - 1000";

const HELD_BY =
  "select 1 from nodes where url = ? and lease_until_ms > unixepoch('subsec') * 1000 union select 1 from leases where place = ? and owner is not null";

interface Surroundings {
  readonly loop: EventLoop;
  readonly disk: Disk;
  readonly shared: SharedDatabase | null;
  readonly plan: FaultPlan;
  fail(violation: Violation): void;
}

interface NodeRow {
  readonly nodeId: string;
  readonly url: string;
  readonly isExclusive: number;
  readonly leftMs: number;
}

export class LeaseChecks {
  readonly #world: Surroundings;
  /** The processes that have taken the lease of the store, in this order. */
  readonly #holders: SimulatedProcess[] = [];
  #takenMs = 0;
  readonly #startedMs = new Map<SimulatedProcess, number>();
  readonly #endedMs = new Map<SimulatedProcess, number>();
  readonly #nodes = new Map<SimulatedProcess, { readonly node: NodeOwnership; readonly parts: Parts }>();
  readonly #serving = new Map<SimulatedProcess, Parts>();
  readonly #waitedMs = new Map<SimulatedProcess, number>();
  readonly #begunMs = new Map<SimulatedProcess, number>();
  /** Processes that began a transaction with their lease while they were to remove it. */
  readonly #leasedAtBegin = new Set<SimulatedProcess>();
  readonly #stopping = new Set<SimulatedProcess>();
  /** Processes that release their leases, and those that have done so. */
  readonly #releasing = new Set<SimulatedProcess>();
  readonly #released = new Set<SimulatedProcess>();
  /** When a process last started, ended or continued. */
  #disturbedMs = 0;

  constructor(world: Surroundings) {
    this.#world = world;
  }

  /** Null without leases, and before the first one. */
  get holder(): SimulatedProcess | null {
    return this.#holders.at(-1) ?? null;
  }

  onStarted(process: SimulatedProcess): void {
    this.#startedMs.set(process, this.#world.loop.nowMs);
    this.#disturbedMs = this.#world.loop.nowMs;
  }

  onStopping(process: SimulatedProcess): void {
    this.#stopping.add(process);
  }

  onEnded(process: SimulatedProcess): void {
    this.#stopping.delete(process);
    this.#endedMs.set(process, this.#world.loop.nowMs);
    this.#disturbedMs = this.#world.loop.nowMs;
  }

  onServing({ process, parts }: SimulatedBackend): void {
    this.#serving.set(process, parts);
    if (parts.store.node !== null) this.#nodes.set(process, { node: parts.store.node, parts });
  }

  /** `place`: of the holder that a standby sees. */
  onWait(process: SimulatedProcess, place: string): void {
    this.#waitedMs.set(process, this.#world.loop.nowMs);
    if (this.holder?.isAlive && place !== this.holder.name)
      this.#fail("a standby takes over in time", `${process.name} waits for ${place}`);
  }

  /** Call it when a node has noticed that its lease has run out. */
  onNodeLost(process: SimulatedProcess): void {
    this.#checkNotReady(process);
  }

  onBegin(process: SimulatedProcess): void {
    this.#begunMs.set(process, this.#world.loop.nowMs);
    const node = this.#releasing.has(process) ? this.#nodes.get(process)?.node : undefined;
    if (node !== undefined && this.#hasLease(node.nodeId)) this.#leasedAtBegin.add(process);
    else this.#leasedAtBegin.delete(process);
  }

  /** Call it when a node has written its lease. It may have registered again after losing the sessions. */
  checkRenewal(process: SimulatedProcess): void {
    const serving = this.#nodes.get(process);
    // One that is closing its store removes its lease.
    if (serving === undefined || this.#releasing.has(process) || this.#hasLease(serving.node.nodeId)) return;
    const hosted = [...serving.parts.live.registry.all()].filter(({ phase }) => phase !== "ended");
    if (hosted.length > 0) this.#fail("each open session has a node", `${process.name} has lost ${hosted.length}`);
  }

  #checkNotReady(process: SimulatedProcess): void {
    const invariant = "a backend without a lease is not ready";
    mark("check", invariant);
    const parts = this.#serving.get(process);
    const probe = runAs(process, () => parts?.store.probe());
    probe?.then(
      () => this.#fail(invariant, process.name),
      () => undefined,
    );
  }

  onTaken(process: SimulatedProcess): void {
    const { holder } = this;
    mark("check", "a renewed lease is not taken");
    if (holder?.isAlive && !this.#releasing.has(holder) && this.#getHealthyMs(holder) > NOTICED_MS)
      this.#fail("a renewed lease is not taken", `${process.name} took that of ${holder.name}`);
    this.#holders.push(process);
    this.#takenMs = this.#world.loop.nowMs;
  }

  onLost(process: SimulatedProcess): void {
    if (this.holder === process) this.#fail("a renewed lease is not taken", `${process.name} lost it to no other`);
  }

  /** Call it before a backend closes its store. */
  onReleasing(process: SimulatedProcess): void {
    this.#releasing.add(process);
  }

  /** Call it when a backend has closed its store. Its sessions and its lease are free at once. */
  checkReleased(process: SimulatedProcess): void {
    const { name, pausedUntilMs } = process;
    const invariant = "a backend that stops releases its lease";
    mark("check", invariant);
    const { loop, disk } = this.#world;
    // A lease that could not be released runs out.
    if (loop.nowMs - Math.max(pausedUntilMs, this.#storeFailedMs) < NOTICED_MS) return;
    const row = disk.database.prepare(HELD_BY).get(name, name);
    if (row !== undefined) this.#fail(invariant, name);
    this.#released.add(process);
  }

  /** Call it at each writing commit. */
  checkWrite(process: SimulatedProcess): void {
    const invariant = "a backend that has lost its lease writes nothing";
    if (this.#holders.length > 0) mark("check", invariant);
    if (this.#holders.includes(process) && this.holder !== process) this.#fail(invariant, process.name);
    const serving = this.#nodes.get(process);
    // A process that is suspended in a transaction commits later.
    if (serving === undefined || (this.#begunMs.get(process) ?? 0) < process.pausedUntilMs - 1) return;
    mark("check", invariant);
    // Others can take over only after the transaction that removes the lease.
    if (!this.#leasedAtBegin.has(process) && !this.#hasLease(serving.node.nodeId)) this.#fail(invariant, process.name);
  }

  /** Call it with the node of a session when a tick of it arrives. */
  checkTick(nodeId: string): void {
    const invariant = "a node without renewals makes no ticks";
    mark("check", invariant);
    // Ticks that were made before a suspension arrive after it.
    if ([...this.#nodes.keys()].some((process) => this.#world.loop.nowMs - process.pausedUntilMs < NODE_LEASE_MS))
      return;
    const row = this.#listNodes().find((one) => one.nodeId === nodeId);
    if (row !== undefined && row.leftMs < HELD_LEFT_MS - ARRIVED_MS)
      this.#fail(invariant, `${row.url}: ${row.leftMs} ms left`);
  }

  /** Call it regularly, with the backends that serve. */
  check(running: readonly SimulatedBackend[], isLeased: boolean): void {
    const { nowMs } = this.#world.loop;
    if (isLeased) this.#checkHolders();
    const { holder } = this;
    if (isLeased && holder?.isAlive && nowMs - holder.pausedUntilMs > NOTICED_MS && this.#isLongFull)
      this.#checkNotReady(holder);
    if (this.#stopping.size > 0) this.#disturbedMs = nowMs;
    for (const { process } of running) this.#disturbedMs = Math.max(this.#disturbedMs, process.pausedUntilMs);
    if (this.#nodes.size > 0 && nowMs - Math.max(this.#disturbedMs, this.#storeFailedMs) > TAKEN_OVER_MS)
      this.#checkNodes(running);
  }

  #checkHolders(): void {
    const { nowMs } = this.#world.loop;
    const { holder } = this;
    // A process may have ended after it took the lease and before it knew.
    const endedMs = Math.max(0, ...this.#endedMs.values());
    const freeMs = holder?.isAlive ? Number.POSITIVE_INFINITY : endedMs;
    const isFree = endedMs === (holder === null ? 0 : this.#released.has(holder) && this.#endedMs.get(holder));
    const limitMs = FREE_MS + (isFree ? 0 : LEASE_MS);
    mark("check", "a standby takes over in time");
    for (const [process, startedMs] of this.#startedMs) {
      if (!process.isAlive || process === holder) continue;
      const isEarlier = this.#holders.includes(process);
      const freedMs = isEarlier ? this.#takenMs : freeMs;
      const sinceMs = Math.max(startedMs, freedMs, process.pausedUntilMs, this.#storeFailedMs);
      if (isEarlier && nowMs - sinceMs > NOTICED_MS)
        this.#fail("a backend that has lost its lease writes nothing", `${process.name} has not ended`);
      const waitedMs = this.#waitedMs.get(process) ?? startedMs;
      const finiteMs = Number.isFinite(sinceMs) ? sinceMs : 0;
      const quietMs = nowMs - Math.max(finiteMs, waitedMs, process.pausedUntilMs, this.#storeFailedMs);
      if (holder?.isAlive && !isEarlier && quietMs > FREE_MS)
        this.#fail("a standby takes over in time", `${process.name} shows no holder`);
      if (!isEarlier && nowMs - sinceMs > limitMs) this.#fail("a standby takes over in time", process.name);
    }
  }

  #checkNodes(running: readonly SimulatedBackend[]): void {
    const rows = this.#listNodes();
    const open = this.#world.disk.database.prepare(OPEN).all() as readonly {
      sessionId: string;
      owner: string | null;
    }[];
    mark("check", "each backend of a fleet is a node");
    mark("check", "each open session has a node");
    for (const { process, parts } of running) {
      const node = parts.store.node!;
      const { nodeId } = node;
      const row = rows.find((one) => one.nodeId === nodeId);
      const { leftMs, url, isExclusive } = row ?? { leftMs: 0, url: "", isExclusive: 0 };
      const isHeld = node.isHeld() || leftMs <= HELD_LEFT_MS;
      const isRenewed = leftMs > HELD_LEFT_MS - RETRY_MS && leftMs <= NODE_LEASE_MS;
      if (!isRenewed || !isHeld || url !== process.name || isExclusive !== 0)
        this.#fail("each backend of a fleet is a node", `${process.name}: ${JSON.stringify(row)}`);
      for (const { row: session, phase } of parts.live.registry.all())
        if (phase !== "ended" && open.some((one) => one.sessionId === session.sessionId && one.owner !== nodeId))
          this.#fail("each open session has a node", `${session.sessionId} is also on ${process.name}`);
    }
    for (const { sessionId, owner } of open) {
      const host = running.find(({ parts }) => parts.store.node!.nodeId === owner);
      if (host?.parts.live.registry.isHosted(sessionId) !== true)
        this.#fail("each open session has a node", `${sessionId}: ${owner}`);
    }
  }

  #listNodes(): readonly NodeRow[] {
    return this.#world.disk.database.prepare(NODES).all() as readonly NodeRow[];
  }

  #hasLease(nodeId: string): boolean {
    return this.#world.disk.database.prepare(IS_NODE).get(nodeId) !== undefined;
  }

  /** Since when nothing has kept a process from renewing its lease; infinite if nothing ever has. */
  #getHealthyMs({ pausedUntilMs }: SimulatedProcess): number {
    const { nowMs } = this.#world.loop;
    return nowMs - Math.max(pausedUntilMs === 0 ? Number.NEGATIVE_INFINITY : pausedUntilMs, this.#storeFailedMs);
  }

  /** Until when the store has failed, at most now. */
  get #storeFailedMs(): number {
    const { loop, plan, disk } = this.#world;
    const ends = plan.flatMap((fault) =>
      "forMs" in fault && STORE_FAULTS.includes(fault.kind) && fault.atMs <= loop.nowMs ? fault.atMs + fault.forMs : [],
    );
    return Math.min(loop.nowMs, Math.max(disk.commitLostMs, ...ends));
  }

  /** Whether the disk has been full for long enough to keep a backend from renewing its lease. */
  get #isLongFull(): boolean {
    const { loop, plan } = this.#world;
    // A renewal waits for a lock.
    if (plan.some(({ kind }) => kind === "disk locked")) return false;
    const isNow = (atMs: number, forMs: number): boolean => atMs + NOTICED_MS < loop.nowMs && loop.nowMs < atMs + forMs;
    return plan.some((fault) => fault.kind === "disk full" && isNow(fault.atMs, fault.forMs));
  }

  #fail(invariant: string, detail: string): void {
    this.#world.fail(new Violation(invariant, detail));
  }
}
