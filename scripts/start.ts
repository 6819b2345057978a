/** `npm start`: the whole service on this machine, ready to play against. */
import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { makeLog } from "../backend/adapters/log.ts";
import { ConfigError, readConfig, readSecrets } from "../backend/config/config.ts";
import { LOCAL_CHAIN_ID } from "../backend/config/dev-keys.ts";
import { buildContracts, buildViewer, webDir } from "./start/build.ts";
import { showStack } from "./start/show.ts";
import { type Stack, startStack } from "./start/stack.ts";

const HELP = `npm start [-- --json] [-- --fresh]

Starts everything on this machine: an embedded chain (${LOCAL_CHAIN_ID}), the contracts, the backend and the viewer.

  --json    print exactly one line of JSON on stdout when ready
  --fresh   forget the local chain, its deployment and the database first
  --help    this text

Example: npm start -- --fresh
Settings: docs/config.md (for example ARCADE_PORT=5000 npm start)
`;

function readArguments(): { readonly json: boolean; readonly fresh: boolean } {
  try {
    const { values } = parseArgs({
      options: { json: { type: "boolean" }, fresh: { type: "boolean" }, help: { type: "boolean", short: "h" } },
    });
    if (values.help) {
      console.log(HELP);
      process.exit(0);
    }
    return { json: values.json ?? false, fresh: values.fresh ?? false };
  } catch (fault) {
    console.error(`${(fault as Error).message}\n\n${HELP}`);
    process.exit(2);
  }
}

const LINGER_MS = 1000;
const { json, fresh } = readArguments();

/** Words go to stderr when stdout is for a machine. */
const say = (words: string): void => {
  process[json ? "stderr" : "stdout"].write(`${words}\n`);
};

async function step<T>(title: string, run: () => Promise<T>): Promise<T> {
  const startedMs = performance.now();
  const result = await run();
  say(`  ${title.padEnd(12)} ready after ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
  return result;
}

function forget(databaseUrl: string, deploymentPath: string): void {
  const path = databaseUrl.replace(/^sqlite:/, "");
  for (const file of [path, `${path}-wal`, `${path}-shm`, deploymentPath]) rmSync(file, { force: true });
}

async function start(): Promise<Stack> {
  const config = readConfig();
  const secrets = readSecrets();
  if (config.rpcUrl !== null) throw new Error("npm start embeds its own chain; with ARCADE_RPC_URL use npm run serve.");
  say("Agent Arcade is starting");
  await step("compiler", () => buildContracts(() => say("  compiling the contracts, about 40 s, this once …")));
  await step("viewer", buildViewer);
  if (fresh) forget(config.databaseUrl, config.deploymentPath);
  return startStack({
    config,
    secrets,
    fresh,
    log: makeLog(config.logLevel === "info" ? "warn" : config.logLevel),
    webDir,
    step,
  });
}

try {
  const stack = await start();
  const stop = (signal: string): void => {
    process.removeAllListeners("SIGINT");
    process.removeAllListeners("SIGTERM");
    say(`\nstopping (${signal}) …`);
    // A supervisor's signal: whatever sends traffic here is to see 503 before the port is gone.
    stack.close({ lingerMs: signal === "SIGTERM" ? LINGER_MS : 0 }).then(
      () => process.exit(0),
      (fault: unknown) => {
        console.error(fault);
        process.exit(1);
      },
    );
  };
  process.on("SIGINT", () => stop("SIGINT"));
  process.on("SIGTERM", () => stop("SIGTERM"));
  process.stdout.write(showStack(stack, json));
} catch (fault) {
  console.error(
    fault instanceof ConfigError ? fault.message : `Agent Arcade could not start: ${(fault as Error).message}`,
  );
  if (process.env.ARCADE_LOG_LEVEL === "debug") console.error(fault);
  process.exit(fault instanceof ConfigError ? 2 : 1);
}
