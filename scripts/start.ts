/** `npm start`: runs the whole service on this machine. */
import { rmSync } from "node:fs";
import { findSqliteFile } from "../backend/app/connect.ts";
import { stopOnSignals } from "../backend/app/stop-on-signals.ts";
import { type Config, readConfigAndSecrets } from "../backend/config/config.ts";
import { LOCAL_CHAIN_ID } from "../domain/chain-ids.ts";
import { startDevStack } from "../local-chain/dev-stack.ts";
import { defineCommand } from "./cli/command.ts";
import { CommandError, EXIT, toMessage, UsageError } from "./cli/failures.ts";
import { examineDeployment } from "./doctor/examine-deployment.ts";
import { buildSiteFor } from "./start/build.ts";
import { formatStack } from "./start/show.ts";
import { createStepReporter } from "./start/step-reporter.ts";

function deleteLocalState({ databaseUrl, deploymentPath }: Config): void {
  const path = findSqliteFile(databaseUrl);
  if (path === null)
    throw new UsageError("--fresh: expected a database of sqlite:PATH; delete a PostgreSQL database yourself");
  for (const file of [path, `${path}-wal`, `${path}-shm`, deploymentPath]) rmSync(file, { force: true });
}

export const command = defineCommand({
  isServer: true,
  name: "start",
  summary: `starts an embedded chain (${LOCAL_CHAIN_ID}), the contracts, the backend and the site on this machine`,
  flags: { fresh: { type: "boolean", help: "delete the local chain, its deployment and the database first" } },
  examples: ["npm start -- --fresh", "ARCADE_PORT=5000 npm start -- --json"],
  notes: ["With --json, stdout has exactly one line when everything is ready. Settings: docs/config.md."],
  async run({ flags }, terminal) {
    const { config, secrets } = readConfigAndSecrets();
    if (config.rpcUrl !== null)
      throw new UsageError(
        "ARCADE_RPC_URL: expected none, because `npm start` starts a chain; use `npm run serve` instead",
      );
    const fresh = flags.fresh === true;
    const step = createStepReporter(terminal);
    terminal.print("Agent Arcade is starting");
    const webDir = await step("site", () => buildSiteFor(config.dataDir));
    if (fresh) deleteLocalState(config);
    const stack = await startDevStack({ config, secrets, fresh, webDir, step, doctor: examineDeployment }).catch(
      (cause: unknown) => {
        throw new CommandError(`Agent Arcade could not start: ${toMessage(cause)}`, { cause });
      },
    );
    stopOnSignals({
      signals: ["SIGINT", "SIGTERM", "SIGHUP"],
      onStop: (signal) => terminal.print(`\nstopping (${signal}) …`),
      close: (options) => stack.close(options),
      onError: (error) => console.error(error),
    });
    process.stdout.write(formatStack(stack, terminal.json));
    return EXIT.ok;
  },
});
