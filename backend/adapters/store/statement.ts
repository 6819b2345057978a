/**
 * Statements that are compiled once: building a query with Kysely takes many times as long as SQLite takes to execute
 * it.
 */
import type { Compilable, CompiledQuery, Kysely, QueryResult, RawBuilder } from "kysely";
import type { Schema } from "./schema.ts";

/** Stands for a value that each call supplies; used in place of a value of its type. */
type Placeholders<Parameters> = { readonly [Name in keyof Parameters]: Parameters[Name] };

export type BuildStatement<Parameters, Row> = (
  db: Kysely<Schema>,
  values: Placeholders<Parameters>,
) => Compilable<Row> | RawBuilder<Row>;

export type Statement<Parameters, Row> = (values: Parameters) => CompiledQuery<Row>;

class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

const placeholders = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) });

function fill<Parameters, Row>(compiled: CompiledQuery<Row>, values: Parameters): CompiledQuery<Row> {
  const parameters = compiled.parameters.map((parameter) =>
    parameter instanceof Placeholder ? values[parameter.name as keyof Parameters] : parameter,
  );
  return { ...compiled, parameters };
}

/** By build function and engine: all connections of the process share them. */
const compiledStatements = new WeakMap<object, Map<unknown, CompiledQuery<unknown>>>();

function compileOnce<Parameters, Row>(db: Kysely<Schema>, build: BuildStatement<Parameters, Row>): CompiledQuery<Row> {
  const byEngine = compiledStatements.get(build) ?? new Map<unknown, CompiledQuery<unknown>>();
  compiledStatements.set(build, byEngine);
  const engine = db.getExecutor().adapter.constructor;
  const compiled = byEngine.get(engine) ?? build(db, placeholders as Placeholders<Parameters>).compile(db);
  byEngine.set(engine, compiled);
  return compiled as CompiledQuery<Row>;
}

/** Compiles the statement at its first call. Everything but the values must be the same at every call. */
export function bindStatement<Parameters, Row>(
  db: Kysely<Schema>,
  build: BuildStatement<Parameters, Row>,
): Statement<Parameters, Row> {
  let compiled: CompiledQuery<Row> | null = null;
  return (values) => {
    compiled ??= compileOnce(db, build);
    return fill(compiled, values);
  };
}

/** The same as a function of a transaction, or of the connection that `readOne` supplies. */
export function defineStatement<Parameters, Row>(
  build: BuildStatement<Parameters, Row>,
): (db: Kysely<Schema>, values: Parameters) => Promise<QueryResult<Row>> {
  return (db, values) => db.executeQuery(fill(compileOnce(db, build), values));
}

/** Caches what `make` creates for a combination of columns, of which a table has few; looked up by a row's columns. */
export function keepByColumns<T>(make: (columns: readonly string[]) => T): (row: object) => T {
  const known = new Map<string, T>();
  return (row) => {
    const columns = Object.keys(row).filter((name) => row[name as never] !== undefined);
    const key = columns.join();
    const made = known.get(key) ?? make(columns);
    known.set(key, made);
    return made;
  };
}
