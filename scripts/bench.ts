/** `npm run bench [-- NAME]`: runs a benchmark of bench/; what it compares with is installed there on first use. */
import { spawnSync } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { basename, join } from "node:path";
import { root } from "./start/build.ts";

const folder = join(root, "bench");
const names = globSync("*.ts", { cwd: folder }).map((file) => basename(file, ".ts"));
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !names.includes(name));

if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(", ")}. Known: ${names.join(", ")}.`);
  process.exitCode = 2;
} else {
  if (!existsSync(join(folder, "node_modules"))) {
    console.log("installing what the benchmarks compare with, once …");
    const install = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
      cwd: folder,
      stdio: "inherit",
    });
    if (install.status !== 0) throw new Error("npm ci failed in bench/");
  }
  for (const name of wanted.length > 0 ? wanted : names) {
    const { run } = (await import(join(folder, `${name}.ts`))) as { run: () => Promise<void> };
    await run();
  }
}
