import { chmod, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Hex } from "viem";
import { acquireFileLock } from "../backend/adapters/node/file-lock.ts";
import { LOCAL_CHAIN_ID } from "../domain/chain-ids.ts";
import { toHttpUrl } from "../domain/origins.ts";
import { createRpcHandler } from "./methods.ts";
import { LocalNode } from "./node.ts";
import { serveRpc } from "./rpc-server.ts";

export interface LocalChain {
  readonly chainId: number;
  readonly rpcUrl: string;
  readonly port: number;
  /** Funded and unlocked by genesis. */
  readonly accounts: readonly { readonly address: Hex; readonly privateKey: Hex }[];
  /** True if the journal already held blocks. */
  readonly restored: boolean;
  /** EIP-1193 request without the network; journaled like any other. */
  request(method: string, params?: readonly unknown[]): Promise<unknown>;
  /** The development faucet: sends wei to `address`; returns the transaction's hash. */
  fund(address: Hex, amountWei: bigint): Promise<Hex>;
  /** Called after each change of the chain, before the caller that made it gets its result. */
  onChanged(listener: () => void): void;
  close(): Promise<void>;
}

export interface LocalChainOptions {
  /** The chain's files are in `chain/` below it. */
  readonly dataDir: string;
  /** 0 uses any free port. */
  readonly port: number;
  /** What to do if the port is busy: `next` tries the following ports. */
  readonly whenBusy: "fail" | "next";
  /** Deletes the folder's chain; saved chains stay. */
  readonly fresh?: boolean;
  /** Accounts that genesis funds. They must never change for a chain. */
  readonly accounts: LocalChain["accounts"];
  readonly host?: string;
  readonly log?: (message: string) => void;
  /** Unix seconds of each block, instead of a clock. */
  readonly getBlockTime?: () => number;
}

/** Locks the chain's folder for this process. Throws if another process has it. */
function lockFolder(folder: string): () => void {
  const release = acquireFileLock(join(folder, "lock.db"));
  if (release !== null) return release;
  throw new Error(`Another process runs the local chain in ${folder}. Stop it, or set another ARCADE_DATA_DIR.`);
}

/**
 * Starts the embedded development chain (31337): an EVM in this process, served over HTTP and WebSocket, that mines a
 * block per transaction at wall-clock time. Every change is on disk before its caller gets the result, so a restart,
 * even after `kill -9`, finds the same blocks. Throws if the port is busy, another process has the folder, or the
 * journal cannot be replayed.
 */
export async function startLocalChain(options: LocalChainOptions): Promise<LocalChain> {
  const folder = join(options.dataDir, "chain");
  const journalPath = join(folder, "journal.jsonl");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  const unlock = lockFolder(folder);
  try {
    if (options.fresh) await rm(journalPath, { force: true });
    const log = options.log ?? (() => undefined);
    const { accounts, getBlockTime } = options;
    const node = await LocalNode.start({ journalPath, accounts, log, getBlockTime });
    const restored = node.blockNumber > 0;
    const { port, whenBusy, host = "127.0.0.1" } = options;
    const handle = createRpcHandler(node, join(folder, "saves"));
    const server = await serveRpc({ node, handle, host, port, whenBusy }).catch(async (error) => {
      await node.close();
      throw error;
    });
    return {
      chainId: LOCAL_CHAIN_ID,
      rpcUrl: toHttpUrl(host, server.port),
      port: server.port,
      accounts: options.accounts,
      restored,
      request: (method, params = []) => handle(method, params),
      fund: (address, amountWei) => node.fund(address, amountWei),
      onChanged: (listener) => node.onChanged(listener),
      close: async () => {
        await server.close();
        await node.close();
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}
