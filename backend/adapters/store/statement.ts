/** Statements that are compiled once: building a query by Kysely takes many times as long as SQLite's execution of it. */
import type { Compilable, CompiledQuery, Kysely } from "kysely";
import type { Schema } from "./schema.ts";

/** Stands for a value that each call brings; in the place of a value of its type. */
type Placeholders<Parameters> = { readonly [Name in keyof Parameters]: Parameters[Name] };

export type BuildStatement<Parameters, Row> = (db: Kysely<Schema>, values: Placeholders<Parameters>) => Compilable<Row>;

/** The compiled statement with the values of one call. */
export type Statement<Parameters, Row> = (values: Parameters) => CompiledQuery<Row>;

class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Compiles the statement at its first call. Everything but the values must be the same at every call. */
export function bindStatement<Parameters, Row>(
  db: Kysely<Schema>,
  build: BuildStatement<Parameters, Row>,
): Statement<Parameters, Row> {
  const placeholders = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) }) as Placeholders<Parameters>;
  let compiled: CompiledQuery<Row> | null = null;
  return (values) => {
    compiled ??= build(db, placeholders).compile();
    const parameters = compiled.parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.name as keyof Parameters] : parameter,
    );
    return { ...compiled, parameters };
  };
}
