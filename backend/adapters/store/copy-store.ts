/** Copies the rows of a SQLite store into an empty one on PostgreSQL, and compares the two. */
import { createHash } from "node:crypto";
import Database from "better-sqlite3";
import { Client } from "pg";
import { BATCH_ROWS } from "./batches.ts";
import { toClientConfig } from "./postgres/pool.ts";
import { findSqliteFile } from "./sqlite-file.ts";

/** The copy failed, and the target is unchanged; the message contains the reason. */
export class StoreCopyError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "StoreCopyError";
  }
}

/** The number of rows of one table, and the sum of their digests, which does not depend on their order. */
export interface TableFacts {
  readonly table: string;
  readonly rows: number;
  readonly digest: string;
}

/** Tables about the processes of a database, and the migrations' own tables. */
const NOT_COPIED: ReadonlySet<string> = new Set(["leases", "nodes", "kysely_migration", "kysely_migration_lock"]);
/** Copied first, since other tables reference their rows. */
const FIRST_TABLES: readonly string[] = ["sessions"];
const DIGEST_RANGE = 2n ** 256n;

type Row = readonly unknown[];
interface Table {
  readonly name: string;
  readonly columns: readonly string[];
}

/** The counts and digests of rows that are added one by one. */
class RowSum {
  #rows = 0;
  #sum = 0n;

  add(row: Row): void {
    const values = row.map((value) => (Buffer.isBuffer(value) ? { bytes: value.toString("base64") } : value));
    const digest = createHash("sha256").update(JSON.stringify(values)).digest("hex");
    this.#rows += 1;
    this.#sum = (this.#sum + BigInt(`0x${digest}`)) % DIGEST_RANGE;
  }

  toFacts(table: string): TableFacts {
    return { table, rows: this.#rows, digest: this.#sum.toString(16).padStart(64, "0") };
  }
}

const quote = (name: string): string => `"${name}"`;
const quoteAll = (names: readonly string[]): string => names.map(quote).join(", ");

function listTables(source: Database.Database): readonly Table[] {
  const names = source
    .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name")
    .pluck()
    .all() as string[];
  const copied = names.filter((name) => !NOT_COPIED.has(name));
  const ordered = [...FIRST_TABLES, ...copied.filter((name) => !FIRST_TABLES.includes(name))];
  return ordered.map((name) => ({
    name,
    columns: source.prepare(`select name from pragma_table_info(?) order by name`).pluck().all(name) as string[],
  }));
}

async function insertRows(target: Client, { name, columns }: Table, rows: readonly Row[]): Promise<void> {
  const places = rows.map(
    (_, index) => `(${columns.map((__, column) => `$${index * columns.length + column + 1}`).join(", ")})`,
  );
  await target.query({
    text: `insert into ${quote(name)} (${quoteAll(columns)}) values ${places.join(", ")}`,
    values: rows.flat(),
  });
}

/** Copies one table in batches; returns the facts of the rows read. */
async function copyRows(source: Database.Database, target: Client, table: Table): Promise<TableFacts> {
  const sum = new RowSum();
  let batch: Row[] = [];
  for (const row of source
    .prepare(`select ${quoteAll(table.columns)} from ${quote(table.name)}`)
    .raw()
    .iterate()) {
    sum.add(row as Row);
    batch.push(row as Row);
    if (batch.length < BATCH_ROWS) continue;
    await insertRows(target, table, batch);
    batch = [];
  }
  if (batch.length > 0) await insertRows(target, table, batch);
  return sum.toFacts(table.name);
}

/** Reads the facts of one table from the target, in batches. */
async function readFacts(target: Client, { name, columns }: Table): Promise<TableFacts> {
  const sum = new RowSum();
  await target.query(`declare copied no scroll cursor for select ${quoteAll(columns)} from ${quote(name)}`);
  for (;;) {
    const { rows } = await target.query<unknown[]>({ text: `fetch ${BATCH_ROWS} from copied`, rowMode: "array" });
    for (const row of rows) sum.add(row);
    if (rows.length < BATCH_ROWS) break;
  }
  await target.query("close copied");
  return sum.toFacts(name);
}

async function assertEmpty(target: Client, { name }: Table): Promise<void> {
  const { rows } = await target.query(`select 1 from ${quote(name)} limit 1`);
  if (rows.length > 0) throw new StoreCopyError(`The target has rows in ${name} already; give an empty database.`);
}

async function copyTable(source: Database.Database, target: Client, table: Table): Promise<TableFacts> {
  const { name } = table;
  await assertEmpty(target, table);
  // The rows that triggers write are copied as well.
  await target.query(`alter table ${quote(name)} disable trigger user`);
  const read = await copyRows(source, target, table);
  const written = await readFacts(target, table);
  await target.query(`alter table ${quote(name)} enable trigger user`);
  if (written.rows !== read.rows)
    throw new StoreCopyError(`${name} has ${read.rows} rows, and ${written.rows} in the copy; nothing was copied.`);
  if (written.digest !== read.digest)
    throw new StoreCopyError(`The rows of ${name} differ in the copy; nothing was copied.`);
  return read;
}

/**
 * Copies every table in one transaction of the target, whose tables must exist and be empty, and compares the number
 * and digest of each table's rows. Nothing may write to either database during the copy. Throws `StoreCopyError`.
 */
export async function copyToPostgres(sourceUrl: string, targetUrl: string): Promise<readonly TableFacts[]> {
  const source = new Database(findSqliteFile(sourceUrl)!, { readonly: true, fileMustExist: true });
  const target = new Client(toClientConfig(targetUrl));
  target.on("error", () => undefined);
  try {
    await target.connect();
    await target.query("begin");
    const facts: TableFacts[] = [];
    for (const table of listTables(source)) facts.push(await copyTable(source, target, table));
    await target.query("commit");
    return facts;
  } finally {
    source.close();
    await target.end();
  }
}
