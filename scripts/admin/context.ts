/** What an operator's command works with: the store's file, the chain, and the name for the audit. */
import { randomBytes } from "node:crypto";
import { userInfo } from "node:os";
import { type ChainConnection, connectChain, connectStore, readDeployment } from "../../backend/app/connect.ts";
import type { Config } from "../../backend/config/config.ts";
import type { Deployment } from "../../backend/ports/chain.ts";
import type { AuditStamp } from "../../backend/ports/store/admin.ts";
import type { Store } from "../../backend/ports/store/store.ts";
import { ArcadeError } from "../../domain/errors.ts";
import { uuidV7 } from "../../domain/ids.ts";
import { type Flag, parseUrl } from "../cli/command.ts";
import { CommandError, EXIT, UsageError } from "../cli/failures.ts";
import { readServiceConfig } from "../cli/service-config.ts";

export const AS_FLAG = {
  as: { type: "string", value: "NAME", help: "who makes the change, for the audit; else the system's user" },
} as const satisfies { [name: string]: Flag };

export const RPC_FLAG = {
  rpc: { type: "string", value: "URL", help: "the chain's node; else ARCADE_RPC_URL, else the local chain" },
} as const satisfies { [name: string]: Flag };

const NAME_MAX = 64;

/** The name, time and id of a change, for the audit. */
export function createAuditStamp(flags: { readonly as?: string }): AuditStamp {
  const who = (flags.as ?? userInfo().username).trim();
  if (who === "" || who.length > NAME_MAX || /\p{C}/u.test(who))
    throw new UsageError(`--as: expected a name of 1 to ${NAME_MAX} characters`);
  const atMs = Date.now();
  return { auditId: uuidV7(atMs, randomBytes(10)), who, atMs };
}

/** Runs `run` on the store, also while a server uses it. */
export async function withStore<T>(run: (store: Store, config: Config) => Promise<T>): Promise<T> {
  const config = readServiceConfig();
  const store = await connectStore(config);
  if (store === null) {
    throw new CommandError(`There is no database at ${config.databaseUrl.replace(/^sqlite:/, "")}.`, {
      next: "start the service once, or set ARCADE_DATA_DIR or ARCADE_DATABASE_URL to the service's own",
    });
  }
  try {
    return await run(store, config);
  } finally {
    await store.close();
  }
}

/** The deployment, and the URL of its node. Throws `CommandError`, `UsageError`. */
export async function findChain(
  flags: { readonly rpc?: string },
  config: Config,
): Promise<{ readonly deployment: Deployment; readonly rpcUrl: string }> {
  const deployment = await readDeployment(config.deploymentPath);
  if (deployment === null) {
    throw new CommandError(`The addresses file ${config.deploymentPath} cannot be read.`, {
      next: "start the service once, or set ARCADE_DEPLOYMENT to the service's own",
    });
  }
  const flagUrl = flags.rpc === undefined ? null : parseUrl("rpc", flags.rpc);
  return { deployment, rpcUrl: flagUrl ?? config.rpcUrl ?? `http://127.0.0.1:${config.rpcPort}` };
}

/** Runs `run` on the chain. A node that does not answer is exit code 3. */
export async function withChain<T>(
  flags: { readonly rpc?: string },
  config: Config,
  run: (chain: ChainConnection) => Promise<T>,
): Promise<T> {
  const { deployment, rpcUrl } = await findChain(flags, config);
  try {
    return await run(connectChain(rpcUrl, deployment));
  } catch (cause) {
    if (!(cause instanceof ArcadeError && cause.code === "CHAIN_UNAVAILABLE")) throw cause;
    throw new CommandError(cause.message, { exitCode: EXIT.chain, next: "give the chain's node with --rpc", cause });
  }
}
