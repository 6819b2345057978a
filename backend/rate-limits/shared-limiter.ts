/** Limits that all backends of a fleet share, in buckets of PostgreSQL. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { ArcadeError } from "../../domain/errors.ts";
import type { LimitPolicy } from "../../domain/limits/limits.ts";
import { openPool } from "../adapters/store/postgres/connections.ts";
import { POOL_SESSION, toClientConfig } from "../adapters/store/postgres/pool.ts";
import type { Clock, RateLimiter, RateLimitResult } from "../ports/system.ts";

/** A statement that takes longer fails, and with it all requests that share it; those behind it wait for it. */
const TIMEOUT_MS = 1_000;
/** A new connection takes longer than a statement on a busy machine, and is kept for as long as signing in pauses. */
const CONNECT_TIMEOUT_MS = 5_000;
const IDLE_MS = 600_000;
/** One for the takes and one for the removal of old buckets. */
const CONNECTIONS = 2;
/** Buckets of one statement, which takes a few milliseconds at most. */
const BUCKETS_MAX = 200;
/** How often a backend removes buckets that are full again. */
const PURGE_MS = 60_000;

/**
 * A bucket is stored as the time at which it is full again, by the database's clock. A token moves that time by a part
 * of the window, and can be taken while the time lies within the window
 * (https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm). A time beyond the window, of a clock that was ahead then,
 * counts as its end. Each bucket gets as many of the tokens asked for as it
 * has. Buckets are locked in the order of their names, so that the statements of two backends cannot deadlock.
 */
const TAKE = `
  with clock as materialized (
    select (extract(epoch from clock_timestamp()) * 1000000)::int8 as now_us
  ), asked as materialized (
    select * from unnest($1::text[], $2::int4[], $3::int8[], $4::int8[]) as asked (name, tokens, cost_us, window_us)
  )
  insert into rate_buckets as bucket (name, full_at_us, taken)
  select name, now_us + tokens * cost_us, tokens from asked, clock order by name collate "C"
  on conflict (name) do update set (full_at_us, taken) = (
    select old_us + granted * cost_us, granted
    from asked, clock,
      lateral (select greatest(least(bucket.full_at_us, now_us + window_us), now_us) as old_us) as old,
      lateral (select least(tokens, greatest(0, (now_us + window_us - old_us) / cost_us)) as granted) as take
    where asked.name = bucket.name
  )
  returning name, taken, full_at_us - (select now_us from clock) as full_in_us`;

/** In the order of the names as well. A bucket that another backend takes from is not full any more. */
const PURGE = `
  delete from rate_buckets where name in (
    select name from rate_buckets where full_at_us < extract(epoch from clock_timestamp()) * 1000000
    order by name limit 10000 for update skip locked
  )`;

interface TakenRow {
  readonly name: string;
  /** Of the tokens that were asked for. */
  readonly taken: number;
  /** When the bucket is full again. */
  readonly full_in_us: number;
}

/** A request that waits for its token. */
interface Waiting {
  readonly policy: LimitPolicy;
  readonly resolve: (result: RateLimitResult) => void;
  readonly reject: (error: unknown) => void;
}

const getWindowUs = ({ windowSeconds }: LimitPolicy): number => windowSeconds * 1_000_000;
/** Rounded down, so that a full bucket has all its tokens. */
const getCostUs = (policy: LimitPolicy): number => Math.floor(getWindowUs(policy) / policy.limit);

/** The results of the requests that share a bucket, in order: `taken` of them pass. */
function settle(waiting: readonly Waiting[], { taken, full_in_us: fullInUs }: TakenRow): void {
  for (const [place, { policy, resolve }] of waiting.entries()) {
    const [windowUs, costUs] = [getWindowUs(policy), getCostUs(policy)];
    const allowed = place < taken;
    // The bucket as this request leaves it: those behind it have not taken theirs.
    const ownFullInUs = fullInUs - Math.max(0, taken - place - 1) * costUs;
    const waitUs = allowed ? ownFullInUs : fullInUs + costUs - windowUs;
    resolve({
      allowed,
      limit: policy.limit,
      remaining: allowed ? Math.max(0, Math.floor((windowUs - ownFullInUs) / costUs)) : 0,
      resetSeconds: Math.max(1, Math.ceil(waitUs / 1_000_000)),
    });
  }
}

/** No request passes while the bucket cannot be read. */
function createBusyError(cause: unknown): ArcadeError {
  const message = "The limits that backends share could not be read; nothing was done, try again.";
  return new ArcadeError("STORAGE_BUSY", message, {}, { cause });
}

export type SharedLimiter = RateLimiter & {
  /** Closes the connections. */
  close(): Promise<void>;
};

export interface SharedLimiterOptions {
  readonly databaseUrl: string;
  /** The backend's own buckets, which reject before a query. */
  readonly own: RateLimiter;
  readonly clock: Pick<Clock, "monotonicMs">;
}

/** Takes from the shared bucket of a policy that has one, after the backend's own; `own` has all others. */
export function createSharedLimiter({ databaseUrl, own, clock }: SharedLimiterOptions): SharedLimiter {
  const bounds = {
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_MS,
    // Also when the server is stopped and ends no statement.
    query_timeout: 2 * TIMEOUT_MS,
    max: CONNECTIONS,
  };
  const session = { ...POOL_SESSION, statement_timeout: TIMEOUT_MS };
  const { pool, end } = openPool({ ...toClientConfig(databaseUrl), ...bounds }, session);
  let purgedMs = clock.monotonicMs();
  let waiting = new Map<string, Waiting[]>();
  let isDraining = false;

  function purge(): void {
    const nowMs = clock.monotonicMs();
    if (nowMs - purgedMs < PURGE_MS) return;
    purgedMs = nowMs;
    // What is left is removed the next time.
    pool.query(PURGE).catch(() => undefined);
  }

  async function takeAll(buckets: ReadonlyMap<string, readonly Waiting[]>): Promise<void> {
    const policies = [...buckets.values()].map(([first]) => first!.policy);
    // More than a bucket can hold are not asked for.
    const tokens = [...buckets.values()].map((all, i) => Math.min(all.length, policies[i]!.limit));
    const values = [[...buckets.keys()], tokens, policies.map(getCostUs), policies.map(getWindowUs)];
    const { rows } = await pool.query<TakenRow>({ name: "take", text: TAKE, values });
    for (const row of rows) settle(buckets.get(row.name)!, row);
  }

  /** Requests of one turn of the event loop share a statement, as do those that arrive during another one. */
  async function drain(): Promise<void> {
    isDraining = true;
    await nextTurn();
    while (waiting.size > 0) {
      const buckets = new Map([...waiting].slice(0, BUCKETS_MAX));
      waiting = new Map([...waiting].slice(BUCKETS_MAX));
      try {
        await takeAll(buckets);
      } catch (cause) {
        const error = createBusyError(cause);
        for (const { reject } of [...buckets.values()].flat()) reject(error);
      }
      purge();
    }
    isDraining = false;
  }

  const takeShared = (policy: LimitPolicy, key: string): Promise<RateLimitResult> =>
    new Promise((resolve, reject) => {
      const name = `${policy.name} ${key}`;
      const others = waiting.get(name);
      if (others === undefined) waiting.set(name, [{ policy, resolve, reject }]);
      else others.push({ policy, resolve, reject });
      if (!isDraining) void drain();
    });

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
    close: end,
  };
}
