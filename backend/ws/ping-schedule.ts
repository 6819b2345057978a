import { CHANNEL_LIMITS } from "../domain/limits/limits.ts";
import type { Clock } from "../ports/system.ts";
import type { Connection } from "./connection.ts";

/** One bucket of connections is pinged per interval. */
const PING_INTERVAL_MS = 100;

/**
 * Pings every connection once in `pingSeconds`. The connections are spread over the period: thousands of pings, and of
 * the pongs that answer them, at once would delay ticks.
 */
export class PingSchedule {
  readonly #clock: Pick<Clock, "after">;
  readonly #buckets: readonly Set<Connection>[];
  #bucketIndex = 0;
  #cancel: () => void = () => undefined;

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
    const length = (CHANNEL_LIMITS.pingSeconds * 1000) / PING_INTERVAL_MS;
    this.#buckets = Array.from({ length }, () => new Set<Connection>());
  }

  start(): void {
    this.#cancel = this.#clock.after(PING_INTERVAL_MS, () => this.#pingNextBucket());
  }

  stop(): void {
    this.#cancel();
  }

  /** Adds a connection; the returned function removes it. */
  add(connection: Connection): () => void {
    const bucket = this.#buckets.reduce((least, other) => (other.size < least.size ? other : least));
    bucket.add(connection);
    return () => bucket.delete(connection);
  }

  #pingNextBucket(): void {
    this.#bucketIndex = (this.#bucketIndex + 1) % this.#buckets.length;
    for (const connection of this.#buckets[this.#bucketIndex]!) connection.ping();
    this.start();
  }
}
