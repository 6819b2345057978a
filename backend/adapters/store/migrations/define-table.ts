import type { ColumnDefinitionBuilder, CreateTableBuilder, Expression, Kysely } from "kysely";

type Schema = Kysely<unknown>["schema"];

/**
 * A table from its name and columns, such as `votes: slug text -> games.slug, note text?, nonce text unique`. A column is
 * `not null` unless its type ends in `?`; `key` makes it the primary key, and `->` names what it references.
 */
export const defineTable =
  (schema: Schema) =>
  (strings: TemplateStringsArray, ...values: readonly string[]): CreateTableBuilder<string, string> => {
    const [name, columns] = String.raw({ raw: strings }, ...values).split(":");
    return columns!.split(",").reduce(
      (table, column) => {
        const parts = /^(\w+) (integer|bigint|text|blob)(\?)?( key)?( unique)?(?: -> ([\w.]+))?$/.exec(column.trim())!;
        const [, key, type, isNullable, isPrimary, isUnique, reference] = parts;
        return table.addColumn(key!, type as "text", (empty) => {
          let built: ColumnDefinitionBuilder = isPrimary === undefined ? empty : empty.primaryKey();
          if (isNullable === undefined) built = built.notNull();
          if (isUnique !== undefined) built = built.unique();
          return reference === undefined ? built : built.references(reference);
        });
      },
      schema.createTable(name!) as CreateTableBuilder<string, string>,
    );
  };

/** Creates indexes of a table. A column is given as `score desc`; `where` selects the indexed rows. */
export const indexesOf =
  (schema: Schema, table: string) =>
  (name: string, columns: readonly string[], where?: Expression<unknown>, isUnique = false): Promise<void> => {
    const index = schema
      .createIndex(name)
      .on(table)
      .columns(columns as never);
    const unique = isUnique ? index.unique() : index;
    return (where === undefined ? unique : unique.where(where as never)).execute();
  };
