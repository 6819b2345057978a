/** `npm run chain -- proxy`: a proxy in front of a node, with faults from a seed or a record. */
import { readFileSync, writeFileSync } from "node:fs";
import { stopOnSignals } from "../../backend/app/stop-on-signals.ts";
import { CHAOS, type Fault, readFaults } from "../../testing/chaos/faults.ts";
import { startChaosNode } from "../../testing/chaos/node.ts";
import { TestingError } from "../../testing/errors.ts";
import { defineCommand } from "../cli/command.ts";
import { CommandError, EXIT, UsageError } from "../cli/failures.ts";
import { openOutputFile, resolveUserPath } from "../cli/user-paths.ts";

function readRecord(path: string): readonly Fault[] {
  try {
    return readFaults(JSON.parse(readFileSync(path, "utf8")));
  } catch (error) {
    if (error instanceof TestingError) throw new UsageError(error.message);
    throw new UsageError(`--replay: expected a file that --record wrote; ${path}: ${(error as Error).message}`);
  }
}

const parseNumber = (name: string, text: string | undefined): number | undefined => {
  if (text === undefined || /^\d+$/.test(text)) return text === undefined ? undefined : Number(text);
  throw new UsageError(`--${name}: expected a whole number, received "${text}"`);
};

export const proxy = defineCommand({
  name: "proxy",
  summary: "runs a proxy in front of any node, with faults chosen by a seed, until you stop it",
  flags: {
    to: { type: "string", value: "URL", help: "the node behind the proxy" },
    chaos: { type: "string", value: "KINDS", help: `kinds of faults: ${Object.keys(CHAOS).join(",")}` },
    seed: { type: "string", value: "N", help: "the same seed gives the same faults", default: "1" },
    port: { type: "string", value: "N", help: "the port; 0 for any", default: "0" },
    record: { type: "string", value: "FILE", help: "file for the faults, written when the proxy stops" },
    replay: { type: "string", value: "FILE", help: "repeat the faults of a file of --record" },
  },
  examples: ["npm run chain -- proxy --to http://127.0.0.1:8545 --chaos send,receipts,logs,head --seed 7"],
  async run({ flags: { to, chaos, seed, port, replay, ...flags } }, terminal) {
    if (to === undefined) throw new UsageError("--to: expected the address of a node, received none");
    const record = flags.record === undefined ? undefined : openOutputFile("record", flags.record);
    const options = {
      ...{ to, chaos: chaos?.split(",") ?? [], seed: parseNumber("seed", seed) ?? 1 },
      port: parseNumber("port", port) ?? 0,
      ...(replay !== undefined && { replay: readRecord(resolveUserPath(replay)) }),
    };
    const node = await startChaosNode(options).catch((cause: unknown) => {
      if (!(cause instanceof TestingError)) throw cause;
      const isUsage = cause.code === "UNKNOWN_FAULT" || cause.code === "INVALID_OPTION";
      throw isUsage ? new UsageError(cause.message) : new CommandError(cause.message, { exitCode: EXIT.chain, cause });
    });
    stopOnSignals({
      signals: ["SIGINT", "SIGTERM", "SIGHUP"],
      onStop: () => terminal.print(`${node.faults.length} faults`),
      close: async () => {
        await node.close();
        if (record !== undefined) writeFileSync(record, `${JSON.stringify(node.faults, null, 1)}\n`);
      },
      onError: (error) => terminal.print((error as Error).message),
    });
    terminal.print(`${node.url} forwards to ${to}; Ctrl-C stops it`);
    return { url: node.url };
  },
});
