/** What the admin commands share: the store, the chain, and the name for the audit. */
import { userInfo } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { readAddressesFile } from "../../backend/app/addresses-file.ts";
import { type ChainConnection, connectChain, connectStore } from "../../backend/app/connect.ts";
import type { Config } from "../../backend/config/config.ts";
import type { Deployment } from "../../backend/ports/chain.ts";
import type { AuditStamp } from "../../backend/ports/store/admin.ts";
import type { Store } from "../../backend/ports/store/store.ts";
import { createStamp, type Operator } from "../../backend/services/operations/operator.ts";
import { ArcadeError } from "../../domain/errors.ts";
import type { Flag } from "../cli/command.ts";
import { CommandError, EXIT, UsageError } from "../cli/failures.ts";
import { findGivenNode } from "../cli/node.ts";
import { readServiceConfig } from "../cli/service-config.ts";

export const AS_FLAG = {
  as: { type: "string", value: "NAME", help: "who makes the change, for the audit; the system's user by default" },
} as const satisfies { [name: string]: Flag };

export const WAIT_FLAG = {
  wait: { type: "string", value: "SECONDS", help: "how long to wait for the server", default: "10" },
} as const satisfies { [name: string]: Flag };

const NAME_MAX = 64;
const POLL_MS = 200;

/** Polls until the value is as wanted or the time is up; returns the last value. */
export async function pollUntil<T>(read: () => Promise<T>, isDone: (value: T) => boolean, seconds: number): Promise<T> {
  const deadlineMs = performance.now() + seconds * 1000;
  let value = await read();
  while (!isDone(value) && performance.now() < deadlineMs) {
    await sleep(POLL_MS);
    value = await read();
  }
  return value;
}

/** A container may run under a user id that has no name. */
function getUserName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}

/** The operator's name, time and id of a change, for the audit. */
export function createAuditStamp(flags: { readonly as?: string }): AuditStamp {
  const who = (flags.as ?? getUserName()).trim();
  if (who === "" || who.length > NAME_MAX || /\p{C}/u.test(who))
    throw new UsageError(`--as: expected a name of 1 to ${NAME_MAX} characters`);
  return createStamp(who, Date.now());
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

/** Runs an operator action on the store. Blocks count as safe if the store has them; final is what is settled. */
export const withOperator = <T>(
  flags: { readonly as?: string },
  run: (operator: Operator, config: Config) => Promise<T>,
): Promise<T> =>
  withStore((store, config) => {
    const readFinality = async () => {
      const cursor = await store.chain.getCursor();
      return { safe: (cursor?.number ?? -1) - config.confirmations, final: -1 };
    };
    return run({ store, createStamp: () => createAuditStamp(flags), readFinality }, config);
  });

/** The service's deployment. Throws `CommandError`. */
export async function readServiceDeployment(config: Config): Promise<Deployment> {
  const deployment = await readAddressesFile(config.deploymentPath);
  if (deployment !== null) return deployment;
  throw new CommandError(`There is no addresses file ${config.deploymentPath}.`, {
    next: "start the service once, or set ARCADE_DEPLOYMENT to the service's own",
  });
}

/** The deployment and its node's URL, which is not compared with a store yet. Throws `CommandError`, `UsageError`. */
export async function findChain(
  flags: { readonly rpc?: string },
  config: Config,
): Promise<{ readonly deployment: Deployment; readonly rpcUrl: string }> {
  const deployment = await readServiceDeployment(config);
  return { deployment, rpcUrl: findGivenNode(flags) ?? `http://127.0.0.1:${config.rpcPort}` };
}

/**
 * Runs `run` on the chain of the store; null if the command has no store. Throws `ConfigError` if the node serves
 * another chain. A node that does not answer gives exit code 3.
 */
export async function withChain<T>(
  flags: { readonly rpc?: string },
  config: Config,
  store: Store | null,
  run: (chain: ChainConnection) => Promise<T>,
): Promise<T> {
  const { deployment, rpcUrl } = await findChain(flags, config);
  try {
    return await run(await connectChain(rpcUrl, deployment, store));
  } catch (cause) {
    if (!(cause instanceof ArcadeError && cause.code === "CHAIN_UNAVAILABLE")) throw cause;
    throw new CommandError(cause.message, { exitCode: EXIT.chain, next: "set the chain's node with --rpc", cause });
  }
}

/** Throws `ConfigError` if the node serves another chain than the store's; does nothing if it does not answer. */
export async function checkServiceChain(flags: { readonly rpc?: string }, config: Config, store: Store): Promise<void> {
  if ((await readAddressesFile(config.deploymentPath)) === null) return;
  await withChain(flags, config, store, async () => undefined).catch((error: unknown) => {
    if (!(error instanceof CommandError && error.exitCode === EXIT.chain)) throw error;
  });
}
