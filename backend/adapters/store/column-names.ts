/** Tables and columns are named in camelCase in the code and in snake_case in the database. */
import {
  CamelCasePlugin,
  PostgresDialect,
  PostgresQueryCompiler,
  type QueryCompiler,
  type QueryResult,
  SqliteQueryCompiler,
} from "kysely";

/**
 * Kysely's plugin, for results only. For a query it would copy the whole tree, which takes about as long as building
 * it; the compilers below write the names instead.
 */
class ColumnNames extends CamelCasePlugin {
  override transformQuery({ node }: Parameters<CamelCasePlugin["transformQuery"]>[0]): typeof node {
    return node;
  }

  toStored(name: string): string {
    return this.snakeCase(name);
  }

  /**
   * Like `transformResult`, but synchronous: all rows of a result have the same columns, and no column holds objects.
   */
  rename<Row>(result: QueryResult<Row>): QueryResult<Row> {
    const [first] = result.rows;
    if (first === undefined) return result;
    const columns = Object.keys(first as object).map((stored) => ({ stored, name: this.camelCase(stored) }));
    const rename = (row: Row): Row => {
      const renamed: Record<string, unknown> = {};
      for (const { stored, name } of columns) renamed[name] = row[stored as keyof Row];
      return renamed as Row;
    };
    return { ...result, rows: result.rows.map(rename) };
  }
}

/** Shared, since it caches converted names. */
export const columnNames = new ColumnNames();

export class SqliteCompiler extends SqliteQueryCompiler {
  /**
   * The plus does not change the value. Without it SQLite 3.54 prepares a statement that sorts or has a limit again for
   * each call, since another plan could be better for other values; that takes several times as long as executing it.
   */
  protected override getCurrentParameterPlaceholder(): string {
    return "+?";
  }

  protected override sanitizeIdentifier(name: string): string {
    return super.sanitizeIdentifier(columnNames.toStored(name));
  }
}

class PostgresCompiler extends PostgresQueryCompiler {
  protected override sanitizeIdentifier(name: string): string {
    return super.sanitizeIdentifier(columnNames.toStored(name));
  }
}

export class NamedPostgresDialect extends PostgresDialect {
  override createQueryCompiler(): QueryCompiler {
    return new PostgresCompiler();
  }
}
