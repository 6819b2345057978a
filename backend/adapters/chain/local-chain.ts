import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { LOCAL_CHAIN_ID } from "./chain-id.ts";
import { lockFolder, removeJournal } from "./local/journal.ts";
import { makeHandler } from "./local/methods.ts";
import { LocalNode } from "./local/node.ts";
import { type RpcServer, serveRpc } from "./local/rpc-server.ts";

type Hex = `0x${string}`;

/** How many ports after a busy one are tried where the caller allows it. */
const PORT_TRIES = 20;
export interface LocalChain {
  readonly chainId: number;
  readonly rpcUrl: string;
  readonly port: number;
  /** Funded by genesis and unlocked. */
  readonly accounts: readonly { readonly address: Hex; readonly privateKey: Hex }[];
  /** True where the journal already held blocks. */
  readonly restored: boolean;
  /** EIP-1193, without the way over the network; goes through the journal like any request. */
  request(method: string, params?: readonly unknown[]): Promise<unknown>;
  /** The development faucet: sends `address` this many wei and answers the transaction's hash. */
  fund(address: Hex, amountWei: bigint): Promise<Hex>;
  close(): Promise<void>;
}

export interface LocalChainOptions {
  /** The chain lives in `chain/` below it. */
  readonly dataDir: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** What to do when the port is busy: `next` tries the ones after it. */
  readonly whenBusy: "fail" | "next";
  /** Forgets the chain that the folder holds; saved ones stay. */
  readonly fresh?: boolean;
  /** Accounts that genesis funds. They must stay the same as long as the chain lives. */
  readonly accounts: LocalChain["accounts"];
  readonly host?: string;
  readonly log?: (message: string) => void;
}

const isBusy = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "EADDRINUSE";

async function listen(
  options: Pick<LocalChainOptions, "port" | "whenBusy">,
  serve: (port: number) => Promise<RpcServer>,
): Promise<RpcServer> {
  const last = options.whenBusy === "next" && options.port !== 0 ? options.port + PORT_TRIES : options.port;
  for (let port = options.port; ; port++) {
    try {
      return await serve(port);
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (port < last) continue;
      const tried = last === options.port ? `Port ${port} is` : `Ports ${options.port} to ${last} are`;
      throw new Error(`${tried} busy. Set ARCADE_RPC_PORT to a free one for the local chain.`, { cause: error });
    }
  }
}

/**
 * The embedded development chain (31337): an EVM in this process, served over HTTP and WebSocket on the loopback
 * address alone, mining a block for each transaction at wall-clock time. Every change is on disk before it is
 * answered, so that a restart, also after `kill -9`, finds the same blocks.
 * Throws when the port is busy, when another process has the folder, or when the journal cannot be replayed.
 */
export async function startLocalChain(options: LocalChainOptions): Promise<LocalChain> {
  const folder = join(options.dataDir, "chain");
  const journalPath = join(folder, "journal.jsonl");
  await mkdir(folder, { recursive: true });
  const unlock = await lockFolder(folder);
  try {
    if (options.fresh) await removeJournal(journalPath);
    const log = options.log ?? (() => undefined);
    const node = await LocalNode.start({ journalPath, accounts: options.accounts, log });
    const restored = node.blockNumber > 0;
    const host = options.host ?? "127.0.0.1";
    const handle = makeHandler(node, join(folder, "saves"));
    const server = await listen(options, (port) => serveRpc({ node, handle, host, port })).catch(async (error) => {
      await node.close();
      throw error;
    });
    return {
      chainId: LOCAL_CHAIN_ID,
      rpcUrl: `http://${host}:${server.port}`,
      port: server.port,
      accounts: options.accounts,
      restored,
      request: (method, params = []) => handle(method, params),
      fund: (address, amountWei) => node.fund(address, amountWei),
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
