/** The lease of a database: one process works on it, others wait as standbys. */
import { randomUUID } from "node:crypto";
import { ArcadeError } from "../../../../domain/errors.ts";
import type { Clock, Log } from "../../../ports/system.ts";
import type { Connection } from "../connection.ts";
import type { Db, LeaseRow } from "../schema.ts";
import { getProcessIdentity, type ProcessIdentity } from "./process-identity.ts";
import {
  createLeaseTable,
  type Fence,
  findLease,
  isLeaseHeld,
  releaseLease,
  renewLease,
  takeLeaseRow,
} from "./rows.ts";

/** An owner that has not renewed for this long loses the lease, even if its process still runs. */
export const LEASE_MS = 15_000;
const RENEW_MS = 2_000;
/** How often a standby checks the lease. */
const WAIT_POLL_MS = 250;

/** Owners in this process, which cannot be told apart by process id. */
const ownersHere = new Set<string>();

export interface LeaseOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Called at each check while another process holds the lease. */
  readonly onWait?: (holder: LeaseRow) => void;
  readonly onTaken?: (fence: Fence) => void;
  /** Called once when another process has taken the lease. This process writes nothing after that. */
  readonly onLost?: () => void;
  readonly processIdentity?: ProcessIdentity;
}

/** True when the owner's process has certainly ended. */
function isOwnerGone({ owner, place, processId }: LeaseRow, identity: ProcessIdentity): boolean {
  if (owner === null) return true;
  if (place !== identity.place || ownersHere.has(owner)) return false;
  return processId === identity.processId || !identity.isAlive(processId);
}

/**
 * Waits until the lease is free, released, or was not renewed for its length by this process's clock; then takes it.
 */
export async function takeLease(connection: Connection, options: LeaseOptions): Promise<Lease> {
  const { clock, onWait, processIdentity: identity = getProcessIdentity() } = options;
  await connection.alter(createLeaseTable);
  const owner = randomUUID();
  let unchanged: { readonly row: LeaseRow; readonly sinceMs: number } | null = null;
  for (;;) {
    const row = await findLease(connection);
    const nowMs = clock.monotonicMs();
    const isSame =
      row !== null &&
      unchanged !== null &&
      row.epoch === unchanged.row.epoch &&
      row.renewals === unchanged.row.renewals;
    if (row !== null && !isSame) unchanged = { row, sinceMs: nowMs };
    const hasExpired = isSame && nowMs - unchanged!.sinceMs >= LEASE_MS;
    // safeguard: wait-for-lease
    if (row === null || isOwnerGone(row, identity) || hasExpired) {
      const { place, processId } = identity;
      const holder = { owner, place, processId, expiresAtMs: clock.nowMs() + LEASE_MS };
      // Added before its row is visible: an owner of this process that is not in this set counts as gone.
      ownersHere.add(owner);
      const epoch = await takeLeaseRow(connection, row, holder);
      if (epoch === null) ownersHere.delete(owner);
      else {
        options.onTaken?.({ owner, epoch });
        return new Lease(connection, { owner, epoch }, options);
      }
    } else onWait?.(row);
    await new Promise<void>((resolve) => {
      clock.after(WAIT_POLL_MS, resolve);
    });
  }
}

/** A lease that this process holds and renews until it is released or lost. */
export class Lease implements Fence {
  readonly owner: string;
  readonly epoch: number;
  readonly #connection: Connection;
  readonly #options: LeaseOptions;
  #cancelTimer = (): void => undefined;
  #renewing: Promise<void> = Promise.resolve();
  #isLost = false;
  #isReleased = false;
  #renewalProblem: unknown = null;

  constructor(connection: Connection, { owner, epoch }: Fence, options: LeaseOptions) {
    this.#connection = connection;
    this.owner = owner;
    this.epoch = epoch;
    this.#options = options;
    ownersHere.add(owner);
    this.#schedule();
  }

  /** Why the last renewal failed; null if it succeeded. */
  get renewalProblem(): unknown {
    return this.#renewalProblem;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** Throws `SHUTTING_DOWN` inside a write's transaction when another process has taken the lease. */
  async check(db: Db): Promise<void> {
    if (!this.#isLost && (await isLeaseHeld(db, this))) return;
    this.#lose();
    throw new ArcadeError(
      "SHUTTING_DOWN",
      "Another backend has taken over this database; nothing was stored, try again to reach it.",
    );
  }

  /** Lets the next process take over at once. */
  async release(): Promise<void> {
    this.#isReleased = true;
    this.#cancelTimer();
    ownersHere.delete(this.owner);
    await this.#renewing;
    await releaseLease(this.#connection, this);
  }

  #schedule(): void {
    this.#cancelTimer = this.#options.clock.after(RENEW_MS, () => {
      this.#renewing = this.#renew().then(() => {
        if (!this.#isLost && !this.#isReleased) this.#schedule();
      });
    });
  }

  async #renew(): Promise<void> {
    const { clock, log } = this.#options;
    try {
      if (!(await renewLease(this.#connection, this, clock.nowMs() + LEASE_MS))) this.#lose();
      this.#renewalProblem = null;
    } catch (error) {
      // A full or locked disk also keeps a standby from taking over.
      if (this.#renewalProblem === null) log.warn({ err: error }, "the lease of the database could not be renewed");
      this.#renewalProblem = error;
    }
  }

  #lose(): void {
    if (this.#isLost || this.#isReleased) return;
    this.#isLost = true;
    this.#cancelTimer();
    ownersHere.delete(this.owner);
    this.#options.log.error({ owner: this.owner, epoch: this.epoch }, "another backend has taken over this database");
    this.#options.onLost?.();
  }
}
