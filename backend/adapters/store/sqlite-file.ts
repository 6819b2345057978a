/** The file of a database URL. */
import { resolve } from "node:path";

/** The file of `sqlite:PATH`; null for databases on a server. */
export const findSqliteFile = (databaseUrl: string): string | null =>
  databaseUrl.startsWith("sqlite:") ? resolve(databaseUrl.slice("sqlite:".length)) : null;

/** By SQLite's code. */
const REMEDIES: readonly (readonly [code: RegExp, remedy: string])[] = [
  [/^SQLITE_NOTADB/, "it is another program's file, or encrypted; set the path of another one"],
  [/^SQLITE_CORRUPT/, "it is damaged; restore the last backup (npm run admin -- restore FILE)"],
  [/^SQLITE_(CANTOPEN|READONLY|IOERR)/, "make this user the owner of it and of the files beside it (-wal, -shm)"],
  [/^SQLITE_FULL/, "make room on its disk"],
];

/** Adds the file and what to do to an error of opening a database of SQLite; returns other errors unchanged. */
export function explainOpening(error: unknown, databaseUrl: string): unknown {
  if (!(error instanceof Error)) return error;
  const cause = error.cause instanceof Error ? error.cause : error;
  const code = "code" in cause ? String(cause.code) : "";
  const remedy = REMEDIES.find(([pattern]) => pattern.test(code))?.[1];
  if (remedy !== undefined)
    error.message = `Expected a SQLite database in ${findSqliteFile(databaseUrl)}; received: ${cause.message} (${code}); ${remedy}`;
  return error;
}
