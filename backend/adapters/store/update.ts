/** Updates rows. Updates that set the same columns share one statement, which is compiled once. */
import type { Kysely, UpdateQueryBuilder, UpdateResult } from "kysely";
import type { Db, Schema } from "./schema.ts";
import { defineStatement, keepByColumns } from "./statement.ts";

type Update<Table extends keyof Schema> = UpdateQueryBuilder<Schema, Table, Table, UpdateResult>;

/** Returns how many rows were changed. */
type RunUpdate<Table extends keyof Schema, Keys> = (
  db: Db,
  keys: Keys,
  changes: Partial<Schema[Table]>,
) => Promise<bigint>;

/** The name of a value to set; the same column may also be used to find rows. */
const toNew = (column: string): string => `new ${column}`;

/** The update of a table's rows; `where`: the rows to change, by values that each call supplies. */
export function defineUpdate<Table extends keyof Schema, Keys extends object>(
  table: Table,
  where: (update: Update<Table>, keys: Keys) => Update<Table>,
): RunUpdate<Table, Keys> {
  const findUpdate = keepByColumns((columns) =>
    defineStatement<{ readonly [name: string]: unknown }, unknown>((db: Kysely<Schema>, values) => {
      const changes = Object.fromEntries(columns.map((column) => [column, values[toNew(column)]]));
      const update = db.updateTable(table) as unknown as { set(values: object): Update<Table> };
      return where(update.set(changes), values as Keys);
    }),
  );
  return async (db, keys, changes) => {
    const values = Object.entries(changes).map(([column, value]) => [toNew(column), value]);
    const result = await findUpdate(changes)(db, { ...keys, ...Object.fromEntries(values) });
    return result.numAffectedRows ?? 0n;
  };
}
