/** Tables and columns are named in camelCase in the code and in snake_case in the database. */
import {
  CamelCasePlugin,
  PostgresDialect,
  PostgresQueryCompiler,
  type QueryCompiler,
  SqliteQueryCompiler,
} from "kysely";

/**
 * Kysely's plugin for results only. For a query it would copy the whole tree, which takes about as long as to make it;
 * the compilers below write the names instead.
 */
class ColumnNames extends CamelCasePlugin {
  override transformQuery({ node }: Parameters<CamelCasePlugin["transformQuery"]>[0]): typeof node {
    return node;
  }

  toStored(name: string): string {
    return this.snakeCase(name);
  }
}

/** One for all: it remembers the names that it has changed. */
export const columnNames = new ColumnNames();

export class SqliteCompiler extends SqliteQueryCompiler {
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
