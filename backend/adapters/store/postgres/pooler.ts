/** Detects poolers between this process and PostgreSQL, such as PgBouncer. */
import { Client, type ClientConfig } from "pg";
import { endConnection } from "./connections.ts";

/** Longer than a pooler takes to open a connection to a busy server. */
const ANSWER_MS = 5_000;
/** A pooler may choose the same connection twice by chance. */
const ROUNDS = 3;

/** The database's URL leads to a pooler that cannot be used. The message never contains the URL. */
export class PoolerError extends Error {
  override readonly name = "PoolerError";
  readonly code = "POOLER_UNSUPPORTED";

  constructor(problem: string, next: string, options?: ErrorOptions) {
    super(`ARCADE_DATABASE_URL leads to a connection pooler (PgBouncer or another one) ${problem}; ${next}`, options);
  }
}

const createModeError = (): PoolerError =>
  new PoolerError(
    "that shares connections between transactions, where locks and notifications of a session are lost",
    "give the address of PostgreSQL itself, or of a pool in session mode (PgBouncer: pool_mode = session; Supabase: port 5432; Neon: the host name without -pooler)",
  );

async function readBackendId(client: Client): Promise<number> {
  const { rows } = await client.query<{ id: number }>("select pg_backend_pid() as id");
  return rows[0]!.id;
}

/**
 * Whether two clients that are connected at the same time share a connection, or one of them changes its connection.
 */
async function sharesConnections(first: Client, second: Client): Promise<boolean> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const own = await readBackendId(first);
    // This fails if statements share connections.
    const began = await second.query("begin").then(
      () => true,
      (error: { readonly code?: unknown }) => {
        if (error.code === undefined) throw error;
        return false;
      },
    );
    if (!began || (await readBackendId(second)) === own || (await readBackendId(first)) !== own) return true;
    await second.query("rollback");
  }
  return false;
}

/**
 * Throws `PoolerError` if the sessions of this address are not PostgreSQL sessions. Ignores an unreachable database, on
 * which the caller's next statement fails.
 */
export async function checkSessions(config: ClientConfig): Promise<void> {
  const [first, second] = [0, 1].map(() => {
    const client = new Client({ ...config, query_timeout: ANSWER_MS });
    client.on("error", () => undefined);
    return client;
  }) as [Client, Client];
  try {
    await first.connect();
    // PostgreSQL reports the process that serves a connection; a pooler reports an invented one.
    const { processID } = first as unknown as { readonly processID: number };
    if ((await readBackendId(first)) === processID) return;
    await second.connect();
    if (await sharesConnections(first, second)) throw createModeError();
  } catch (error) {
    const { message } = error as Error;
    if (/unsupported startup parameter/.test(message))
      throw new PoolerError(`that answers "${message}"`, "leave the parameter out of the URL", { cause: error });
    if (message === "Query read timeout")
      throw new PoolerError(
        `that gave no second connection within ${ANSWER_MS / 1000} s`,
        "raise its pool size: a backend keeps up to 20 connections open",
        { cause: error },
      );
    if (error instanceof PoolerError) throw error;
  } finally {
    await Promise.all([first, second].map(endConnection));
  }
}
