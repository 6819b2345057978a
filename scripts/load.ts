/** `npm run load`: plays and watches sessions on any deployment, and prints what it measured. */
import { resolve } from "node:path";
import { getEnvironment } from "../backend/config/environment.ts";
import { createClient } from "../client/client.ts";
import { AGENT_FLAGS, parseSlugs } from "./agent/options.ts";
import { defineCommand, parseCount, parseServiceFlag } from "./cli/command.ts";
import { EXIT, UsageError } from "./cli/failures.ts";
import { findGivenNode, RPC_FLAG } from "./cli/node.ts";
import { createReport, formatReport, type ServiceTicks } from "./load/report.ts";
import { runLoad } from "./load/run.ts";

const MAX_CONNECTIONS = 5000;
const MAX_MINUTES = 24 * 60;
const DEFAULTS = { agents: 10, spectators: 0, minutes: 1, latenessMs: 50, answersMs: 500 } as const;

/** Throws `UsageError`. */
function parseMinutes(text: string): number {
  const minutes = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && minutes > 0 && minutes <= MAX_MINUTES) return minutes;
  throw new UsageError(`--minutes: expected a number above 0 and at most ${MAX_MINUTES}, received "${text}"`);
}

/** The service's own tick figures; null if `/status` is not public. */
const readServiceTicks = (url: string): Promise<ServiceTicks | null> =>
  createClient({ baseUrl: url, retry: { retries: 0 } })
    .operations.status()
    .then(
      ({ ticks }) => ticks,
      () => null,
    );

export const command = defineCommand({
  name: "load",
  summary: "plays and watches many sessions on a service and measures ticks, responses, errors and bytes",
  flags: {
    url: AGENT_FLAGS.url,
    ...RPC_FLAG,
    game: { ...AGENT_FLAGS.game, default: "both" },
    agents: { type: "string", value: "N", help: "sessions at once", default: String(DEFAULTS.agents) },
    ranked: {
      type: "boolean",
      help: "ranked sessions, with wallets that are kept in data/load and have an identity; forfeits pending scores",
    },
    yes: AGENT_FLAGS.yes,
    spectators: { type: "string", value: "M", help: "spectators at once", default: String(DEFAULTS.spectators) },
    minutes: { type: "string", value: "T", help: "duration, such as 0.5", default: String(DEFAULTS.minutes) },
    "late-ms": {
      type: "string",
      value: "MS",
      help: "maximum lateness of the 99th percentile of frames",
      default: String(DEFAULTS.latenessMs),
    },
    "answer-ms": {
      type: "string",
      value: "MS",
      help: "maximum time of the 99th percentile of answers",
      default: String(DEFAULTS.answersMs),
    },
  },
  examples: [
    "npm run load -- --url https://arcade.example --agents 50 --spectators 200 --minutes 5 --json",
    "npm run load -- --ranked --agents 20",
  ],
  notes: [
    "Ranked agents get their identity before the measurement; the faucet of the local chain or the operator pays their gas.",
    "With rate limits on, one address plays at most 2 practice sessions at once; they are off on the local chain.",
    "Exit code 1 if the verdict is not good. Lateness is relative to the earliest frame of the same socket.",
  ],
  async run({ flags }, terminal) {
    const url = parseServiceFlag(flags.url ?? AGENT_FLAGS.url.default);
    const options = {
      url,
      slugs: parseSlugs(flags.game ?? "both"),
      agents: parseCount("agents", flags.agents, DEFAULTS.agents, MAX_CONNECTIONS),
      spectators:
        flags.spectators === "0" ? 0 : parseCount("spectators", flags.spectators, DEFAULTS.spectators, MAX_CONNECTIONS),
      ranked:
        flags.ranked === true
          ? {
              keysFolder: resolve(getEnvironment().ARCADE_DATA_DIR || "data", "load"),
              isAgreed: flags.yes === true,
              rpcUrl: findGivenNode(flags) ?? null,
            }
          : null,
      seconds: Math.ceil(60 * (flags.minutes === undefined ? DEFAULTS.minutes : parseMinutes(flags.minutes))),
    };
    const limits = {
      latenessP99Ms: parseCount("late-ms", flags["late-ms"], DEFAULTS.latenessMs, 60_000),
      answersP99Ms: parseCount("answer-ms", flags["answer-ms"], DEFAULTS.answersMs, 60_000),
    };
    if (options.ranked !== null) terminal.print(`preparing ${options.agents} agents …`);
    terminal.print(`loading ${url} for ${options.seconds} s …`);
    const measurement = await runLoad(options);
    const report = createReport(measurement, options, limits, await readServiceTicks(url));
    for (const line of formatReport(report)) terminal.print(line);
    terminal.printJson({ ok: report.verdict.ok, url, ...report });
    return report.verdict.ok ? EXIT.ok : EXIT.error;
  },
});
