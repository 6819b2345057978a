/** Store and chain without the server: the composition root of the commands that work beside it. */
import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import type { Address } from "viem";
import { createReader } from "../adapters/chain/reader/reader.ts";
import { createRpc } from "../adapters/chain/rpc.ts";
import { backUpDatabase } from "../adapters/store/backup.ts";
import { openStore } from "../adapters/store/open-store.ts";
import { findSqliteFile } from "../adapters/store/sqlite-file.ts";
import { systemClock } from "../adapters/system/clock.ts";
import { createLog } from "../adapters/system/log.ts";
import { recoverDigest } from "../adapters/worker/tasks.ts";
import type { Config } from "../config/config.ts";
import type { ChainReader, Deployment } from "../ports/chain.ts";
import type { Store } from "../ports/store/store.ts";
import { type ExplainRequest, type Explanation, TypedDataExplainer } from "../services/dev/explain.ts";
import {
  type RestoreOptions,
  type RestoreResult,
  restoreBackup,
  type SettleRestoredOptions,
  type SettleResult,
  settleRestored,
} from "./restore-backup.ts";

export { BackupError as StoreBackupError } from "../adapters/store/backup.ts";
export { findSqliteFile } from "../adapters/store/sqlite-file.ts";

/** Opens the server's store; null where its file does not exist, since a new store would hide a wrong path. */
export async function connectStore({ databaseUrl }: Pick<Config, "databaseUrl">): Promise<Store | null> {
  const file = findSqliteFile(databaseUrl);
  return file === null || existsSync(file) ? openStore({ databaseUrl }) : null;
}

/** Reads an addresses file; null where it cannot be read. Throws `SyntaxError` where it is not JSON. */
export async function readDeployment(path: string): Promise<Deployment | null> {
  const text = await readFile(path, "utf8").catch(() => null);
  return text === null ? null : (JSON.parse(text) as Deployment);
}

export interface ChainConnection {
  readonly reader: ChainReader;
  /** Says who signed a typed payload, and which field differs from the chain's domain. */
  explain(request: ExplainRequest): Promise<Explanation>;
  /** In wei. */
  getBalance(address: Address): Promise<bigint>;
}

/** Connects to the contracts of a deployment; calls throw `CHAIN_UNAVAILABLE` where the node does not answer. */
export function connectChain(rpcUrl: string, deployment: Deployment): ChainConnection {
  const rpc = createRpc({ rpcUrl, chainId: deployment.chainId, clock: systemClock });
  const reader = createReader({ rpc, deployment });
  const explainer = new TypedDataExplainer({
    chain: reader,
    worker: { recoverDigest: async (digest, signature) => recoverDigest({ digest, signature }) },
  });
  return {
    reader,
    explain: (request) => explainer.explain(request),
    getBalance: (address) => rpc.withDeadline((client) => client.getBalance({ address })),
  };
}

/** Copies the store into a new file; returns its size, or null where there is no store. Throws `StoreBackupError`, also on PostgreSQL. */
export async function backUpStore({ databaseUrl }: Pick<Config, "databaseUrl">, file: string): Promise<number | null> {
  const source = findSqliteFile(databaseUrl);
  if (source !== null && !existsSync(source)) return null;
  await backUpDatabase(databaseUrl, file);
  return (await stat(file)).size;
}

/** See `restoreBackup`. Warnings go to the log of errors. */
export const restoreStore = (options: Omit<RestoreOptions, "log">): Promise<RestoreResult> =>
  restoreBackup({ ...options, log: createLog("error") });

/** See `settleRestored`. Warnings go to the log of errors. */
export const settleStore = (options: Omit<SettleRestoredOptions, "log">): Promise<SettleResult> =>
  settleRestored({ ...options, log: createLog("error") });
