/** Connections to PostgreSQL whose other end may disappear silently. */
import { type Client, Pool, type PoolClient, type PoolConfig } from "pg";

/** A connection that has not ended after this time is cut. */
const CLOSE_MS = 1_000;
/** How long a new connection may take for its first statements. */
const CONNECT_MS = 5_000;

/** Cuts a connection at once: its statement fails as if the connection had broken. */
function cutConnection({ connection }: Pick<Client, "connection">): void {
  const error = new Error("the database did not answer in time, and its connection was cut");
  connection.stream.destroy(Object.assign(error, { code: "ETIMEDOUT" }));
}

/**
 * Waits for the response to a statement, and cuts its connection after `ms`. A response that arrived while this thread
 * was busy is still accepted: the timer lets the event loop read it first.
 */
export async function waitForAnswer<T>(client: Pick<Client, "connection">, ms: number, answer: Promise<T>): Promise<T> {
  let cutting: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    cutting = setImmediate(() => cutConnection(client));
  }, ms);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
    clearImmediate(cutting);
  }
}

/** Cuts a connection that does not end within `CLOSE_MS`. */
function cutLater(client: PoolClient): void {
  const timer = setTimeout(() => cutConnection(client), CLOSE_MS);
  client.once("end", () => clearTimeout(timer));
}

/** Ends a connection even if its server does not respond. The client needs an error listener. */
export async function endConnection(client: Client): Promise<void> {
  const timer = setTimeout(() => cutConnection(client), CLOSE_MS);
  await client.end().catch(() => undefined);
  clearTimeout(timer);
}

/** PostgreSQL session settings by name. */
export type SessionSettings = { readonly [name: string]: number };

/** Set by statements, since poolers reject most connection parameters. A server that lacks a setting ignores it. */
async function applySettings(client: PoolClient, settings: SessionSettings): Promise<void> {
  for (const [name, value] of Object.entries(settings))
    await client.query(`set ${name} = ${value}`).catch(() => undefined);
}

const standbyClients = new WeakSet<PoolClient>();

/**
 * Whether the server accepted no writes when this connection was opened. Don't keep it: after a failover a host's name
 * leads to the former primary server for a while, where reads succeed.
 */
export const isOfStandby = (client: PoolClient): boolean => standbyClients.has(client);

async function prepare(client: PoolClient, settings: SessionSettings): Promise<void> {
  await applySettings(client, settings);
  const { rows } = await client.query<{ transaction_read_only: string }>("show transaction_read_only");
  if (rows[0]?.transaction_read_only === "on") standbyClients.add(client);
}

/**
 * A pool that replaces broken connections at their next use; one that breaks in use fails its query. Close it by `end`,
 * which waits for the connections in use.
 */
export function openPool(
  config: PoolConfig,
  settings: SessionSettings = {},
): { readonly pool: Pool; end(): Promise<void> } {
  const { connectionTimeoutMillis: connectMs = CONNECT_MS } = config;
  const pool = new Pool({
    ...config,
    allowExitOnIdle: true,
    // The pool's own timeout ends before.
    verify: (client, done) => void waitForAnswer(client, connectMs, prepare(client, settings)).then(() => done(), done),
  });
  const idle = new Set<PoolClient>();
  // Without these listeners an error would end the process: the pool's is for idle connections, the client's for those
  // in use.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  pool.on("acquire", (client) => idle.delete(client));
  pool.on("release", (_, client) => {
    if (pool.ending) cutLater(client);
    else idle.add(client);
  });
  pool.on("remove", (client) => idle.delete(client));
  return {
    pool,
    async end() {
      // The pool itself waits only for connections in use.
      for (const client of idle) cutLater(client);
      await pool.end();
    },
  };
}
