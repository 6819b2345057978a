/** Builds what a run needs and a clone does not hold: compiled contracts and the viewer's files. */
import { spawn } from "node:child_process";
import { readdir, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

async function newestMs(path: string, ignore: ReadonlySet<string>): Promise<number> {
  const info = await stat(path).catch(() => null);
  if (info === null) return 0;
  if (!info.isDirectory()) return info.mtimeMs;
  const names = (await readdir(path)).filter((name) => !ignore.has(name));
  return Math.max(0, ...(await Promise.all(names.map((name) => newestMs(join(path, name), ignore)))));
}

/** Runs one of the installed tools; its words are shown only when it fails. */
function runTool(script: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, script), ...args], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, NO_COLOR: "1" },
    });
    let words = "";
    child.stdout.on("data", (chunk) => {
      words += chunk;
    });
    child.stderr.on("data", (chunk) => {
      words += chunk;
    });
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`${script} ${args.join(" ")} failed:\n${words.slice(-4000)}`)),
    );
  });
}

/** Answers true where something had to be compiled; `onCompile` is told before that begins, for it takes a while. */
export async function buildContracts(onCompile: () => void = () => {}): Promise<boolean> {
  const sources = await newestMs(join(root, "contracts"), new Set(["test"]));
  const artifact = join(root, "artifacts/contracts/RewardsV2.sol/RewardsV2.json");
  const built = await newestMs(artifact, new Set());
  const config = await newestMs(join(root, "hardhat.config.ts"), new Set());
  if (built > Math.max(sources, config)) return false;
  onCompile();
  await runTool("node_modules/hardhat/dist/src/cli.js", ["build", "--quiet", "--no-tests"]);
  // An artifact that did not change keeps its old time; this says that it was looked at.
  await utimes(artifact, new Date(), new Date());
  return true;
}

export const webDir = join(root, "web/dist");

/** Answers true where the viewer had to be built. */
export async function buildViewer(): Promise<boolean> {
  const ignore = new Set(["dist"]);
  const sources = await Promise.all(
    ["web", "backend/games", "backend/domain", "client"].map((name) => newestMs(join(root, name), ignore)),
  );
  if ((await newestMs(join(webDir, "index.html"), new Set())) > Math.max(...sources)) return false;
  await runTool("node_modules/vite/bin/vite.js", ["build", "--config", "web/vite.config.ts", "--logLevel", "error"]);
  return true;
}
