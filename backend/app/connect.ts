/** Store and chain without the server: the composition root of the commands that run beside it. */
import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import type { Address } from "viem";
import { isSameAddress } from "../../domain/addresses.ts";
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
import type { DeploymentKey } from "../ports/store/deployment.ts";
import type { Store } from "../ports/store/store.ts";
import { type ExplainRequest, type Explanation, TypedDataExplainer } from "../services/dev/explain.ts";
import { readAddressesFile } from "./addresses-file.ts";
import { checkChain, checkDeployment, createBlockReader, type ReadBlock } from "./check-unit.ts";
import { type MovedContents, readContents } from "./move-store.ts";
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
export { moveStore } from "./move-store.ts";

/** Null if the file does not exist: a new store would hide a wrong path. */
async function openExistingStore({ databaseUrl }: Pick<Config, "databaseUrl">): Promise<Store | null> {
  const file = findSqliteFile(databaseUrl);
  return file === null || existsSync(file) ? openStore({ databaseUrl }) : null;
}

/** Reads what the store holds, for any deployment; null without a store. */
export async function readStoreContents(config: Pick<Config, "databaseUrl">): Promise<MovedContents | null> {
  const store = await openExistingStore(config);
  try {
    return store === null ? null : await readContents(store);
  } finally {
    await store?.close();
  }
}

/** Opens the server's store; null without one. Throws `ConfigError` if the addresses file has other contracts. */
export async function connectStore(config: Pick<Config, "databaseUrl" | "deploymentPath">): Promise<Store | null> {
  const store = await openExistingStore(config);
  try {
    const deployment = await readAddressesFile(config.deploymentPath);
    if (store !== null && deployment !== null) await checkDeployment(store, deployment);
    return store;
  } catch (error) {
    await store?.close();
    throw error;
  }
}

/**
 * Compares a command's deployment with the server's store, if that store is of the same contracts. `isNamed`: the user
 * has named the store, so it must be. Throws `ConfigError`.
 */
export async function checkServerStore(
  config: Pick<Config, "databaseUrl">,
  given: Pick<DeploymentKey, "chainId" | "rewards"> & Partial<DeploymentKey>,
  { readBlock, isNamed }: { readonly readBlock: ReadBlock; readonly isNamed: boolean },
): Promise<void> {
  const store = await openExistingStore(config);
  try {
    const stored = (await store?.deployment.find()) ?? null;
    if (store === null || stored === null) return;
    const isOwn = stored.chainId === given.chainId && isSameAddress(stored.rewards, given.rewards);
    if (!isOwn && !isNamed) return;
    await checkDeployment(store, given);
    await checkChain(store, readBlock, { chainId: given.chainId, check: "command" });
  } finally {
    await store?.close();
  }
}

export interface ChainConnection {
  readonly rpcUrl: string;
  readonly reader: ChainReader;
  /** Finds who signed a typed payload, and which field differs from the chain's domain. */
  explain(request: ExplainRequest): Promise<Explanation>;
  /** In wei. */
  getBalance(address: Address): Promise<bigint>;
}

/**
 * Connects to the contracts of a deployment; `store` is the one that belongs to them, null if a command has none.
 * Throws `ConfigError` if the node is on another chain than the store; this and all calls throw `CHAIN_UNAVAILABLE` if
 * the node does not respond.
 */
export async function connectChain(
  rpcUrl: string,
  deployment: Deployment,
  store: Store | null,
): Promise<ChainConnection> {
  const { chainId } = deployment;
  const rpc = createRpc({ rpcUrl, chainId, clock: systemClock });
  if (store !== null) await checkChain(store, createBlockReader(rpc), { chainId, check: "command" });
  const reader = createReader({ rpc, deployment });
  const explainer = new TypedDataExplainer({
    chain: reader,
    worker: { recoverDigest: async (digest, signature) => recoverDigest({ digest, signature }) },
  });
  return {
    rpcUrl,
    reader,
    explain: (request) => explainer.explain(request),
    getBalance: (address) => rpc.withDeadline((client) => client.getBalance({ address })),
  };
}

/**
 * Copies the store into a new file; returns its size, or null if there is no store. Throws `StoreBackupError`, also on
 * PostgreSQL.
 */
export async function backUpStore({ databaseUrl }: Pick<Config, "databaseUrl">, file: string): Promise<number | null> {
  const source = findSqliteFile(databaseUrl);
  if (source !== null && !existsSync(source)) return null;
  await backUpDatabase(databaseUrl, file);
  return (await stat(file)).size;
}

/** See `restoreBackup`. Warnings are logged to stderr. */
export const restoreStore = (options: Omit<RestoreOptions, "log">): Promise<RestoreResult> =>
  restoreBackup({ ...options, log: createLog("error") });

/** See `settleRestored`. Warnings are logged to stderr. */
export const settleStore = (options: Omit<SettleRestoredOptions, "log">): Promise<SettleResult> =>
  settleRestored({ ...options, log: createLog("error") });
