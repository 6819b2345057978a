import { CHANNEL_LIMITS } from "../../domain/limits/limits.ts";
import type { Clock } from "../ports/system.ts";
import type { Connection } from "./connection.ts";

/** One bucket of connections is pinged per interval. */
const PING_INTERVAL_MS = 100;

/**
 * Pings every connection once per `pingSeconds`. The connections are spread over the period: thousands of simultaneous
 * pings and pongs would delay ticks.
 */
export class PingSchedule {
  readonly #clock: Pick<Clock, "after">;
  readonly #buckets: readonly Set<Connection>[];
  #bucketIndex = 0;
  #connections = 0;
  /** Null while there is no connection. */
  #cancel: (() => void) | null = null;
  #isStopped = false;

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
    const length = (CHANNEL_LIMITS.pingSeconds * 1000) / PING_INTERVAL_MS;
    this.#buckets = Array.from({ length }, () => new Set<Connection>());
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  /** Adds a connection; the returned function removes it. */
  add(connection: Connection): () => void {
    const bucket = this.#buckets.reduce((least, other) => (other.size < least.size ? other : least));
    bucket.add(connection);
    this.#connections += 1;
    if (this.#cancel === null) this.#schedule();
    return () => {
      if (bucket.delete(connection)) this.#connections -= 1;
    };
  }

  #schedule(): void {
    const isNeeded = this.#connections > 0 && !this.#isStopped;
    this.#cancel = isNeeded ? this.#clock.after(PING_INTERVAL_MS, () => this.#pingNextBucket()) : null;
  }

  #pingNextBucket(): void {
    this.#bucketIndex = (this.#bucketIndex + 1) % this.#buckets.length;
    for (const connection of this.#buckets[this.#bucketIndex]!) connection.ping();
    this.#schedule();
  }
}
