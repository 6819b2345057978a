/** Builds what a clone lacks (the site's files, compiled contracts, the client's package), cached by content. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeDataFolder } from "../../backend/adapters/node/data-folder.ts";
import { getEnvironment } from "../../backend/config/environment.ts";
import { CommandError } from "../cli/failures.ts";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const webDir = join(root, "web/dist");

/** Files below each path (a folder or a file), relative to the root, sorted. */
async function listFiles(paths: readonly string[], ignoredFolders: readonly string[]): Promise<string[]> {
  const lists = await Promise.all(
    paths.map(async (path) => {
      const entries = await readdir(join(root, path), { withFileTypes: true }).catch(() => null);
      if (entries === null) return [path];
      const names = entries.map(({ name }) => `${path}/${name}`).filter((name) => !ignoredFolders.includes(name));
      return listFiles(names, ignoredFolders);
    }),
  );
  return lists.flat().sort();
}

/** SHA-256 over names and contents of the files below the paths. */
export async function hashContent(paths: readonly string[], ignoredFolders: readonly string[] = []): Promise<string> {
  const hash = createHash("sha256");
  for (const path of await listFiles(paths, ignoredFolders)) {
    hash
      .update(`${path}\0`)
      .update(await readFile(join(root, path)))
      .update("\0");
  }
  return hash.digest("hex");
}

/**
 * Runs `build` unless `marker` shows that the last successful build had the same inputs. Returns true if it ran.
 * @param marker File with the hash of the inputs, inside the output's folder, so that both disappear together.
 */
export async function buildOnce(marker: string, inputsHash: string, build: () => Promise<void>): Promise<boolean> {
  if ((await readFile(marker, "utf8").catch(() => null)) === inputsHash) return false;
  await build();
  await mkdir(dirname(marker), { recursive: true });
  await writeFile(marker, inputsHash);
  return true;
}

/** Inside a built folder: the hash of its inputs. */
const MARKER = ".inputs.sha256";

const readMarker = (folder: string): Promise<string | null> => readFile(join(folder, MARKER), "utf8").catch(() => null);

const CACHE = join(root, "node_modules/.cache");

/**
 * Runs `build` unless `folder` was built from the same inputs. It writes to a temporary folder, which replaces the old
 * one when complete, so that other processes can read and build at the same time. Returns true if it ran.
 */
export async function buildFolderOnce(
  folder: string,
  inputsHash: string,
  build: (outDir: string) => Promise<void>,
  /** On the same disk, so that the built folder can be renamed, and outside the inputs. */
  cache = CACHE,
): Promise<boolean> {
  if ((await readMarker(folder)) === inputsHash) return false;
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(join(cache, "build-"));
  try {
    const built = join(work, "new");
    await build(built);
    await writeFile(join(built, MARKER), inputsHash);
    await replaceFolder(folder, built, work, inputsHash);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return true;
}

/**
 * Replaces `folder` with `built`, unless another process has built the same: a complete folder stays, so that readers
 * find every file. Replaced folders remain in `work`.
 */
async function replaceFolder(folder: string, built: string, work: string, inputsHash: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  for (let replaced = 1; ; replaced += 1) {
    // Fails if a folder with files has the name.
    const failure = await rename(built, folder).catch((error: NodeJS.ErrnoException) => error);
    if (failure === undefined) return;
    if (failure.code !== "ENOTEMPTY" && failure.code !== "EEXIST") throw failure;
    if ((await readMarker(folder)) === inputsHash) return;
    // Fails if another process was faster.
    await rename(folder, join(work, `old-${replaced}`)).catch(() => undefined);
  }
}

/** Runs a script with this Node in the root; prints its output only if it fails. */
function runScript(script: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, script), ...args], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...getEnvironment(), NO_COLOR: "1" },
    });
    let output = "";
    const collect = (chunk: unknown): void => {
      output += chunk;
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`${script} ${args.join(" ")} failed:\n${output.slice(-4000)}`)),
    );
  });
}

/** Compiles the contracts, without their Solidity tests, unless nothing changed. Returns true if it compiled. */
export async function compileContracts(onCompile: () => void = () => {}): Promise<boolean> {
  const packages = ["node_modules/solc/package.json", "node_modules/@openzeppelin/contracts/package.json"];
  const inputsHash = await hashContent(["contracts", "test/solidity/mocks", "hardhat.config.ts", ...packages]);
  return buildOnce(join(root, "artifacts", MARKER), inputsHash, async () => {
    onCompile();
    await runScript("node_modules/hardhat/dist/src/cli.js", ["build", "--no-tests", "--quiet"]);
  });
}

/**
 * The site's folder. In production it must already be built: the service may not be allowed to write there, and several
 * may share it. Throws `CommandError`.
 */
export async function findSite(): Promise<string> {
  if (getEnvironment().NODE_ENV !== "production")
    await buildSite().catch((error: unknown) => {
      if (!isDenied(error)) throw error;
    });
  if ((await readMarker(webDir)) === null)
    throw new CommandError(`The site is not built: ${webDir} has no files.`, { next: "npm run build, once" });
  return webDir;
}

const isDenied = (error: unknown): boolean =>
  ["EACCES", "EPERM", "EROFS"].includes((error as NodeJS.ErrnoException).code ?? "");

/** Builds in the first folder that this user may write to, and returns it. */
export async function buildWhereAllowed(
  folders: readonly [string, string],
  build: (folder: string) => Promise<unknown>,
): Promise<string> {
  const [first, second] = folders;
  try {
    await build(first);
    return first;
  } catch (error) {
    if (!isDenied(error)) throw error;
    await build(second);
    return second;
  }
}

/**
 * Builds the site for `npm start` and returns its folder: in the data folder if the installation belongs to another
 * user, as in a container that installs as root and runs as a user.
 */
export const buildSiteFor = (dataDir: string): Promise<string> =>
  buildWhereAllowed([webDir, join(dataDir, "site")], async (folder) => {
    if (folder === webDir) return buildSite();
    makeDataFolder(dataDir);
    return buildSite(folder, dataDir);
  });

const ASSETS = "public/assets";
/** In a built site: the assets of the build before it. */
const KEPT = "kept-assets.json";

const listAssets = (site: string): Promise<readonly string[]> => readdir(join(site, ASSETS)).catch(() => []);

/** Copies the last build's assets, for a running service and for open pages. Those that it had kept itself end here. */
async function keepAssets(lastSite: string, newSite: string): Promise<void> {
  const ended: unknown = JSON.parse(await readFile(join(lastSite, KEPT), "utf8").catch(() => "[]"));
  const without = new Set([...(ended as readonly string[]), ...(await listAssets(newSite))]);
  const kept = (await listAssets(lastSite)).filter((name) => !without.has(name));
  // Another process may replace the last build.
  for (const name of kept)
    await copyFile(join(lastSite, ASSETS, name), join(newSite, ASSETS, name)).catch(() => undefined);
  await writeFile(join(newSite, KEPT), JSON.stringify(kept));
}

/** Builds the site, into `web/dist` by default, unless nothing changed. Returns true if it was built. */
export async function buildSite(folder = webDir, cache = CACHE): Promise<boolean> {
  // The site shows the guides of docs/.
  const sources = ["web", "games", "domain", "client", "docs", "package.json"];
  const ignored = ["web/dist", "docs/adr", "docs/pictures"];
  const bundle = async (outDir: string): Promise<void> => {
    const { bundleSite } = await import("../../web/bundle.ts");
    await bundleSite(outDir);
  };
  return buildSiteFolder(folder, await hashContent(sources, ignored), bundle, cache);
}

/** `buildFolderOnce` for a site. */
export const buildSiteFolder: typeof buildFolderOnce = (folder, inputsHash, bundle, cache) =>
  buildFolderOnce(
    folder,
    inputsHash,
    async (outDir) => {
      await bundle(outDir);
      await keepAssets(folder, outDir);
    },
    cache,
  );
