/** Inserts rows. Most calls have one row, for which a statement is compiled once. */
import type { InsertQueryBuilder, InsertResult, Kysely } from "kysely";
import { splitIntoBatches } from "./batches.ts";
import type { Db, Schema } from "./schema.ts";
import { defineStatement, keepByColumns } from "./statement.ts";

type Row = { readonly [column: string]: unknown };
type OnConflict<Table extends keyof Schema> = Parameters<
  InsertQueryBuilder<Schema, Table, InsertResult>["onConflict"]
>[0];

/** Returns how many rows were inserted. */
type Insert<Table extends keyof Schema> = (db: Db, rows: readonly Schema[Table][]) => Promise<bigint>;

export function defineInsert<Table extends keyof Schema>(table: Table, onConflict?: OnConflict<Table>): Insert<Table> {
  const build = (db: Kysely<Schema>, rows: readonly object[]) => {
    const insert = db.insertInto(table).values(rows as never);
    return onConflict === undefined ? insert : insert.onConflict(onConflict);
  };
  const findInsertOfOne = keepByColumns((columns) =>
    defineStatement<Row, unknown>((db, values) =>
      build(db, [Object.fromEntries(columns.map((name) => [name, values[name]]))]),
    ),
  );
  return async (db, rows) => {
    const [first] = rows;
    if (rows.length === 1) {
      const row = first as Row;
      const inserted = await findInsertOfOne(row)(db, row);
      return inserted.numAffectedRows ?? 0n;
    }
    let count = 0n;
    for (const batch of splitIntoBatches(rows))
      count += (await db.executeQuery(build(db, batch))).numAffectedRows ?? 0n;
    return count;
  };
}
