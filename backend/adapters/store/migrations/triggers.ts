/** Triggers that reject changes of final rows, in the form of each engine. */
import { type Kysely, PostgresAdapter, type QueryExecutorProvider, type RawBuilder, sql } from "kysely";

export interface FinalRows {
  /** Name of the trigger (`snake_case`). */
  readonly name: string;
  readonly table: string;
  readonly verb: "update" | "delete";
  /** Only updates of these columns (`snake_case`); all if left out. */
  readonly columns?: readonly string[];
  /** A condition on `old` and `new` that selects the rows; all if left out. */
  readonly when?: RawBuilder<boolean>;
  /** The error of a rejected change. */
  readonly message: string;
}

export const isPostgres = (db: QueryExecutorProvider): boolean => db.getExecutor().adapter instanceof PostgresAdapter;

export async function rejectChanges(db: Kysely<unknown>, rows: FinalRows): Promise<void> {
  const { name, table, verb, columns, when, message } = rows;
  const event = sql.raw(columns === undefined ? verb : `${verb} of ${columns.join(", ")}`);
  const trigger = sql`create trigger ${sql.raw(name)} before ${event} on ${sql.raw(table)}`;
  if (!isPostgres(db)) {
    const condition = when === undefined ? sql`` : sql` when ${when}`;
    await sql`${trigger}${condition} begin select raise(abort, ${sql.lit(message)}); end`.execute(db);
    return;
  }
  await sql`create or replace function ${sql.raw(name)}() returns trigger language plpgsql
    as ${sql.lit(`begin raise exception using message = '${message}', errcode = 'integrity_constraint_violation'; end`)}`.execute(
    db,
  );
  const condition = when === undefined ? sql`` : sql` when (${when})`;
  await sql`${trigger} for each row${condition} execute function ${sql.raw(name)}()`.execute(db);
}

export interface RowTrigger {
  /** Name of the trigger (`snake_case`). */
  readonly name: string;
  /** For example `after insert on chain_events`. */
  readonly event: string;
  /** A condition on `old` and `new` that selects the rows. */
  readonly when: RawBuilder<boolean>;
  /** One statement that may use `old` and `new`. */
  readonly statement: RawBuilder<unknown>;
}

/** Runs a statement after each row that is written. */
export async function runForEachRow(db: Kysely<unknown>, { name, event, when, statement }: RowTrigger): Promise<void> {
  const trigger = sql`create trigger ${sql.raw(name)} ${sql.raw(event)}`;
  if (!isPostgres(db)) {
    await sql`${trigger} when ${when} begin ${statement}; end`.execute(db);
    return;
  }
  const body = statement.compile(db).sql;
  await sql`create or replace function ${sql.raw(name)}() returns trigger language plpgsql
    as ${sql.lit(`begin ${body}; return null; end`)}`.execute(db);
  await sql`${trigger} for each row when (${when}) execute function ${sql.raw(name)}()`.execute(db);
}
