/** What a command of the operator works on: the store's file, the chain, and who is at the keyboard. */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { createReader } from "../../backend/adapters/chain/reader.ts";
import { createRpc } from "../../backend/adapters/chain/rpc.ts";
import { systemClock } from "../../backend/adapters/clock.ts";
import { openStore } from "../../backend/adapters/store/index.ts";
import { type Config, readConfig } from "../../backend/config/config.ts";
import { ArcadeError } from "../../backend/domain/errors.ts";
import { uuidV7 } from "../../backend/domain/uuid.ts";
import type { AuditStamp, ChainReader, Deployment, Store } from "../../backend/ports.ts";
import { type Flag, urlOf } from "../cli/command.ts";
import { CommandError, EXIT, UsageError } from "../cli/failures.ts";

export const AS_FLAG = {
  as: { type: "string", value: "NAME", help: "who makes the change, for the audit; else the system's user" },
} as const satisfies { [name: string]: Flag };

export const RPC_FLAG = {
  rpc: { type: "string", value: "URL", help: "the chain's node; else ARCADE_RPC_URL, else the local chain" },
} as const satisfies { [name: string]: Flag };

const NAME_MAX = 64;

/** Signs a change for the audit. */
export function stampOf(flags: { readonly as?: string }): AuditStamp {
  const who = (flags.as ?? userInfo().username).trim();
  if (who === "" || who.length > NAME_MAX || /\p{C}/u.test(who))
    throw new UsageError(`--as: expected a name of 1 to ${NAME_MAX} characters`);
  const atMs = Date.now();
  return { auditId: uuidV7(atMs, randomBytes(10)), who, atMs };
}

/** Works on the store beside a server that may be running on it. Never makes a new one: that would hide a wrong path. */
export async function withStore<T>(run: (store: Store, config: Config) => Promise<T>): Promise<T> {
  const config = readConfig();
  const file = config.databaseUrl.replace(/^sqlite:/, "");
  if (!existsSync(file)) {
    throw new CommandError(`There is no database at ${file}.`, {
      next: "start the service once, or set ARCADE_DATA_DIR or ARCADE_DATABASE_URL as it has them",
    });
  }
  const store = await openStore({ databaseUrl: config.databaseUrl });
  try {
    return await run(store, config);
  } finally {
    await store.close();
  }
}

export function readDeployment(config: Config): Deployment {
  try {
    return JSON.parse(readFileSync(config.deploymentPath, "utf8")) as Deployment;
  } catch (cause) {
    throw new CommandError(`The addresses file ${config.deploymentPath} cannot be read.`, {
      next: "start the service once, or set ARCADE_DEPLOYMENT as it has it",
      cause,
    });
  }
}

/** Asks the chain. A node that is away is exit code 3. */
export async function withChain<T>(
  flags: { readonly rpc?: string },
  config: Config,
  ask: (chain: ChainReader, rpc: ReturnType<typeof createRpc>) => Promise<T>,
): Promise<T> {
  const deployment = readDeployment(config);
  const given = flags.rpc === undefined ? null : urlOf("rpc", flags.rpc);
  const rpcUrl = given ?? config.rpcUrl ?? `http://127.0.0.1:${config.rpcPort}`;
  const rpc = createRpc({ rpcUrl, chainId: deployment.chainId, clock: systemClock });
  try {
    return await ask(createReader({ rpc, deployment, confirmations: config.confirmations }), rpc);
  } catch (cause) {
    if (!(cause instanceof ArcadeError && cause.code === "CHAIN_UNAVAILABLE")) throw cause;
    throw new CommandError(cause.message, { exitCode: EXIT.chain, next: "give the chain's node with --rpc", cause });
  }
}

/** The one positional argument. */
export function onlyOne(positionals: readonly string[], what: string): string {
  const [first, ...rest] = positionals;
  if (first === undefined || rest.length > 0) throw new UsageError(`Expected exactly one ${what}`);
  return first;
}

export function none(positionals: readonly string[]): void {
  if (positionals.length > 0) throw new UsageError(`Did not expect "${positionals[0]}"`);
}
