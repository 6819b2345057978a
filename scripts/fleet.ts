/** `npm run fleet`: several backends on one database behind a balancer, to try out. */

import { stopOnSignals } from "../backend/app/stop-on-signals.ts";
import { readConfigAndSecrets } from "../backend/config/config.ts";
import { getEnvironment } from "../backend/config/environment.ts";
import { defineCommand, parseCount } from "./cli/command.ts";
import { CommandError, EXIT, toMessage, UsageError } from "./cli/failures.ts";
import { checkInstalled, findNatsProgram, findPostgresPrograms } from "./fleet/programs.ts";
import { formatFleet } from "./fleet/show.ts";
import { startFleet } from "./fleet/start-fleet.ts";
import { buildSite } from "./start/build.ts";
import { createStepReporter } from "./start/step-reporter.ts";

const BACKENDS_MAX = 8;
const DEFAULT_BACKENDS = 3;
/** Settings that the fleet sets itself. */
const OWN_SETTINGS = ["ARCADE_RPC_URL", "ARCADE_DATABASE_URL", "ARCADE_NATS_URL", "ARCADE_PUBLIC_URL"];

export const command = defineCommand({
  isServer: true,
  name: "fleet",
  summary: "starts PostgreSQL, NATS, a chain, several backends and a balancer on this machine, to try out a fleet",
  flags: {
    backends: { type: "string", value: "N", help: "number of backends", default: String(DEFAULT_BACKENDS) },
  },
  examples: ["npm run fleet -- --backends 3", "ARCADE_PORT=5000 npm run fleet -- --json"],
  notes: [
    "All data is temporary. A backend that ends restarts after half a second.",
    "With --json, stdout has exactly one line when everything is ready. Settings: docs/config.md.",
  ],
  async run({ flags }, terminal) {
    const backendCount = parseCount("backends", flags.backends, DEFAULT_BACKENDS, BACKENDS_MAX);
    const given = OWN_SETTINGS.filter((name) => getEnvironment()[name] !== undefined);
    if (given.length > 0)
      throw new UsageError(`${given.join(", ")}: expected none, because the fleet sets them itself`);
    const { config, secrets } = readConfigAndSecrets();
    checkInstalled({ postgresql: findPostgresPrograms(), "nats-server": findNatsProgram() });
    let isStopping = false;
    const report = createStepReporter(terminal);
    const step: typeof report = async (title, run) => {
      if (isStopping) throw new Error("it was stopped before");
      return report(title, run);
    };
    terminal.print("A fleet of Agent Arcade is starting");
    await step("site", buildSite);
    const onMessage = (text: string): void => terminal.print(`  ${text}`);
    const starting = startFleet({ backendCount, config, secrets, step, onMessage });
    stopOnSignals({
      signals: ["SIGINT", "SIGTERM", "SIGHUP"],
      onStop(signal) {
        isStopping = true;
        // npm forwards the terminal's signal too, so it arrives twice.
        process.on("SIGINT", () => undefined);
        terminal.print(`\nstopping (${signal}) …`);
      },
      close: () =>
        starting.then(
          (fleet) => fleet.stop(),
          () => undefined,
        ),
      onError: (error) => terminal.print((error as Error).message),
    });
    const fleet = await starting.catch((cause: unknown) => {
      throw new CommandError(`The fleet could not start: ${toMessage(cause)}`, { cause });
    });
    process.stdout.write(formatFleet(fleet, terminal.json));
    return EXIT.ok;
  },
});
