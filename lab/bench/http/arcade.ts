/** Our side: the whole service as `serve` runs it on a public chain behind a proxy, limits and log included. */
import { createLog } from "../../../backend/adapters/system/log.ts";
import { startApp } from "../../../backend/app/app.ts";
import { readConfig } from "../../../backend/config/config.ts";
import { getDevelopmentKeys } from "../../../backend/config/service-keys.ts";
import { serveSide } from "./side.ts";

serveSide(async ({ rpcUrl, deployment, folder, databaseFile }) => {
  const app = await startApp({
    config: readConfig({
      ARCADE_DATA_DIR: folder,
      ARCADE_DATABASE_URL: `sqlite:${databaseFile}`,
      ARCADE_PORT: "0",
      ARCADE_HOUSE_AGENTS: "off",
      ARCADE_RATE_LIMITS: "on",
      ARCADE_TRUST_PROXY: "true",
    }),
    keys: getDevelopmentKeys(),
    rpcUrl,
    deployment,
    log: createLog("info"),
    webDir: null,
  });
  return Number(new URL(app.httpUrl).port);
});
