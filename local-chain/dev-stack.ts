/** The whole service in one process: embedded chain, contracts, backend. `npm start`, tests and benches use it. */
import { mkdir } from "node:fs/promises";
import { createLocalFaucet } from "../backend/adapters/chain/node-faucet.ts";
import { createLog } from "../backend/adapters/system/log.ts";
import type { ThreadPool } from "../backend/adapters/worker/worker.ts";
import { type App, startApp } from "../backend/app/app.ts";
import type { Config, Secrets } from "../backend/config/config.ts";
import { type DevelopmentAccount, developmentAccount, developmentServiceAccount } from "../backend/config/dev-keys.ts";
import { getServiceKeys } from "../backend/config/service-keys.ts";
import type { Deployment } from "../backend/ports/chain.ts";
import type { Doctor } from "../backend/ports/doctor.ts";
import type { Clock, Log } from "../backend/ports/system.ts";
import { deployLocal } from "../deploy/execute-local.ts";
import { isWildcard, toHttpUrl } from "../domain/origins.ts";
import { type GameList, gameList } from "../games/index.ts";
import { type LocalChain, startLocalChain } from "./local-chain.ts";

export interface DevStack {
  readonly app: App;
  readonly chain: LocalChain;
  readonly deployment: Deployment;
  /** Funded player accounts; none of them is an operator or signer. */
  readonly accounts: readonly DevelopmentAccount[];
  /** As `App.close`, then the chain. */
  close(options?: { readonly lingerMs?: number }): Promise<void>;
}

export interface DevStackOptions {
  readonly config: Config;
  readonly secrets: Secrets;
  /** If left out, logs warnings and errors, or by the configured level if that is not `info`. */
  readonly log?: Log;
  readonly webDir: string | null;
  readonly fresh?: boolean;
  readonly clock?: Clock;
  /** Milliseconds between two polls of the indexer. */
  readonly pollMs?: number;
  /** The games to deploy and serve, the built-in ones when left out. */
  readonly gameList?: GameList;
  /** As in `AppOptions`. */
  readonly threadPool?: ThreadPool;
  /** The doctor of the console. */
  readonly doctor?: Doctor;
  /** Runs each step of the start, so that the caller can report it. */
  readonly step?: <T>(title: string, run: () => Promise<T>) => Promise<T>;
}

const PLAYER_COUNT = 10;

/** Starts the embedded chain; its faucet and the operator have ether as well. */
export async function startDevChain(
  config: Pick<Config, "dataDir" | "host" | "rpcPort" | "rpcPortIsSet">,
  fresh = false,
): Promise<Pick<DevStack, "chain" | "accounts">> {
  const accounts = Array.from({ length: PLAYER_COUNT }, (_, index) => developmentAccount(index));
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const chain = await startLocalChain({
    dataDir: config.dataDir,
    // A published port of a container reaches no loopback address.
    ...(isWildcard(config.host) ? { host: config.host } : {}),
    port: config.rpcPort,
    whenBusy: config.rpcPortIsSet ? "fail" : "next",
    fresh,
    accounts: [...accounts, developmentServiceAccount(0), developmentServiceAccount(2)],
  });
  return { chain, accounts };
}

/** Starts chain, contracts and backend. What was started is closed again when a later step fails. */
export async function startDevStack(options: DevStackOptions): Promise<DevStack> {
  const { config } = options;
  const step = options.step ?? ((_, run) => run());
  const { chain, accounts } = await step("local chain", () => startDevChain(config, options.fresh));
  try {
    const { app, deployment } = await startBackend(chain, options, step);
    return {
      app,
      chain,
      deployment,
      accounts,
      close: async (closeOptions) => {
        await app.close(closeOptions);
        await chain.close();
      },
    };
  } catch (error) {
    await chain.close();
    throw error;
  }
}

/** Deploys the contracts, or finds them as they were, and starts the backend against them. */
async function startBackend(chain: LocalChain, options: DevStackOptions, step: NonNullable<DevStackOptions["step"]>) {
  const { config, webDir, clock, pollMs, doctor, threadPool } = options;
  const activeGameList = options.gameList ?? gameList;
  const keys = getServiceKeys(options.secrets, activeGameList);
  const { rpcUrl } = chain;
  const deploy = (publicUrl: string) =>
    deployLocal({
      rpcUrl,
      keys,
      publicUrl,
      games: activeGameList.games,
      path: config.deploymentPath,
      whenChanged: "fail",
    });
  const plannedUrl = config.publicUrl ?? toHttpUrl(config.host, config.port);
  const { deployment } = await step("contracts", () => deploy(plannedUrl));
  const app = await step("backend", () =>
    startApp({
      config,
      keys,
      rpcUrl,
      deployment,
      webDir,
      gameList: activeGameList,
      log: options.log ?? createLog(config.logLevel === "info" ? "warn" : config.logLevel),
      faucet: createLocalFaucet(chain, developmentServiceAccount(0).address),
      onChainChanged: (listener) => chain.onChanged(listener),
      ...(clock === undefined ? {} : { clock }),
      ...(doctor === undefined ? {} : { doctor }),
      ...(pollMs === undefined ? {} : { pollMs }),
      ...(threadPool === undefined ? {} : { threadPool }),
    }),
  );
  // The planned port was busy, so the tokens' metadata is served at another address.
  if (config.publicUrl === null && app.httpUrl !== plannedUrl) await deploy(app.httpUrl);
  return { app, deployment };
}
