/** Opens the store as its only backend, or waits for that as a standby. Part of the composition root. */
import type { Server } from "node:http";
import { hostname } from "node:os";
import { listen } from "../adapters/node/listen.ts";
import { openStore } from "../adapters/store/open-store.ts";
import { findSqliteFile } from "../adapters/store/sqlite-file.ts";
import { createStandbyServer } from "../http/server/standby.ts";
import type { Store } from "../ports/store/store.ts";
import type { Clock } from "../ports/system.ts";
import type { AppOptions } from "./app-options.ts";

export interface OwnedStore {
  readonly store: Store;
  /** The port that the standby listened on and has released; null if it did not wait. */
  readonly standbyPort: number | null;
}

/**
 * On SQLite one backend works on a database, and a second one waits as its standby. On PostgreSQL backends with
 * `ARCADE_NATS_URL` share it, and one without rejects all others: throws `DatabaseInUseError`. `onLost` is called when
 * another backend may have taken over: this process must stop then.
 */
export async function openOwnedStore(
  { config, log }: AppOptions,
  clock: Clock,
  onLost: () => void,
): Promise<OwnedStore> {
  const { databaseUrl, natsUrl, port, roles } = config;
  const onMigration = (migration: string): void => log.info({ migration }, "migrating the database");
  if (findSqliteFile(databaseUrl) === null) {
    const takesSingletons = roles.includes("chain");
    // For people who read the table of nodes: the public URL is the same for all of them. Port 0: any free one.
    const url = `http://${hostname()}:${port}/#${process.pid}`;
    const node = { clock, log, url, isExclusive: natsUrl === null, takesSingletons, onLost };
    return { store: await openStore({ databaseUrl, node, onMigration }), standbyPort: null };
  }
  let reason = "";
  let standby: { readonly server: Server; readonly port: Promise<number> } | null = null;
  const startStandby = (): NonNullable<typeof standby> => {
    const server = createStandbyServer(() => reason);
    const whenBusy = config.portIsSet ? "fail" : "next";
    const { host } = config;
    const listening = listen(server, { port, host, whenBusy, portVariable: "ARCADE_PORT" });
    listening.then(
      (listeningPort) => log.warn({ reason, port: listeningPort }, "waiting as the standby of another backend"),
      // The other backend uses the port, as in a restart on one machine; it is free once that backend has ended.
      (error: unknown) => log.warn({ reason, err: error }, "waiting as the standby of another backend, without a port"),
    );
    return { server, port: listening.catch(() => port) };
  };
  const onWait = ({ owner, processId }: { readonly owner: string | null; readonly processId: number }): void => {
    reason = `another backend (process ${processId}, run ${owner}) works on this database; this one takes over when it ends`;
    standby ??= startStandby();
  };
  const store = await openStore({
    databaseUrl,
    lease: { clock, log, onWait, onLost },
    onMigration,
  });
  // Assigned in a callback, which the type checker does not follow.
  const waited = standby as { readonly server: Server; readonly port: Promise<number> } | null;
  if (waited === null) return { store, standbyPort: null };
  const standbyPort = await waited.port;
  const closed = new Promise<void>((resolve) => waited.server.close(() => resolve()));
  waited.server.closeAllConnections();
  await closed;
  log.info({}, "took over the database from another backend");
  return { store, standbyPort };
}
