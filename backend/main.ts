/** The server's entry: the backend against a configured chain and store. */

import { isLocalChain } from "../domain/chain-ids.ts";
import { type GameList, gameList } from "../games/index.ts";
import { createNodeFaucet } from "./adapters/chain/node-faucet.ts";
import { createLog } from "./adapters/system/log.ts";
import { readAddressesFile } from "./app/addresses-file.ts";
import { startApp } from "./app/app.ts";
import { checkNode } from "./app/check-node.ts";
import { reloadOnSignal } from "./app/reload-on-signal.ts";
import { stopOnSignals } from "./app/stop-on-signals.ts";
import { type Config, ConfigError, checkForChain, readConfigAndSecrets } from "./config/config.ts";
import { developmentServiceAccount } from "./config/dev-keys.ts";
import { decryptKeyFiles } from "./config/key-files.ts";
import { omitOtherGames } from "./config/other-games.ts";
import { listOpenSecretFiles } from "./config/secret-files.ts";
import { getServiceKeys } from "./config/service-keys.ts";
import type { Deployment } from "./ports/chain.ts";
import type { Doctor } from "./ports/doctor.ts";

/**
 * Throws `ConfigError` with the games that have no contract in the deployment. Returns those of the deployment that
 * this version does not know.
 */
export function checkContracts(
  deployment: Pick<Deployment, "nft">,
  { games }: Pick<GameList, "games"> = gameList,
): readonly string[] {
  const missing = games.flatMap(({ slug }) => (deployment.nft[slug] === undefined ? [slug] : []));
  if (missing.length === 0)
    return Object.keys(deployment.nft).filter((slug) => !games.some((game) => game.slug === slug));
  throw new ConfigError([
    `ARCADE_DEPLOYMENT: expected a contract for each game, none for ${missing.join(", ")}; add it with npm run deploy`,
  ]);
}

/** What to log if clients reach the service elsewhere than wallets look for token documents; null if they do not. */
export function findUrlWarning(
  { publicUrl }: Pick<Config, "publicUrl">,
  deployment: Pick<Deployment, "publicUrl">,
): string | null {
  if (publicUrl === null || deployment.publicUrl === undefined || publicUrl === deployment.publicUrl) return null;
  return `ARCADE_PUBLIC_URL is ${publicUrl}, but the contracts name token documents at ${deployment.publicUrl}: serve that address too, or wallets and markets show none`;
}

/**
 * Reads the configuration, checks it against the chain and starts the backend, which stops on SIGINT and SIGTERM.
 * `webDir` is the folder of the built viewer, `doctor` what the console runs. Throws `ConfigError` if the configuration does not fit the chain; a
 * node that is away does not keep the service from starting.
 */
export async function serve({ webDir, doctor }: { readonly webDir: string; readonly doctor: Doctor }): Promise<void> {
  const { config, secrets } = readConfigAndSecrets(omitOtherGames());
  const { rpcUrl, moreRpcUrls } = config;
  if (rpcUrl === null)
    throw new ConfigError(["ARCADE_RPC_URL: expected the chain's node, received none; `npm start` has its own chain"]);
  const deployment = await readAddressesFile(config.deploymentPath);
  if (deployment === null)
    throw new ConfigError([
      `ARCADE_DEPLOYMENT: expected an addresses file, there is no ${config.deploymentPath}; deploy first, or set its path`,
    ]);
  const unknownGames = checkContracts(deployment);
  const { chainId } = deployment;
  checkForChain(config, secrets, chainId);
  const log = createLog(config.logLevel);
  if (unknownGames.length > 0)
    log.warn(
      { games: unknownGames },
      "the addresses file has games that this version does not know; they are not served",
    );
  const urlWarning = findUrlWarning(config, deployment);
  if (urlWarning !== null) log.warn({}, urlWarning);
  for (const file of listOpenSecretFiles())
    log.warn(file, "every user of this machine may read or change a file with a secret: chmod 600, or 640");
  const keys = getServiceKeys(secrets);
  await checkNode({ rpcUrl, moreRpcUrls, deployment, keys, log });
  const app = await startApp({
    config,
    keys,
    rpcUrl,
    moreRpcUrls,
    deployment,
    log,
    webDir,
    doctor,
    faucet: isLocalChain(chainId) ? createNodeFaucet(rpcUrl, developmentServiceAccount(0).address) : null,
    // A supervisor starts the process again, as a standby.
    onTakenOver: () => process.exit(1),
  });
  const { httpUrl, wsUrl } = app;
  log.info({ httpUrl, wsUrl, chainId, roles: config.roles, local: isLocalChain(chainId) }, "ready");
  reloadOnSignal({
    readKeys: async () => {
      const read = readConfigAndSecrets(omitOtherGames(await decryptKeyFiles()));
      checkForChain(read.config, read.secrets, chainId);
      return getServiceKeys(read.secrets);
    },
    keys,
    app,
    log,
  });
  stopOnSignals({
    // SIGHUP reads the keys again.
    signals: ["SIGINT", "SIGTERM"],
    onStop: (signal) => log.info({ signal }, "stopping"),
    close: (options) => app.close(options),
    onError: (error) => log.error({ err: error }, "could not stop cleanly"),
  });
}
