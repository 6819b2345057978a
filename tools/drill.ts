/** `npm run drill`: runs drills of test/drills/, one after the other. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { getEnvironment } from "../backend/config/environment.ts";
import { defineCommand } from "../scripts/cli/command.ts";
import { EXIT, UsageError } from "../scripts/cli/failures.ts";
import type { Terminal } from "../scripts/cli/terminal.ts";
import { root } from "../scripts/start/build.ts";

/** The file of each drill, and how much of it belongs to the short set (0: none). */
const DRILLS: { readonly [id: string]: { readonly file: string; readonly ciShare: number } } = {
  A1: { file: "kill", ciShare: 0 },
  E1: { file: "malformed", ciShare: 0 },
  E2: { file: "ws-malformed", ciShare: 0.1 },
  FLOOD: { file: "flood", ciShare: 0 },
  F1: { file: "ws-crowd", ciShare: 0.3 },
  F2: { file: "ws-controls", ciShare: 0.4 },
  I1: { file: "replays", ciShare: 1 },
  J1: { file: "races", ciShare: 1 },
  L1: { file: "ws-replays", ciShare: 0.2 },
  "L1-files": { file: "replay-files", ciShare: 0.04 },
  N1: { file: "ws-drain", ciShare: 1 },
  reconnect: { file: "ws-reconnects", ciShare: 0.04 },
  leak: { file: "ws-leak", ciShare: 0.06 },
  drain: { file: "sponsors", ciShare: 0.03 },
};

interface DrillOptions {
  readonly isCi: boolean;
  readonly isSelfTest: boolean;
}

/** Runs one drill in a process of its own. Returns whether it passed, or failed in a self-test, as expected. */
function runDrill(id: string, { isCi, isSelfTest }: DrillOptions, terminal: Terminal): boolean {
  const { file, ciShare } = DRILLS[id]!;
  const startedMs = performance.now();
  const environment = getEnvironment();
  const path = join(root, "test/drills", `${file}.drill.ts`);
  const { status } = spawnSync(process.execPath, [join(root, "node_modules/mocha/bin/mocha.js"), path], {
    cwd: root,
    stdio: ["inherit", terminal.json ? 2 : "inherit", "inherit"],
    env: {
      ...environment,
      ...(isCi && environment.DRILL_SHARE === undefined ? { DRILL_SHARE: String(ciShare) } : {}),
      ...(isSelfTest ? { DRILL_SELF_TEST: "1" } : {}),
    },
  });
  const isRed = status !== 0;
  const passed = isRed === isSelfTest;
  const verdict = isSelfTest
    ? isRed
      ? "found the injected fault"
      : "MISSED the injected fault"
    : isRed
      ? "FAIL"
      : "ok";
  terminal.print(`${id}: ${verdict} (${((performance.now() - startedMs) / 1000).toFixed(0)} s)`);
  return passed;
}

export const command = defineCommand({
  name: "drill",
  summary: "runs drills: failures and loads that the service must survive",
  args: { ids: { value: "ID", help: "drills to run; all when left out", count: "any" } },
  flags: {
    ci: { type: "boolean", help: "the short set, each drill with a part of its load" },
    "self-test": { type: "boolean", help: "remove a safeguard in each drill; the run succeeds if every drill fails" },
  },
  examples: ["npm run drill -- A1 E1", "npm run drill -- --ci"],
  notes: [`Drills: ${Object.keys(DRILLS).join(", ")}.`],
  async run({ flags, args }, terminal) {
    const unknown = args.ids.filter((id) => DRILLS[id] === undefined);
    if (unknown.length > 0)
      throw new UsageError(`ID: expected ${Object.keys(DRILLS).join(", ")}, received ${unknown.join(", ")}`);
    const options = { isCi: flags.ci === true, isSelfTest: flags["self-test"] === true };
    const ids =
      args.ids.length > 0 ? args.ids : Object.keys(DRILLS).filter((id) => !options.isCi || DRILLS[id]!.ciShare > 0);
    const results = ids.map((id) => ({ id, passed: runDrill(id, options, terminal) }));
    const failed = results.filter(({ passed }) => !passed).length;
    terminal.print(`${ids.length - failed} passed, ${failed} failed`);
    terminal.printJson({ ok: failed === 0, drills: results });
    return failed === 0 ? EXIT.ok : EXIT.error;
  },
});
