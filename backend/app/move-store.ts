/**
 * Starts a new store for another deployment or chain, and keeps the old one as a file. Part of the composition root.
 */
import { rmSync } from "node:fs";
import { BackupError, backUpDatabase, freeLease, replaceDatabase } from "../adapters/store/backup.ts";
import { openStore } from "../adapters/store/open-store.ts";
import { findSqliteFile } from "../adapters/store/sqlite-file.ts";
import type { Deployment } from "../ports/chain.ts";
import type { AuditStamp } from "../ports/store/admin.ts";
import type { DeploymentKey } from "../ports/store/deployment.ts";
import type { Store } from "../ports/store/store.ts";
import { claimStore } from "./check-unit.ts";
import { holdDatabase } from "./restore-backup.ts";

/** The contents of a store before it is moved. */
export interface MovedContents {
  /** Null if no service has started on the store. */
  readonly deployment: DeploymentKey | null;
  readonly scoresOnChain: number;
  readonly payouts: number;
  readonly openPayouts: number;
  readonly openSessions: number;
}

export async function readContents(store: Store): Promise<MovedContents> {
  const block = (await store.chain.getCursor())?.number ?? 0;
  const totals = await store.chain.getTotals({ block, sinceSeconds: 0 });
  return {
    deployment: await store.deployment.find(),
    scoresOnChain: totals.snapshots,
    payouts: totals.payouts,
    openPayouts: (await store.payouts.summarizeOpen()).count,
    openSessions: (await store.sessions.listOpen()).length,
  };
}

/**
 * Replaces the store with an empty one for this deployment, and keeps the old one beside it; returns that file. The
 * service must be stopped. Throws `BackupError`, also on PostgreSQL; nothing changes then.
 */
export async function moveStore(
  databaseUrl: string,
  { deployment, stamp }: { readonly deployment: Deployment; readonly stamp: AuditStamp },
): Promise<string> {
  const path = findSqliteFile(databaseUrl);
  if (path === null)
    throw new BackupError(
      "The store is on PostgreSQL: create an empty database, set ARCADE_DATABASE_URL to it, and keep the old one as the archive.",
    );
  const held = await holdDatabase(databaseUrl);
  const suffix = new Date(stamp.atMs).toISOString().replace(/[:.]/g, "-");
  const newFile = `${path}.moving-${suffix}`;
  try {
    const store = await openStore({ databaseUrl: `sqlite:${newFile}` });
    await claimStore(store, deployment);
    const archive = `${path}.before-move-${suffix}`;
    const change = { before: JSON.stringify({ archive }), after: JSON.stringify({ rewards: deployment.rewards }) };
    await store.operator.addAuditRow({ ...stamp, action: "store.move", subject: "store", ...change });
    await store.close();
    freeLease(newFile, held.epoch);
    await backUpDatabase(databaseUrl, archive);
    await replaceDatabase(databaseUrl, newFile);
    return archive;
  } finally {
    for (const end of ["", "-wal", "-shm", "-journal"]) rmSync(newFile + end, { force: true });
    await held.store.close();
  }
}
