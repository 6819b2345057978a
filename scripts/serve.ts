/** `npm run serve`: the backend against a configured chain and store. */
import { serve } from "../backend/main.ts";
import { defineCommand } from "./cli/command.ts";
import { EXIT } from "./cli/failures.ts";
import { examineDeployment } from "./doctor/examine-deployment.ts";
import { findSite } from "./start/build.ts";

export const command = defineCommand({
  isServer: true,
  name: "serve",
  summary: "runs the backend against the chain at ARCADE_RPC_URL, with the configured addresses file and keys",
  examples: ["ARCADE_RPC_URL=https://rpc.example ARCADE_DEPLOYMENT=deploy/deployments/84532.json npm run serve"],
  notes: [
    "With NODE_ENV=production the command does not build the site: run `npm run build` once after installing.",
    "Settings: docs/config.md. The log is one line of JSON per event on stderr, with and without --json.",
  ],
  async run() {
    await serve({ webDir: await findSite(), doctor: examineDeployment });
    return EXIT.ok;
  },
});
