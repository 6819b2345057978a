/** What an operator reads if the database cannot be opened. */
import { Client, DatabaseError } from "pg";

/** By the code and message of the cause. */
const REMEDIES: readonly (readonly [cause: RegExp, remedy: string])[] = [
  [/^(ENOTFOUND|EAI_AGAIN)/, "correct the name of the host, or this machine's DNS"],
  [/^E\w+ connect|^57P03|timeout|timed out/, "start PostgreSQL there, or correct host and port"],
  [/^28/, "correct user and password (special characters as %XX), or the server's pg_hba.conf"],
  [/^3D000/, "create it, in UTF-8, with this user as its owner"],
  [/^(42501|3F000)/, "make this user the owner of the database and of a schema in its search_path"],
  [/^25006/, "use the address of the primary server, and a user without default_transaction_read_only"],
  [/^53300/, "raise max_connections or the role's limit: a backend keeps up to 20 connections open"],
  [/SSL|TLS|certificate/i, "set sslmode in the URL (disable; no-verify accepts any certificate), or sslrootcert=FILE"],
  [/^08|ECONNRESET|Connection terminated/, "correct host and port: another program may answer there"],
];

/** Adds what was expected and what to do to an error of opening a database; returns other errors unchanged. */
export function explainOpening(error: unknown, databaseUrl: string): unknown {
  if (!(error instanceof Error)) return error;
  const cause = error.cause instanceof Error ? error.cause : error;
  const code = "code" in cause ? String(cause.code) : "";
  const remedy = REMEDIES.find(([pattern]) => pattern.test(`${code} ${cause.message}`.trim()))?.[1];
  if (remedy === undefined && !(cause instanceof DatabaseError)) return error;
  const { host, port, database, user } = new Client({ connectionString: databaseUrl });
  const place = `${database} at ${host}${host.startsWith("/") ? "" : `:${port}`}`;
  const received = `${cause.message || "no connection"}${code === "" ? "" : ` (${code})`}`;
  error.message = `Expected the PostgreSQL database ${place}, which ${user} can open and change; received: ${received}`;
  if (remedy !== undefined) error.message += `; ${remedy}`;
  return error;
}
