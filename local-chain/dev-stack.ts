/** The whole service in one process: embedded chain, contracts, backend. Used by `npm start`, tests and benchmarks. */
import type { EIP1193Provider } from "@nomicfoundation/ignition-core";
import { createLocalFaucet } from "../backend/adapters/chain/node-faucet.ts";
import { makeDataFolder } from "../backend/adapters/node/data-folder.ts";
import { createLog } from "../backend/adapters/system/log.ts";
import type { ThreadPool } from "../backend/adapters/worker/worker.ts";
import { type App, type AppOptions, startApp } from "../backend/app/app.ts";
import type { Config, Secrets } from "../backend/config/config.ts";
import { type DevelopmentAccount, developmentAccount, developmentServiceAccount } from "../backend/config/dev-keys.ts";
import { getServiceKeys } from "../backend/config/service-keys.ts";
import type { Deployment } from "../backend/ports/chain.ts";
import type { Doctor } from "../backend/ports/doctor.ts";
import type { Clock, Log } from "../backend/ports/system.ts";
import { deployLocal, updateBaseUris } from "../deploy/execute-local.ts";
import { readDeployment } from "../deploy/record.ts";
import { isWildcard, toHttpUrl } from "../domain/origins.ts";
import { type GameList, gameList } from "../games/index.ts";
import { type LocalChain, startLocalChain } from "./local-chain.ts";

export interface DevStack {
  /** The running backend. */
  readonly app: App;
  readonly chain: LocalChain;
  readonly deployment: Deployment;
  /** Funded player accounts; none of them is an operator or signer. */
  readonly accounts: readonly DevelopmentAccount[];
  /** Closes the backend, runs `change`, and restarts it at the same address. */
  restart(change: () => Promise<void>): Promise<void>;
  /** Like `App.close`, then closes the chain. */
  close(options?: { readonly lingerMs?: number }): Promise<void>;
}

export interface DevStackOptions {
  readonly config: Config;
  readonly secrets: Secrets;
  /** By default, logs warnings and errors, or uses the configured level if that is not `info`. */
  readonly log?: Log;
  readonly webDir: string | null;
  readonly fresh?: boolean;
  readonly clock?: Clock;
  /** Milliseconds between two polls of the indexer. */
  /** The games to deploy and serve; the built-in ones by default. */
  readonly gameList?: GameList;
  /** As in `AppOptions`. */
  readonly threadPool?: ThreadPool;
  /** The doctor of the console. */
  readonly doctor?: Doctor;
  /** True: the data folder holds a chain of this build, whose contracts need no check. */
  readonly isDeployed?: boolean;
  /** Unix seconds of each block, instead of a clock. */
  readonly getBlockTime?: () => number;
  /** As in `AppOptions`. */
  readonly testSessions?: NonNullable<AppOptions["testSessions"]>;
  /** Wraps each step of the start, so that the caller can report it. */
  readonly step?: <T>(title: string, run: () => Promise<T>) => Promise<T>;
}

const PLAYER_COUNT = 10;

/** Starts the embedded chain; the faucet and the operator get ether too. */
export async function startDevChain(
  config: Pick<Config, "dataDir" | "host" | "rpcPort" | "rpcPortIsSet">,
  options: Pick<DevStackOptions, "fresh" | "getBlockTime"> = {},
): Promise<Pick<DevStack, "chain" | "accounts">> {
  const { fresh = false, getBlockTime } = options;
  const accounts = Array.from({ length: PLAYER_COUNT }, (_, index) => developmentAccount(index));
  makeDataFolder(config.dataDir);
  const chain = await startLocalChain({
    dataDir: config.dataDir,
    // A published container port cannot reach the loopback address.
    ...(isWildcard(config.host) ? { host: config.host } : {}),
    port: config.rpcPort,
    whenBusy: config.rpcPortIsSet ? "fail" : "next",
    fresh,
    ...(getBlockTime === undefined ? {} : { getBlockTime }),
    accounts: [...accounts, developmentServiceAccount(0), developmentServiceAccount(2)],
  });
  return { chain, accounts };
}

/** Starts chain, contracts and backend. If a later step fails, closes what was started. */
export async function startDevStack(options: DevStackOptions): Promise<DevStack> {
  const { config } = options;
  const step = options.step ?? ((_, run) => run());
  const { chain, accounts } = await step("local chain", () => startDevChain(config, options));
  let announceChange = (): void => undefined;
  chain.onChanged(() => announceChange());
  const start = (deployment: Deployment, port: number): Promise<App> =>
    startBackend(chain, deployment, { ...options, config: { ...config, port } }, (listener) => {
      announceChange = listener;
    });
  try {
    const contracts = createContracts(chain, options);
    const plannedUrl = config.publicUrl ?? toHttpUrl(config.host, config.port);
    const deployment = await step("contracts", () => contracts.deploy(plannedUrl));
    let app = await step("backend", () => start(deployment, config.port));
    // The planned port was busy, so the metadata URL changed.
    if (config.publicUrl === null && app.httpUrl !== plannedUrl) await contracts.move(app.httpUrl);
    return {
      get app() {
        return app;
      },
      chain,
      deployment,
      accounts,
      restart: async (change) => {
        await app.close();
        await change();
        app = await start(deployment, Number(new URL(app.httpUrl).port));
      },
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

/** Deploys the contracts, or finds them; `move` updates their metadata URL. */
function createContracts(
  chain: LocalChain,
  { config, secrets, gameList: list = gameList, isDeployed }: DevStackOptions,
) {
  const { rpcUrl } = chain;
  const path = config.deploymentPath;
  const deploy = async (publicUrl: string): Promise<Deployment> => {
    const known = isDeployed === true ? await readDeployment(path) : null;
    if (known !== null) return known;
    const keys = getServiceKeys(secrets, list);
    const { games } = list;
    return (await deployLocal({ rpcUrl, keys, publicUrl, games, path, whenChanged: "fail" })).deployment;
  };
  const move = async (publicUrl: string): Promise<void> => {
    const known = isDeployed === true ? await readDeployment(path) : null;
    if (known === null) await deploy(publicUrl);
    else await updateBaseUris(createAdminProvider(chain), publicUrl, known);
  };
  return { deploy, move };
}

/** Sends from the admin's unlocked account. */
const createAdminProvider = (chain: LocalChain): EIP1193Provider => ({
  request: ({ method, params }) => {
    const [transaction] = params as readonly object[];
    return chain.request(method, [{ from: developmentServiceAccount(0).address, ...transaction }]);
  },
});

function startBackend(
  chain: LocalChain,
  deployment: Deployment,
  options: DevStackOptions,
  onChainChanged: NonNullable<AppOptions["onChainChanged"]>,
): Promise<App> {
  const { config, webDir, clock, doctor, threadPool, testSessions } = options;
  const activeGameList = options.gameList ?? gameList;
  return startApp({
    config,
    keys: getServiceKeys(options.secrets, activeGameList),
    rpcUrl: chain.rpcUrl,
    deployment,
    webDir,
    gameList: activeGameList,
    log: options.log ?? createLog(config.logLevel === "info" ? "warn" : config.logLevel),
    faucet: createLocalFaucet(chain, developmentServiceAccount(0).address),
    onChainChanged,
    ...(clock === undefined ? {} : { clock }),
    ...(doctor === undefined ? {} : { doctor }),
    ...(threadPool === undefined ? {} : { threadPool }),
    ...(testSessions === undefined ? {} : { testSessions }),
  });
}
