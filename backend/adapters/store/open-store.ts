/** Opens the store: the entry point of this folder. */
import { type Dialect, sql } from "kysely";
import type { Singleton, Singletons } from "../../ports/store/nodes.ts";
import type { Store } from "../../ports/store/store.ts";
import { createOperatorStore } from "./admin/commands.ts";
import { createAuthStore } from "./auth/auth.ts";
import { createChannelTokenStore } from "./auth/channel-tokens.ts";
import { createChainAuditStore } from "./chain/audit.ts";
import { createDeploymentStore } from "./chain/deployment.ts";
import { createChainStore } from "./chain/events.ts";
import { createChainFactStore } from "./chain/facts.ts";
import { createPayoutStore } from "./chain/payouts.ts";
import { createRelayStore } from "./chain/relays.ts";
import { createSigningStore } from "./chain/signings.ts";
import { createTransactionStore } from "./chain/transactions.ts";
import { type ConnectionOptions, openConnection } from "./connection.ts";
import type { DurableDialect, Lock } from "./durable-dialect.ts";
import { toStorageError } from "./failures.ts";
import { createIdempotencyStore } from "./idempotency.ts";
import { createIdentityStore } from "./identity/identities.ts";
import { createLeagueStore } from "./league/league.ts";
import { type Lease, type LeaseOptions, takeLease } from "./lease/lease.ts";
import { createListingStore } from "./market/listings.ts";
import { type Migrations, migrate } from "./migrations/index.ts";
import { type NodeLease, type NodeOptions, registerNode } from "./nodes/node-lease.ts";
import { createNodeStore } from "./nodes/nodes.ts";
import { createRetentionStore } from "./retention.ts";
import { createSessionStore } from "./sessions/sessions.ts";
import { createSqliteDialect, openSqliteFile, openSqliteReader } from "./sqlite.ts";
import { explainOpening } from "./sqlite-file.ts";
import { createStandingStore } from "./stats/standings.ts";
import { createNewsletterStore, createTelemetryStore } from "./stats/telemetry.ts";
import { createVotingStore } from "./voting/voting.ts";

export interface StoreOptions {
  /** `sqlite:PATH`, `sqlite::memory:` for a store that ends with the process, or `postgres://HOST/DATABASE`. */
  readonly databaseUrl: string;
  /** How long a call waits for another process's lock; 5,000 by default. */
  readonly busyWaitMs?: number;
  readonly onQuery?: ConnectionOptions["onQuery"];
  /**
   * Set by a backend: waits until it holds the lease of the database, before the tables are migrated; `close` releases
   * it. Commands that run beside a backend leave it out, and so does a store in memory.
   */
  readonly lease?: LeaseOptions;
  /**
   * Set by a backend instead of `lease`: registers it among the nodes of the database, before the tables are migrated;
   * `close` releases its sessions. Throws `DatabaseInUseError`.
   */
  readonly node?: NodeOptions;
  /** Called with the name of each migration when it starts. */
  readonly onMigration?: (name: string) => void;
  /** Instead of the service's own migrations. */
  readonly migrations?: Migrations;
}

/**
 * Opens the database: creates it if it is missing, and migrates its tables. Throws `UnsupportedDatabaseError`, or
 * `STORAGE_BUSY` or `STORAGE_FULL` if the file cannot be used.
 */
export async function openStore({ databaseUrl, lease, ...options }: StoreOptions): Promise<Store> {
  const dialects = await openDialects(databaseUrl);
  const isShared = databaseUrl !== "sqlite::memory:";
  try {
    return await openStoreOn(dialects, { ...options, ...(lease !== undefined && isShared ? { lease } : {}) });
  } catch (error) {
    throw dialects.explain?.(error) ?? error;
  }
}

export interface StoreDialects {
  readonly dialect: DurableDialect;
  /** A second connection for reads; absent: reads wait for transactions. */
  readonly reader?: Dialect | undefined;
  /** An error of opening, with what to do. */
  readonly explain?: (error: unknown) => unknown;
}

/** The same for a database that is already open. */
export async function openStoreOn(
  { dialect, reader }: StoreDialects,
  {
    busyWaitMs = 5_000,
    onQuery,
    lease: leaseOptions,
    node: nodeOptions,
    onMigration,
    migrations,
  }: Omit<StoreOptions, "databaseUrl">,
): Promise<Store> {
  const connection = openConnection(dialect, { reader, busyWaitMs, onQuery });
  let lease: Lease | NodeLease | null = null;
  let node: NodeLease | null = null;
  try {
    if (nodeOptions !== undefined) lease = node = await registerNode(connection, nodeOptions);
    else if (leaseOptions !== undefined) lease = await takeLease(connection, leaseOptions);
    const held = lease;
    // safeguard: check-lease-on-write
    if (held !== null) connection.setGuard((db) => held.check(db));
    await connection.alter((db) => migrate(db, onMigration, migrations));
  } catch (error) {
    await lease?.release().catch(() => undefined);
    await connection.close();
    throw error;
  }
  const locks = openLocks(dialect, node, nodeOptions);
  return {
    facts: dialect.facts,
    singletons: locks ?? ALL_HELD,
    auth: createAuthStore(connection),
    sessions: createSessionStore(connection, () => lease?.owner ?? null),
    nodes: createNodeStore(connection),
    node,
    channelTokens: createChannelTokenStore(connection),
    idempotency: createIdempotencyStore(connection),
    identities: createIdentityStore(connection),
    listings: createListingStore(connection),
    signings: createSigningStore(connection),
    deployment: createDeploymentStore(connection),
    chain: createChainStore(connection),
    chainAudit: createChainAuditStore(connection),
    chainFacts: createChainFactStore(connection),
    standings: createStandingStore(connection),
    telemetry: createTelemetryStore(connection),
    newsletter: createNewsletterStore(connection),
    payouts: createPayoutStore(connection),
    transactions: createTransactionStore(connection),
    relays: createRelayStore(connection),
    voting: createVotingStore(connection),
    league: createLeagueStore(connection),
    operator: createOperatorStore(connection),
    retention: createRetentionStore(connection),
    probe: async () => {
      const problem = lease?.renewalProblem ?? null;
      if (problem !== null) throw toStorageError(problem);
      await connection.readOne((db) => sql`select 1`.execute(db));
    },
    close: async () => {
      // This fails if another process already has the lease, or the disk is full; the lease then expires.
      await lease?.release().catch(() => undefined);
      await Promise.all(Object.values(locks ?? {}).map((lock) => lock.stop()));
      await connection.close();
    },
  };
}

/** A lock for each work that only one backend does; null if this process is the only one. */
function openLocks(
  { createLock }: DurableDialect,
  node: NodeLease | null,
  options: NodeOptions | undefined,
): { readonly [name in keyof Singletons]: Lock } | null {
  if (createLock === undefined || node === null || options === undefined || !node.isShared) return null;
  const { clock, log, takesSingletons = true } = options;
  if (!takesSingletons) return NONE_HELD;
  const open = (key: number): Lock => createLock({ key, clock, log });
  return { indexer: open(0), transactions: open(1), retention: open(2), league: open(3) };
}

const HELD: Singleton = { isHeld: () => true };
const ALL_HELD: Singletons = { indexer: HELD, transactions: HELD, retention: HELD, league: HELD };
const LEFT: Lock = { isHeld: () => false, stop: async () => undefined };
const NONE_HELD = { indexer: LEFT, transactions: LEFT, retention: LEFT, league: LEFT };

/** The store does not support the URL's database. The message never contains the URL. */
export class UnsupportedDatabaseError extends Error {
  /** The URL's scheme, such as `mysql`; empty if it has none. */
  readonly scheme: string;

  constructor(databaseUrl: string) {
    const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(databaseUrl)?.[1]?.toLowerCase() ?? "";
    const received = scheme ? `the scheme "${scheme}"` : "no scheme";
    super(
      `The store expects a database URL of the form sqlite:PATH or postgres://HOST/DATABASE; received ${received}. Set ARCADE_DATABASE_URL.`,
    );
    this.name = "UnsupportedDatabaseError";
    this.scheme = scheme;
  }
}

async function openDialects(databaseUrl: string): Promise<StoreDialects> {
  if (/^postgres(ql)?:\/\//.test(databaseUrl)) {
    // Loaded only if used, so that a backend on SQLite starts faster.
    const { openPostgres } = await import("./postgres/dialect.ts");
    return await openPostgres(databaseUrl);
  }
  if (!/^sqlite:./.test(databaseUrl)) throw new UnsupportedDatabaseError(databaseUrl);
  try {
    const dialect = createSqliteDialect(openSqliteFile(databaseUrl));
    const reader = openSqliteReader(databaseUrl);
    const explain = (error: unknown): unknown => explainOpening(error, databaseUrl);
    return { dialect, reader: reader === null ? undefined : createSqliteDialect(reader), explain };
  } catch (error) {
    throw explainOpening(toStorageError(error), databaseUrl);
  }
}
