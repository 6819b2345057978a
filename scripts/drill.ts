/**
 * `npm run drill [-- ID…]`: drills of test/drills/, one after the other. `--ci` runs the short set, `--planted` takes a
 * safeguard away in each and succeeds where every drill turns red.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { buildContracts, root } from "./start/build.ts";

/** Where each drill lives, and how much of it belongs to the short set (0: none). */
const DRILLS: { readonly [id: string]: { readonly file: string; readonly ciShare: number } } = {
  A1: { file: "kill", ciShare: 0 },
  E1: { file: "malformed", ciShare: 0 },
  E2: { file: "ws-malformed", ciShare: 0.1 },
  F1: { file: "ws-crowd", ciShare: 0.3 },
  F2: { file: "ws-controls", ciShare: 0.4 },
  J1: { file: "races-two-processes", ciShare: 1 },
  L1: { file: "ws-replays", ciShare: 0.2 },
  N1: { file: "ws-drain", ciShare: 1 },
  leak: { file: "ws-leak", ciShare: 0.06 },
};

const options = process.argv.slice(2);
const isCi = options.includes("--ci");
const isPlanted = options.includes("--planted");
const wanted = options.filter((option) => !option.startsWith("--"));
const ids = wanted.length > 0 ? wanted : Object.keys(DRILLS).filter((id) => !isCi || DRILLS[id]!.ciShare > 0);
const unknown = ids.filter((id) => DRILLS[id] === undefined);

if (unknown.length > 0) {
  console.error(`There is no drill ${unknown.join(", ")}. Known: ${Object.keys(DRILLS).join(", ")}.`);
  process.exit(2);
}
await buildContracts();
let failed = 0;
for (const id of ids) {
  const { file, ciShare } = DRILLS[id]!;
  const path = join(root, "test/drills", `${file}.drill.ts`);
  if (!existsSync(path)) throw new Error(`the drill ${id} is missing: ${path}`);
  const startedMs = performance.now();
  const { status } = spawnSync(process.execPath, [join(root, "node_modules/mocha/bin/mocha.js"), path], {
    cwd: root,
    stdio: "inherit",
    env: {
      ...process.env,
      ...(isCi && process.env.DRILL_SHARE === undefined ? { DRILL_SHARE: String(ciShare) } : {}),
      ...(isPlanted ? { DRILL_PLANTED: "1" } : {}),
    },
  });
  const isRed = status !== 0;
  const isGood = isRed === isPlanted;
  if (!isGood) failed += 1;
  const verdict = isPlanted ? (isRed ? "found the planted fault" : "MISSED the planted fault") : isRed ? "FAIL" : "ok";
  console.log(`${id}: ${verdict} (${((performance.now() - startedMs) / 1000).toFixed(0)} s)`);
}
console.log(`${ids.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
