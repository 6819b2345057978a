/** Inserts of rows: one row, as most calls have, takes a statement that is compiled once. */
import type { InsertQueryBuilder, InsertResult, Kysely } from "kysely";
import { splitIntoBatches } from "./batches.ts";
import type { Db, Schema } from "./schema.ts";
import { defineStatement } from "./statement.ts";

type Row = { readonly [column: string]: unknown };
type InsertOne = ReturnType<typeof defineStatement<Row, unknown>>;
type OnConflict<Table extends keyof Schema> = Parameters<
  InsertQueryBuilder<Schema, Table, InsertResult>["onConflict"]
>[0];

/** Returns how many rows were inserted. */
type Insert<Table extends keyof Schema> = (db: Db, rows: readonly Schema[Table][]) => Promise<bigint>;

/** The insert of a table's rows. */
export function defineInsert<Table extends keyof Schema>(table: Table, onConflict?: OnConflict<Table>): Insert<Table> {
  const build = (db: Kysely<Schema>, rows: readonly object[]) => {
    const insert = db.insertInto(table).values(rows as never);
    return onConflict === undefined ? insert : insert.onConflict(onConflict);
  };
  /** By the names of the columns, of which a table has few combinations. */
  const insertsOfOne = new Map<string, InsertOne>();
  const findInsertOfOne = (columns: readonly string[]): InsertOne => {
    const known = insertsOfOne.get(columns.join());
    if (known !== undefined) return known;
    const insert = defineStatement<Row, unknown>((db, values) =>
      build(db, [Object.fromEntries(columns.map((name) => [name, values[name]]))]),
    );
    insertsOfOne.set(columns.join(), insert);
    return insert;
  };
  return async (db, rows) => {
    const [first] = rows;
    if (rows.length === 1) {
      const row = first as Row;
      const columns = Object.keys(row).filter((name) => row[name] !== undefined);
      const inserted = await findInsertOfOne(columns)(db, row);
      return inserted.numAffectedRows ?? 0n;
    }
    let count = 0n;
    for (const batch of splitIntoBatches(rows))
      count += (await db.executeQuery(build(db, batch))).numAffectedRows ?? 0n;
    return count;
  };
}
