/** All migrations, in order. A released one is never edited: the next change is a new file and a new line here. */
import { sql } from "kysely";
import { DEFAULT_MIGRATION_TABLE, type Migration, Migrator } from "kysely/migration";
import { createSqliteFunctions } from "../postgres/functions.ts";
import type { Db } from "../schema.ts";
import * as auth from "./0001-auth.ts";
import * as sessions from "./0002-sessions.ts";
import * as requests from "./0003-requests.ts";
import * as chain from "./0004-chain.ts";
import * as ledgers from "./0005-ledgers.ts";
import * as voting from "./0006-voting.ts";
import * as stats from "./0007-stats.ts";
import * as market from "./0008-market.ts";
import * as moderation from "./0009-moderation.ts";
import * as payoutPortions from "./0010-payout-portions.ts";
import * as settlement from "./0011-settlement.ts";
import * as signedUntil from "./0012-signed-until.ts";
import * as sessionOwner from "./0013-session-owner.ts";
import * as signOut from "./0014-sign-out.ts";
import * as oneListingPerToken from "./0015-one-listing-per-token.ts";
import * as retention from "./0016-retention.ts";
import * as runs from "./0017-runs.ts";
import * as chainAudit from "./0018-chain-audit.ts";
import * as transactionsByBlock from "./0019-transactions-by-block.ts";
import * as chainFacts from "./0020-chain-facts.ts";
import * as replayVersion2 from "./0021-replay-version-2.ts";
import * as relays from "./0022-relays.ts";
import * as pendingScores from "./0023-pending-scores.ts";
import * as transactionOrders from "./0024-transaction-orders.ts";
import * as nodes from "./0025-nodes.ts";
import * as linkedAgents from "./0026-linked-agents.ts";
import * as scorebanks from "./0027-scorebanks.ts";
import * as transactionsByTime from "./0028-transactions-by-time.ts";
import * as rateBuckets from "./0029-rate-buckets.ts";
import * as takenTokens from "./0030-taken-tokens.ts";
import { isPostgres } from "./triggers.ts";

const MIGRATIONS: Record<string, Migration> = {
  "0001-auth": auth,
  "0002-sessions": sessions,
  "0003-requests": requests,
  "0004-chain": chain,
  "0005-ledgers": ledgers,
  "0006-voting": voting,
  "0007-stats": stats,
  "0008-market": market,
  "0009-moderation": moderation,
  "0010-payout-portions": payoutPortions,
  "0011-settlement": settlement,
  "0012-signed-until": signedUntil,
  "0013-session-owner": sessionOwner,
  "0014-sign-out": signOut,
  "0015-one-listing-per-token": oneListingPerToken,
  "0016-retention": retention,
  "0017-runs": runs,
  "0018-chain-audit": chainAudit,
  "0019-transactions-by-block": transactionsByBlock,
  "0020-chain-facts": chainFacts,
  "0021-replay-version-2": replayVersion2,
  "0022-relays": relays,
  "0023-pending-scores": pendingScores,
  "0024-transaction-orders": transactionOrders,
  "0025-nodes": nodes,
  "0026-linked-agents": linkedAgents,
  "0027-scorebanks": scorebanks,
  "0028-transactions-by-time": transactionsByTime,
  "0029-rate-buckets": rateBuckets,
  "0030-taken-tokens": takenTokens,
};

export const listMigrationNames = (): readonly string[] => Object.keys(MIGRATIONS);

export interface MigrationProgress {
  /** The migration that runs. */
  readonly migration: string;
  /** Stored sessions that it has counted so far; absent where it counts none. */
  readonly sessions?: number;
}

/** The migrations, which report when they begin and how far they are. */
const createMigrations = (onProgress: (progress: MigrationProgress) => void): Record<string, Migration> =>
  Object.fromEntries(
    Object.entries(MIGRATIONS).map(([name, migration]) => {
      const up: Migration["up"] = (db) => {
        onProgress({ migration: name });
        return migration === stats
          ? stats.up(db, (sessions) => onProgress({ migration: name, sessions }))
          : migration.up(db);
      };
      return [name, { up }];
    }),
  );

/**
 * Whether exactly these migrations have run. It is asked before Kysely's migrator, which reads every column of every
 * table to find its own one: that takes longer than the rest of a start.
 */
async function isUpToDate(db: Db): Promise<boolean> {
  const findTable = isPostgres(db)
    ? sql`select 1 from pg_class where oid = to_regclass(${DEFAULT_MIGRATION_TABLE})`
    : sql`select 1 from sqlite_master where type = 'table' and name = ${DEFAULT_MIGRATION_TABLE}`;
  if ((await findTable.execute(db)).rows.length === 0) return false;
  const { rows } = await sql<{ readonly name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`.execute(
    db,
  );
  const names = new Set(rows.map(({ name }) => name));
  const expected = listMigrationNames();
  return names.size === expected.length && expected.every((name) => names.has(name));
}

/**
 * Migrates the tables inside the given transaction: all migrations or none. `last` ends before the later ones, for
 * databases of older versions.
 * Throws when a newer version of the program has created the database.
 */
export async function migrate(
  db: Db,
  onProgress: (progress: MigrationProgress) => void = () => {},
  last?: string,
): Promise<void> {
  if (isPostgres(db)) await createSqliteFunctions(db);
  if (last === undefined && (await isUpToDate(db))) return;
  const migrations = createMigrations(onProgress);
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error } = await (last === undefined ? migrator.migrateToLatest() : migrator.migrateTo(last));
  if (error !== undefined) throw error;
}
