/** Limits that all backends of a fleet share, in buckets of PostgreSQL. */
import { Pool } from "pg";
import { ArcadeError } from "../domain/errors.ts";
import type { LimitPolicy } from "../domain/limits/limits.ts";
import type { Clock, RateLimiter, RateLimitResult } from "../ports/system.ts";
import { toClientConfig } from "./store/postgres/pool.ts";

/** A request waits for its bucket at most so long, then it is rejected. */
const TIMEOUT_MS = 1_000;
/** A new connection takes longer than a statement on a busy machine, and is kept for as long as signing in pauses. */
const CONNECT_TIMEOUT_MS = 5_000;
const IDLE_MS = 600_000;
const CONNECTIONS = 2;
/** How often a backend removes buckets that are full again. */
const PURGE_MS = 60_000;

/**
 * A bucket is stored as the time at which it is full again, by the database's clock. A token moves that time by a part
 * of the window, and can be taken while the time lies within the window
 * (https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm).
 */
const TAKE = `
  with clock as materialized (
    select (extract(epoch from clock_timestamp()) * 1000000)::int8 as now_us
  ), taken as (
    insert into rate_buckets as bucket (name, full_at_us)
    select $1::text, now_us + $2::int8 from clock
    on conflict (name) do update
      set full_at_us = greatest(bucket.full_at_us, (select now_us from clock)) + $2::int8
      where greatest(bucket.full_at_us, (select now_us from clock)) + $2::int8 <= (select now_us from clock) + $3::int8
    returning full_at_us
  )
  select true as allowed, full_at_us - now_us as full_in_us from taken, clock
  union all
  select false, full_at_us - now_us from rate_buckets, clock
  where name = $1 and not exists (select from taken)`;

interface TakenRow {
  readonly allowed: boolean;
  readonly full_in_us: number;
}

/** No request passes while the bucket cannot be read. */
function rejectAsBusy(cause: unknown): never {
  const message = "The limits that backends share could not be read; nothing was done, try again.";
  throw new ArcadeError("STORAGE_BUSY", message, {}, { cause });
}

export type SharedLimiter = RateLimiter & {
  /** Closes the connections. */
  close(): Promise<void>;
};

export interface SharedLimiterOptions {
  readonly databaseUrl: string;
  /** The backend's own buckets, which reject before the database is asked. */
  readonly own: RateLimiter;
  readonly clock: Pick<Clock, "monotonicMs">;
}

/** Takes from the shared bucket of a policy that has one, after the backend's own; `own` has all others. */
export function createSharedLimiter({ databaseUrl, own, clock }: SharedLimiterOptions): SharedLimiter {
  const pool = new Pool({
    ...toClientConfig(databaseUrl),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_MS,
    statement_timeout: TIMEOUT_MS,
    // Also where the server is stopped and ends no statement.
    query_timeout: 2 * TIMEOUT_MS,
    max: CONNECTIONS,
    allowExitOnIdle: true,
  });
  // A connection that breaks is replaced at its next use.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  let purgedMs = clock.monotonicMs();

  function purge(): void {
    const nowMs = clock.monotonicMs();
    if (nowMs - purgedMs < PURGE_MS) return;
    purgedMs = nowMs;
    const full = "delete from rate_buckets where full_at_us < extract(epoch from clock_timestamp()) * 1000000";
    // What is left is removed the next time.
    pool.query(full).catch(() => undefined);
  }

  async function takeShared({ name, limit, windowSeconds }: LimitPolicy, key: string): Promise<RateLimitResult> {
    const windowUs = windowSeconds * 1_000_000;
    const costUs = Math.round(windowUs / limit);
    const { rows } = await pool
      .query<TakenRow>({ name: "take", text: TAKE, values: [`${name} ${key}`, costUs, windowUs] })
      .catch(rejectAsBusy);
    purge();
    // Another backend has made the bucket in the same moment, and emptied it.
    const { allowed, full_in_us: fullInUs } = rows[0] ?? { allowed: false, full_in_us: windowUs };
    const waitUs = allowed ? fullInUs : fullInUs + costUs - windowUs;
    return {
      allowed,
      limit,
      remaining: allowed ? Math.max(0, Math.floor((windowUs - fullInUs) / costUs)) : 0,
      resetSeconds: Math.max(1, Math.ceil(waitUs / 1_000_000)),
    };
  }

  return {
    enabled: own.enabled,
    get bucketCount() {
      return own.bucketCount;
    },
    take(policy, key) {
      const result = own.consume(policy, key);
      return result.allowed && own.enabled && policy.isShared ? takeShared(policy, key) : result;
    },
    consume: (policy, key, count) => own.consume(policy, key, count),
    charge: (policy, key, count) => own.charge(policy, key, count),
    refund: (policy, key, count) => own.refund(policy, key, count),
    hasToken: (policy, key) => own.hasToken(policy, key),
    close: () => pool.end(),
  };
}
