/** When tables were last written. */
import type Database from "better-sqlite3";

const WRITES = /^\s*(?:with|insert|replace|update|delete)\s/i;
/** Not the `update set` of an `on conflict`, and not the `update skip` of a `for update skip locked`. */
const WRITTEN_TABLE =
  /\b(?:insert(?:\s+or\s+\w+)?\s+into|replace\s+into|update(?!\s+(?:set|skip)\b)|delete\s+from)\s+"?(\w+)/gi;

/** By the text of a statement: each connection of the process asks for the same ones. */
const writtenTables = new Map<string, readonly string[]>();
const KEPT_MAX = 1_000;

/** The tables that a statement writes, also in its common table expressions; none for all other statements. */
export function findWrittenTables(sql: string): readonly string[] {
  const known = writtenTables.get(sql);
  if (known !== undefined) return known;
  const tables = WRITES.test(sql)
    ? [...new Set(Array.from(sql.matchAll(WRITTEN_TABLE), ([, table]) => table!.toLowerCase()))]
    : [];
  if (writtenTables.size === KEPT_MAX) writtenTables.clear();
  writtenTables.set(sql, tables);
  return tables;
}

/** A version of each table, which grows with each committed write of this connection and each commit of another one. */
export class TableVersions {
  readonly #database: Database.Database;
  readonly #readDataVersion: Database.Statement<[], number>;
  readonly #versions = new Map<string, number>();
  /** Tables that the open transaction has written; null is one that is not known by name. */
  readonly #written = new Set<string | null>();
  #dataVersion: number;
  /** Part of every table's version: counts writes of tables without a known name, and commits of other connections. */
  #commonVersion = 0;
  /** Whether other connections were asked for in this turn of the event loop. */
  #isChecked = false;

  constructor(database: Database.Database) {
    this.#database = database;
    // https://www.sqlite.org/pragma.html#pragma_data_version: it differs after a commit of another connection.
    this.#readDataVersion = database.prepare<[], number>("pragma data_version").pluck();
    this.#dataVersion = this.#readDataVersion.get()!;
  }

  /** Call it just before a statement that writes; without tables where they are not known by name. */
  add(tables: readonly string[]): void {
    if (tables.length === 0) this.#written.add(null);
    for (const table of tables) this.#written.add(table);
    if (!this.#database.inTransaction) this.commit();
  }

  /**
   * Call it just before a commit, in the same turn of the event loop: who reads a version then has either the rows before
   * the commit with the version before it, or the new rows.
   */
  commit(): void {
    for (const table of this.#written) {
      if (table === null) this.#commonVersion += 1;
      else this.#versions.set(table, (this.#versions.get(table) ?? 0) + 1);
    }
    this.#written.clear();
  }

  /**
   * The common version of some tables (`snake_case`). A commit of this connection is in it at once, one of another
   * connection from the next turn of the event loop on: to ask takes as long as a read.
   */
  get(tables: readonly string[]): number {
    if (!this.#isChecked) this.#checkOtherConnections();
    let version = this.#commonVersion;
    for (const table of tables) version += this.#versions.get(table) ?? 0;
    return version;
  }
  #checkOtherConnections(): void {
    this.#isChecked = true;
    setImmediate(() => {
      this.#isChecked = false;
    });
    const dataVersion = this.#readDataVersion.get()!;
    if (dataVersion === this.#dataVersion) return;
    this.#dataVersion = dataVersion;
    this.#commonVersion += 1;
  }
}
