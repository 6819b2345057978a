/** Restores a backup so that nothing counts twice on chain. Part of the composition root. */
import { existsSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { Hex } from "viem";
import { ArcadeError } from "../../domain/errors.ts";
import { REFUSAL_ACTION } from "../../domain/operator-policy.ts";
import type { RewardsChain } from "../../domain/replay/build-replay.ts";
import { startIndexer } from "../adapters/chain/indexer/indexer.ts";
import { createRpc, type Rpc } from "../adapters/chain/rpc.ts";
import { makeDataFolder } from "../adapters/node/data-folder.ts";
import { BackupError, backUpDatabase, checkBackup, freeLease, replaceDatabase } from "../adapters/store/backup.ts";
import { DatabaseInUseError } from "../adapters/store/nodes/node-lease.ts";
import { openStore } from "../adapters/store/open-store.ts";
import { findSqliteFile } from "../adapters/store/sqlite-file.ts";
import { systemClock } from "../adapters/system/clock.ts";
import { createRecordedEnd, toGameSessionHash } from "../live/outcome.ts";
import type { Deployment } from "../ports/chain.ts";
import type { AuditRow, AuditStamp, OperatorStore } from "../ports/store/admin.ts";
import type { Store } from "../ports/store/store.ts";
import type { Log } from "../ports/system.ts";
import { checkChain, checkDeployment, claimStore, createBlockReader } from "./check-unit.ts";

const INDEXER_POLL_MS = 250;
/** How long the restore waits for another step of the indexer before it gives up. */
const INDEXER_STALL_MS = 20_000;

interface SettleOptions {
  readonly databaseUrl: string;
  readonly rpcUrl: string;
  readonly deployment: Deployment;
  readonly stamp: AuditStamp;
  readonly log: Log;
}

export interface RestoreOptions extends SettleOptions {
  /** The backup; it is not modified. */
  readonly file: string;
}

export interface SettleRestoredOptions extends SettleOptions {
  /** The old database, which is migrated too; null if it no longer exists. */
  readonly replacedUrl: string | null;
}

export interface SettleResult {
  /** Sessions that were open in the backup and are now ended without a score that counts. */
  readonly closedSessions: number;
  /** The block up to which the chain's snapshots and payouts are in the store. */
  readonly block: number;
  /** Decisions on scores and listings that the operator made after the backup, and that were repeated. */
  readonly repeatedChanges: number;
  /** Other manual changes after the backup, oldest first; these are lost. */
  readonly lostChanges: readonly Pick<AuditRow, "action" | "subject">[];
}

export interface RestoreResult extends SettleResult {
  /** The copy of the database that was replaced; null if there was none. */
  readonly replacedFile: string | null;
}

/**
 * Replaces the database with a backup. The service must be stopped. First reads every snapshot from the chain, so that
 * each wallet's next sequence is above all used ones. Sessions open in the backup may have been counted since, so they
 * end with `server_restart` and their scores are forfeited. The operator's later decisions against scores and listings
 * are repeated. Throws `BackupError`, and `CHAIN_UNAVAILABLE` if the chain cannot be read; then nothing is changed.
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoreResult> {
  const { databaseUrl, file } = options;
  const path = findSqliteFile(databaseUrl);
  if (path === null)
    throw new BackupError("The store is on PostgreSQL; use pg_restore, then `store settle` (docs/operating.md).");
  checkBackup(file);
  makeDataFolder(dirname(path));
  const held = existsSync(path) ? await holdDatabase(databaseUrl) : null;
  const suffix = new Date(options.stamp.atMs).toISOString().replace(/[:.]/g, "-");
  const copyFile = `${path}.restoring-${suffix}`;
  try {
    await backUpDatabase(`sqlite:${file}`, copyFile);
    const settled = await settle(`sqlite:${copyFile}`, held?.store ?? null, options, file);
    freeLease(copyFile, held?.epoch ?? 0);
    const replacedFile = held === null ? null : `${path}.before-restore-${suffix}`;
    if (replacedFile !== null) await backUpDatabase(databaseUrl, replacedFile);
    await replaceDatabase(databaseUrl, copyFile);
    return { ...settled, replacedFile };
  } finally {
    for (const end of ["", "-wal", "-shm", "-journal"]) rmSync(copyFile + end, { force: true });
    await held?.store.close();
  }
}

/** Holds the lease of the current database, so that no service starts during the command. */
export async function holdDatabase(databaseUrl: string): Promise<{ readonly store: Store; readonly epoch: number }> {
  let epoch = 0;
  // The restored lease is free, so losing this one at the end is expected.
  const ignore = (): void => undefined;
  const log: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  const store = await openStore({
    databaseUrl,
    lease: {
      clock: systemClock,
      log,
      onTaken: (fence) => {
        epoch = fence.epoch;
      },
      onWait: ({ processId }) => {
        throw new BackupError(`The service works on this database (process ${processId}); stop it first.`);
      },
    },
  });
  return { store, epoch };
}

/** A database's address, regardless of the user. */
function toPlace(databaseUrl: string): string {
  const { hostname, port, pathname, search } = URL.parse(databaseUrl) ?? {};
  return [hostname, port || "5432", pathname, search].join(" ");
}

/**
 * Does the same for a database that PostgreSQL's own tools have restored. No backend may work on it. Throws
 * `BackupError`, and `CHAIN_UNAVAILABLE` if the chain cannot be read; repeat the command then.
 */
export async function settleRestored(options: SettleRestoredOptions): Promise<SettleResult> {
  const { databaseUrl, replacedUrl, log } = options;
  if (findSqliteFile(databaseUrl) !== null)
    throw new BackupError("The store is a file of SQLite; `npm run admin -- restore FILE` does all of this.");
  if (replacedUrl !== null && toPlace(replacedUrl) === toPlace(databaseUrl))
    throw new BackupError("--replaced: expected the database before, received the restored one.");
  const node = { clock: systemClock, log, url: null, isExclusive: true };
  const holder = await openStore({ databaseUrl, node }).catch((error: unknown) => {
    if (error instanceof DatabaseInUseError)
      throw new BackupError("A backend works on this database; stop all of them first.");
    throw error;
  });
  try {
    const replaced = replacedUrl === null ? null : await openStore({ databaseUrl: replacedUrl });
    try {
      return await settle(databaseUrl, replaced, options, "PostgreSQL");
    } finally {
      await replaced?.close();
    }
  } finally {
    await holder.close();
  }
}

/** Prepares a restored store for service. `replaced`: the store that it replaces, if any. */
async function settle(
  databaseUrl: string,
  replaced: Store | null,
  { rpcUrl, deployment, stamp, log }: SettleOptions,
  source: string,
): Promise<SettleResult> {
  const store = await openStore({ databaseUrl });
  try {
    const rpc = createRpc({ rpcUrl, chainId: deployment.chainId, clock: systemClock });
    if (replaced !== null) await checkDeployment(replaced, deployment);
    await claimStore(store, deployment);
    await checkChain(store, createBlockReader(rpc), { chainId: deployment.chainId, check: "restore" });
    if (replaced !== null) await checkSignaturesAreOver(replaced, rpc);
    const block = await readChain(store, rpcUrl, deployment, log);
    const closedSessions = await closeOpenSessions(store, deployment, stamp.atMs);
    const changes = replaced === null ? [] : await listLaterChanges(replaced, store);
    const lostChanges = await repeatChanges(store.operator, changes);
    await store.operator.addAuditRow({
      ...stamp,
      action: "store.restore",
      subject: "store",
      before: null,
      after: JSON.stringify({ file: source, block, closedSessions }),
    });
    return { closedSessions, block, repeatedChanges: changes.length - lostChanges.length, lostChanges };
  } finally {
    await store.close();
  }
}

/**
 * Throws `BackupError` while an earlier signature can still bring a score on chain that the restored service may sign
 * again.
 */
async function checkSignaturesAreOver({ sessions }: Store, rpc: Rpc): Promise<void> {
  const deadline = await sessions.getLastDeadline();
  if (deadline === null) return;
  const head = await rpc.withDeadline((client) => client.getBlock());
  // The next block of an idle chain has the current time.
  const seconds = deadline - Math.max(Number(head.timestamp), rpc.getUnixSeconds());
  if (seconds < 0) return;
  throw new BackupError(
    `The service has signed a score that can still come on chain until ${new Date(deadline * 1000).toISOString()}; run the same command again after that (in ${seconds + 1} s).`,
  );
}

/** Stores the contracts' events up to the chain's head, and returns its number. */
async function readChain(store: Store, rpcUrl: string, deployment: Deployment, log: Log): Promise<number> {
  const clock = systemClock;
  const rpc = createRpc({ rpcUrl, chainId: deployment.chainId, clock });
  const head = await rpc.withDeadline(async (client) => Number(await client.getBlockNumber()));
  const options = { rpc, deployment, store: store.chain, clock, pollMs: INDEXER_POLL_MS, confirmations: 0, log };
  const indexer = startIndexer({ ...options, mayWrite: () => true });
  try {
    for (let followed: number | null = null; !(await indexer.waitForBlock(head, INDEXER_STALL_MS)); ) {
      const { followed: next } = indexer.status();
      if (next === followed)
        throw new ArcadeError("CHAIN_UNAVAILABLE", "The chain's events cannot be read; nothing was restored.");
      followed = next;
    }
    return head;
  } finally {
    await indexer.stop();
  }
}

/**
 * Ends the sessions that were open in a backup, without a score that counts; a repeated call continues with the rest.
 */
export async function closeOpenSessions(
  { sessions }: Pick<Store, "sessions">,
  deployment: RewardsChain,
  atMs: number,
): Promise<number> {
  const open = await sessions.listOpen();
  for (const row of open) {
    const ended = createRecordedEnd(row, await sessions.getRecording(row.sessionId), atMs);
    const toHash = (sequence: bigint): Hex => toGameSessionHash(deployment, row, ended, sequence);
    await sessions.end({ ...ended, isForfeited: true }, toHash);
  }
  return open.length;
}

/** Manual changes since the backup was made, oldest first. */
async function listLaterChanges(replaced: Store, backup: Store): Promise<readonly AuditRow[]> {
  const listAll = ({ operator }: Store) => operator.listAudit({ subject: null, limit: Number.MAX_SAFE_INTEGER });
  const known = new Set((await listAll(backup)).map(({ auditId }) => auditId));
  const isLater = ({ auditId, action }: AuditRow): boolean => action !== REFUSAL_ACTION && !known.has(auditId);
  return (await listAll(replaced)).filter(isLater).reverse();
}

type Repeat = (operator: OperatorStore, row: AuditRow, reason: string) => Promise<string>;

/** Otherwise a score that was taken back could be signed once the service starts. */
const REPEATS: { readonly [action: string]: Repeat } = {
  "sessions.withhold": (operator, row, reason) => operator.withholdScore(row.subject, reason, row),
  "sessions.forfeit": (operator, row, reason) => operator.forfeitScore(row.subject, reason, row),
  "listings.hide": (operator, row, reason) => operator.hideListing(row.subject as Hex, reason, row),
  "listings.show": (operator, row, reason) => operator.restoreListing(row.subject as Hex, reason, row),
};

/** Repeats decisions on scores and listings with the same names and times; returns the changes of other kinds. */
async function repeatChanges(
  operator: OperatorStore,
  changes: readonly AuditRow[],
): Promise<RestoreResult["lostChanges"]> {
  const lost: Pick<AuditRow, "action" | "subject">[] = [];
  for (const change of changes) {
    const { action, subject, after } = change;
    const repeat = REPEATS[action];
    const { reason = "" } = JSON.parse(after ?? "{}") as { readonly reason?: string };
    if (repeat === undefined) lost.push({ action, subject });
    else await repeat(operator, change, reason);
  }
  return lost;
}
