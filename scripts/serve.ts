/** `npm run serve`: the backend alone, against a configured chain and store. */
import { readFile } from "node:fs/promises";
import { createPublicClient, http } from "viem";
import { makeLog } from "../backend/adapters/log.ts";
import { startApp } from "../backend/app.ts";
import { ConfigError, checkForChain, readConfig, readSecrets } from "../backend/config/config.ts";
import { LOCAL_CHAIN_ID } from "../backend/config/dev-keys.ts";
import type { Deployment } from "../backend/ports.ts";
import { buildViewer, webDir } from "./start/build.ts";
import { localKeys } from "./start/stack.ts";

const HELP = `npm run serve

Runs the backend against the chain at ARCADE_RPC_URL, with the addresses file ARCADE_DEPLOYMENT and the signing keys
of the environment. docs/config.md lists every setting.

Example: ARCADE_RPC_URL=https://rpc.example ARCADE_DEPLOYMENT=deploy/deployments/84532.json npm run serve
`;

const LINGER_MS = 1000;

async function serve(): Promise<void> {
  const config = readConfig();
  const secrets = readSecrets();
  if (config.rpcUrl === null)
    throw new ConfigError(["ARCADE_RPC_URL: must be set (npm start embeds a chain of its own)"]);
  const deployment = JSON.parse(await readFile(config.deploymentPath, "utf8")) as Deployment;
  const chainId = await createPublicClient({
    transport: http(config.rpcUrl, { timeout: 5000, retryCount: 1 }),
  }).getChainId();
  if (chainId !== deployment.chainId) {
    throw new ConfigError([
      `ARCADE_RPC_URL: expected chain ${deployment.chainId} (of ARCADE_DEPLOYMENT), the node says ${chainId}`,
    ]);
  }
  checkForChain(config, secrets, chainId);
  await buildViewer();
  const log = makeLog(config.logLevel);
  const app = await startApp({ config, keys: localKeys(secrets), rpcUrl: config.rpcUrl, deployment, log, webDir });
  log.info({ httpUrl: app.httpUrl, wsUrl: app.wsUrl, chainId, local: chainId === LOCAL_CHAIN_ID }, "ready");
  const stop = (signal: string): void => {
    log.info({ signal }, "stopping");
    // A supervisor's signal: whatever sends traffic here is to see 503 before the port is gone.
    app.close({ lingerMs: signal === "SIGTERM" ? LINGER_MS : 0 }).then(
      () => process.exit(0),
      (fault: unknown) => {
        log.error({ err: fault }, "could not stop cleanly");
        process.exit(1);
      },
    );
  };
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
}

if (process.argv.includes("--help")) console.log(HELP);
else {
  serve().catch((fault: unknown) => {
    console.error(
      fault instanceof ConfigError ? fault.message : `The backend could not start: ${(fault as Error).message}`,
    );
    process.exit(fault instanceof ConfigError ? 2 : 1);
  });
}
