/** The whole service as `serve` runs it on a public chain behind a proxy, limits and log included. */
import { createLog } from "../../../backend/adapters/system/log.ts";
import { startApp } from "../../../backend/app/app.ts";
import { readConfig } from "../../../backend/config/config.ts";
import { getDevelopmentKeys } from "../../../backend/config/service-keys.ts";
import type { Deployment } from "../../../backend/ports/chain.ts";
import type { RateLimiter } from "../../../backend/ports/system.ts";

/** What a server process is started with. */
export interface ServiceOptions {
  readonly rpcUrl: string;
  readonly deployment: Deployment;
  readonly folder: string;
  readonly databaseFile: string;
}

/** Returns the service's address. `limiter`: replaces the service's. */
export async function startService(options: ServiceOptions, limiter?: RateLimiter): Promise<string> {
  const { rpcUrl, deployment, folder, databaseFile } = options;
  const app = await startApp({
    config: readConfig({
      ARCADE_DATA_DIR: folder,
      ARCADE_DATABASE_URL: `sqlite:${databaseFile}`,
      ARCADE_PORT: "0",
      ARCADE_DEMO_AGENTS: "off",
      ARCADE_RATE_LIMITS: "on",
      ARCADE_TRUST_PROXY: "true",
    }),
    keys: getDevelopmentKeys(),
    rpcUrl,
    deployment,
    log: createLog("info"),
    webDir: null,
    ...(limiter !== undefined && { limiter }),
  });
  return app.httpUrl;
}
