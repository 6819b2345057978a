/** All migrations, in order. A released one is never edited: the next change is a new file and a new line here. */
import { sql } from "kysely";
import { DEFAULT_MIGRATION_TABLE, type Migration, Migrator } from "kysely/migration";
import { createSqliteFunctions } from "../postgres/functions.ts";
import type { Db } from "../schema.ts";
import { createInitialTables } from "./0001-initial.ts";
import { isPostgres } from "./triggers.ts";

export type Migrations = Readonly<Record<string, Migration>>;

export const MIGRATIONS: Migrations = { "0001-initial": { up: createInitialTables } };

/** The migrations; each reports its name when it begins. */
const reportBegin = (migrations: Migrations, onMigration: (name: string) => void): Record<string, Migration> =>
  Object.fromEntries(
    Object.entries(migrations).map(([name, { up }]) => [
      name,
      {
        up: (db) => {
          onMigration(name);
          return up(db);
        },
      },
    ]),
  );

/**
 * Whether exactly these migrations have run. If so, Kysely's migrator is not called: it reads all columns of all
 * tables to find its own table, which takes longer than the rest of a start.
 */
async function isUpToDate(db: Db, expected: readonly string[]): Promise<boolean> {
  const findTable = isPostgres(db)
    ? sql`select 1 from pg_class where oid = to_regclass(${DEFAULT_MIGRATION_TABLE})`
    : sql`select 1 from sqlite_master where type = 'table' and name = ${DEFAULT_MIGRATION_TABLE}`;
  if ((await findTable.execute(db)).rows.length === 0) return false;
  const { rows } = await sql<{ readonly name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`.execute(
    db,
  );
  const names = new Set(rows.map(({ name }) => name));
  return names.size === expected.length && expected.every((name) => names.has(name));
}

/**
 * Migrates the tables inside the given transaction: all migrations or none. `onMigration` gets the name of each migration
 * before it runs. Throws when a newer version of the program has created the database.
 */
export async function migrate(
  db: Db,
  onMigration: (name: string) => void = () => {},
  migrations: Migrations = MIGRATIONS,
): Promise<void> {
  if (isPostgres(db)) await createSqliteFunctions(db);
  if (await isUpToDate(db, Object.keys(migrations))) return;
  const reporting = reportBegin(migrations, onMigration);
  const migrator = new Migrator({ db, provider: { getMigrations: async () => reporting } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}
