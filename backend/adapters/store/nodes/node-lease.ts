/** The lease of this backend among the nodes of its database. */
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { ArcadeError } from "../../../../domain/errors.ts";
import type { NodeOwnership, NodeRow } from "../../../ports/store/nodes.ts";
import type { Clock, Log } from "../../../ports/system.ts";
import type { Connection } from "../connection.ts";
import { isPostgres } from "../migrations/triggers.ts";
import type { Db } from "../schema.ts";
import { addNode, createNodeStore, createNodeTable, isNodeValid, renewNode } from "./nodes.ts";

/** A node that has not renewed for this long, by the database's clock, loses its sessions to other nodes. */
const LEASE_MS = 3_000;
const RENEW_MS = 1_000;
/** A renewal without a response is repeated after this time, on another connection: the first may be dead. */
const RETRY_MS = 500;
/** After this time without a renewal, by this process's monotonic clock, its games stop. */
const HELD_MS = 2_000;
/** How often a rejected node checks whether the other one is still alive. */
const WAIT_POLL_MS = 250;

export interface NodeOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Identifies this process for people who read the table. */
  readonly url: string | null;
  /** Accepts no other backend on the database. */
  readonly isExclusive: boolean;
  /** False if this node leaves the work of `Singletons` to others; true by default. */
  readonly takesSingletons?: boolean;
  /** How long the lease lasts after a renewal, by the database's clock; 3,000 by default. */
  readonly leaseMs?: number;
  /**
   * Called when the lease has expired: other nodes own this node's sessions. An exclusive node writes nothing after
   * that; any other one registers again, with a new id, once the database responds.
   */
  readonly onLost?: () => void;
}

/** The database is in use by a backend that does not share it. */
export class DatabaseInUseError extends Error {
  constructor(other: NodeRow, isExclusive: boolean) {
    const since = new Date(other.startedAtMs).toISOString();
    super(
      `Another backend (node ${other.nodeId}, started ${since}) works on this database, and ${
        isExclusive ? "this one" : "that one"
      } has no ARCADE_NATS_URL, which backends need to share one. Set it for all of them, or stop the other one.`,
    );
    this.name = "DatabaseInUseError";
  }
}

/**
 * Registers this process as a node. If another backend does not share the database, waits until its lease has expired,
 * and throws `DatabaseInUseError` as soon as it is renewed.
 */
export async function registerNode(connection: Connection, options: NodeOptions): Promise<NodeLease> {
  const { clock, url, isExclusive } = options;
  await connection.alter(createNodeTable);
  const nodes = createNodeStore(connection);
  const nodeId = randomUUID();
  let seen: NodeRow | null = null;
  for (;;) {
    const startedMs = clock.monotonicMs();
    const registration = await nodes.register({ nodeId, url, isExclusive }, options.leaseMs ?? LEASE_MS);
    if (registration.registered) return new NodeLease(connection, nodeId, startedMs, options);
    const { other } = registration;
    if (seen?.nodeId === other.nodeId && other.leaseUntilMs > seen.leaseUntilMs)
      throw new DatabaseInUseError(other, isExclusive);
    seen = other;
    await new Promise<void>((resolve) => {
      clock.after(WAIT_POLL_MS, resolve);
    });
  }
}

const createLostError = (): ArcadeError =>
  new ArcadeError(
    "SHUTTING_DOWN",
    "The lease of this backend has run out, and others may have taken over its sessions; nothing was stored, try again.",
  );

/** A lease that this process holds and renews until it is released; after losing it, the process takes another one. */
export class NodeLease implements NodeOwnership {
  #nodeId: string;
  readonly #connection: Connection;
  readonly #options: NodeOptions;
  /** When the last successful renewal was sent: the lease lasts at least `LEASE_MS` from then. */
  #renewedMs: number;
  readonly #renewing = new Set<Promise<void>>();
  #cancelTimer = (): void => undefined;
  #isLost = false;
  #isReleased = false;
  #renewalProblem: unknown = null;

  constructor(connection: Connection, nodeId: string, registeredMs: number, options: NodeOptions) {
    this.#connection = connection;
    this.#nodeId = nodeId;
    this.#renewedMs = registeredMs;
    this.#options = options;
    this.#schedule(RENEW_MS);
  }

  get nodeId(): string {
    return this.#nodeId;
  }

  get owner(): string {
    return this.#nodeId;
  }

  get isShared(): boolean {
    return !this.#options.isExclusive;
  }

  /** Why this node may not write; null while it may. */
  get renewalProblem(): unknown {
    return this.#isLost ? createLostError() : this.#renewalProblem;
  }

  isHeld(): boolean {
    // safeguard: hold-node-lease
    return !this.#isLost && (this.#options.isExclusive || this.#sinceRenewalMs() < HELD_MS);
  }

  /** Throws `SHUTTING_DOWN` inside a write's transaction if the lease has expired. */
  async check(db: Db): Promise<void> {
    const { nodeId } = this;
    // safeguard: check-node-lease-on-write
    if (!this.#isLost && (await isNodeValid(db, nodeId))) return;
    this.#lose(nodeId);
    throw createLostError();
  }

  /** Lets others take over the open sessions at once. */
  async release(): Promise<void> {
    this.#isReleased = true;
    this.#cancelTimer();
    await Promise.all(this.#renewing);
    await createNodeStore(this.#connection).release(this.nodeId);
  }

  get #leaseMs(): number {
    return this.#options.leaseMs ?? LEASE_MS;
  }

  #sinceRenewalMs(): number {
    return this.#options.clock.monotonicMs() - this.#renewedMs;
  }

  #schedule(delayMs: number): void {
    this.#cancelTimer = this.#options.clock.after(delayMs, () => {
      // A renewal without a response must not keep the node from noticing that its lease has expired.
      if (!this.#options.isExclusive && this.#sinceRenewalMs() >= this.#leaseMs) this.#lose(this.nodeId);
      // safeguard: notice-lost-node-lease
      if (this.#isLost || this.#isReleased) return;
      const dueMs = RENEW_MS - this.#sinceRenewalMs();
      if (dueMs <= 0) this.#beginRenewal();
      this.#schedule(dueMs <= 0 ? RETRY_MS : dueMs);
    });
  }

  /** Earlier renewals may still be waiting for their responses. */
  #beginRenewal(): void {
    const renewal = this.#renew().finally(() => this.#renewing.delete(renewal));
    this.#renewing.add(renewal);
  }

  async #renew(): Promise<void> {
    const { nodeId } = this;
    const sentMs = this.#options.clock.monotonicMs();
    try {
      const isRenewed = await this.#connection.control((db) => renewNode(db, nodeId, this.#leaseMs));
      if (!isRenewed) return this.#lose(nodeId);
      if (nodeId !== this.nodeId) return;
      this.#renewedMs = Math.max(this.#renewedMs, sentMs);
      if (this.#renewalProblem !== null)
        this.#options.log.info({ nodeId: this.nodeId }, "the lease of this node is renewed again");
      this.#renewalProblem = null;
    } catch (error) {
      // Logged once per outage, in which renewals start every half second.
      if (this.#renewalProblem === null)
        this.#options.log.warn({ err: error }, "the lease of this node could not be renewed");
      this.#renewalProblem = error;
    }
  }

  /** Responses to requests under an earlier id are ignored. */
  #lose(nodeId: string): void {
    if (this.#isLost || this.#isReleased || nodeId !== this.nodeId) return;
    this.#isLost = true;
    this.#cancelTimer();
    this.#options.log.error({ nodeId }, "the lease of this node has run out");
    this.#options.onLost?.();
    if (!this.#options.isExclusive) this.#joinLater();
  }

  #joinLater(): void {
    this.#cancelTimer = this.#options.clock.after(WAIT_POLL_MS, () => {
      const joining = this.#join()
        .catch(() => false)
        .then((hasJoined) => {
          this.#renewing.delete(joining);
          if (!hasJoined && !this.#isReleased) this.#joinLater();
        });
      this.#renewing.add(joining);
    });
  }

  /** Registers under a new id: other nodes may have claimed the sessions of the earlier id. */
  async #join(): Promise<boolean> {
    const { clock, url, isExclusive, log } = this.#options;
    const nodeId = randomUUID();
    const startedMs = clock.monotonicMs();
    const { registered } = await this.#connection.control(async (db) => {
      if (isPostgres(db)) await sql`set transaction isolation level serializable`.execute(db);
      return await addNode(db, { nodeId, url, isExclusive }, this.#leaseMs);
    });
    if (!registered) return false;
    this.#nodeId = nodeId;
    this.#renewedMs = startedMs;
    this.#renewalProblem = null;
    this.#isLost = false;
    log.warn({ nodeId }, "this node has joined the others again");
    if (!this.#isReleased) this.#schedule(RENEW_MS);
    return true;
  }
}
