// Runs a command: `node scripts/run.mjs NAME …` runs scripts/NAME.ts, `node scripts/run.mjs lab NAME …` runs lab/NAME.ts.
// Plain JavaScript, so that an old Node can parse it.
import { existsSync } from "node:fs";
import * as nodeModule from "node:module";
import { fileURLToPath } from "node:url";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `This command needs Node 22.18 or later, this is ${process.versions.node}.\n` +
      "Run it through npm (`npm run …`): `npm ci` installs a Node 24 that npm puts first.\n" +
      "If npm still finds an old one, its platform package is missing: install Node 24 by hand.",
  );
  process.exit(2);
}
// Keeps compiled and type-stripped modules, which saves about a second of CPU time per start.
nodeModule.enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/node", import.meta.url)));
// npm removes the `--` before a script's arguments, pnpm passes it on.
if (process.argv[3] === "--") process.argv.splice(3, 1);
const [name] = process.argv.splice(2, 1);
const toolPath = `../lab/${process.argv[2]}.ts`;
const hasTool = name === "lab" && existsSync(new URL(toolPath, import.meta.url));
if (hasTool) process.argv.splice(2, 1);
const labPath = hasTool ? toolPath : "../lab/help.ts";
const path = name === "lab" ? labPath : name.includes("/") ? `../${name}.ts` : `./${name}.ts`;
const { endWithNpm, endWithReader, endWithSignals } = await import("./cli/endings.ts");
const { bypassProxyLocally } = await import("../backend/config/environment.ts");
bypassProxyLocally();
endWithSignals();
endWithReader();
endWithNpm();
const { command } = await import(new URL(path, import.meta.url).href);
const { runCommand } = await import("./cli/command.ts");
process.exitCode = await runCommand(command);
// Node writes the cache when a process exits: one that only ever ends by `kill -9` would compile everything at each
// start.
if (command.isServer && process.exitCode === 0) nodeModule.flushCompileCache();
// Abandoned requests, and sockets and timers of a server that could not start, would keep the process alive.
if (command.leavesRequests || (command.isServer && process.exitCode !== 0)) process.exit();
