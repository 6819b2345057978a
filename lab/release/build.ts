/** Builds the packages of a repository in two clones and compares the results byte by byte. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, statSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { getEnvironment } from "../../backend/config/environment.ts";
import { lintPackage } from "../external-validators/lint-package.ts";

const run = promisify(execFile);

export interface ReleasePackage {
  readonly name: string;
  readonly version: string;
  /** The tarball, or the wheel of the package for Python. */
  readonly file: string;
  readonly bytes: number;
  /** SHA-512, as npm and lockfiles write it. */
  readonly integrity: string;
}

export interface Release {
  readonly packages: readonly ReleasePackage[];
  readonly sbom: { readonly file: string; readonly specVersion: string; readonly components: number };
  /** Differences between the two builds, and publint's findings. */
  readonly errors: readonly string[];
}

/** The clones differ in things that must not affect a package: path length, time zone and locale. */
const CLONES = [
  { folder: "a", env: { TZ: "UTC", LC_ALL: "C" } },
  { folder: "a-longer-path/b", env: { TZ: "Pacific/Kiritimati", LC_ALL: "C.UTF-8" } },
] as const;

const SBOM = "sbom.cdx.json";

interface Sbom {
  readonly specVersion: string;
  readonly components: readonly object[];
  readonly metadata: object;
}

/** The packages that the product is built from. npm's random serial number and the time of the run are left out. */
async function createSbom(cwd: string, timestamp: string): Promise<Sbom> {
  const args = ["sbom", "--sbom-format", "cyclonedx", "--omit", "dev", "--package-lock-only"];
  const { stdout } = await run("npm", args, { cwd, maxBuffer: 64 * 1024 ** 2 });
  const { serialNumber: _random, ...sbom } = JSON.parse(stdout);
  return { ...sbom, metadata: { ...sbom.metadata, timestamp } };
}

/** Clones HEAD and packs every package, each by its `pack:NAME` script. Returns the folder with the tarballs. */
async function buildClone(source: string, dir: string, more: { readonly [name: string]: string }): Promise<string> {
  // The last folder has the same name in every clone: npm's SBOM contains it.
  const cwd = join(dir, "agent-arcade");
  const out = join(dir, "out");
  await mkdir(out, { recursive: true });
  const env = { ...getEnvironment(), ...more, npm_config_loglevel: "error" };
  await run("git", ["clone", "--quiet", source, cwd], { env });
  await run("npm", ["ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"], { cwd, env });
  const { scripts = {} } = JSON.parse(await readFile(join(cwd, "package.json"), "utf8"));
  for (const script of Object.keys(scripts).filter((name) => name.startsWith("pack:")))
    await run("npm", ["run", "--silent", script, "--", "--json", "--out", out], { cwd, env });
  const { stdout } = await run("git", ["log", "-1", "--format=%cI"], { cwd, env });
  await writeFile(join(out, SBOM), `${JSON.stringify(await createSbom(cwd, stdout.trim()), null, 2)}\n`);
  return out;
}

const digest = (bytes: Buffer): string => `sha512-${createHash("sha512").update(bytes).digest("base64")}`;

/** Unpacks a tarball and returns its files with their digests. */
async function unpack(tarball: string, folder: string): Promise<Map<string, string>> {
  await mkdir(folder, { recursive: true });
  await run("tar", ["-xzf", tarball, "-C", folder, "--strip-components=1"]);
  const names = globSync("**/*", { cwd: folder }).filter((name) => statSync(join(folder, name)).isFile());
  return new Map(
    await Promise.all(names.sort().map(async (name) => [name, digest(await readFile(join(folder, name)))] as const)),
  );
}

/** Lists the files that differ, or the archive itself if all its files are equal. */
function compareFiles(name: string, one: Map<string, string>, other: Map<string, string>): string[] {
  const names = [...new Set([...one.keys(), ...other.keys()])].filter((file) => one.get(file) !== other.get(file));
  return (names.length > 0 ? names : ["the file itself"]).map(
    (file) => `${name}: two clones built different bytes: ${file}`,
  );
}

/** Copies one built file, and returns whether both clones have the same bytes. */
async function takeFile(name: string, [first, second]: readonly [string, string], out: string) {
  const bytes = await readFile(join(first, name));
  const isSame = bytes.equals(await readFile(join(second, name)).catch(() => Buffer.alloc(0)));
  await mkdir(out, { recursive: true });
  await copyFile(join(first, name), join(out, name));
  return { isSame, facts: { file: join(out, name), bytes: bytes.length, integrity: digest(bytes) } };
}

/** Compares a wheel of both clones. Its name has the package's name and version (PEP 427). */
async function checkWheel(wheel: string, clones: readonly [string, string], out: string) {
  const { isSame, facts } = await takeFile(wheel, clones, join(out, "python"));
  const [name = "", version = ""] = wheel.split("-");
  const entry: ReleasePackage = { name, version, ...facts };
  return { entry, errors: isSame ? [] : compareFiles(wheel, new Map(), new Map()) };
}

/** Compares and checks one tarball of both clones. */
async function checkTarball(name: string, clones: readonly [string, string], work: string, out: string) {
  const [first, second] = clones;
  const { isSame, facts } = await takeFile(name, clones, out);
  const folder = join(work, "unpacked", name);
  const files = await unpack(join(first, name), folder);
  const errors = isSame
    ? []
    : compareFiles(name, files, await unpack(join(second, name), `${folder}-again`).catch(() => new Map()));
  for (const text of await lintPackage(folder)) errors.push(`${name}: ${text}`);
  const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const entry: ReleasePackage = { name: manifest.name, version: manifest.version, ...facts };
  return { entry, errors };
}

/** Builds HEAD of a repository in two clones and writes the tarballs and the SBOM to `out`. */
export async function buildRelease(source: string, out: string): Promise<Release> {
  const work = await mkdtemp(join(tmpdir(), "arcade-release-"));
  try {
    await rm(out, { recursive: true, force: true });
    await mkdir(out, { recursive: true });
    const first = await buildClone(source, join(work, CLONES[0].folder), CLONES[0].env);
    const second = await buildClone(source, join(work, CLONES[1].folder), CLONES[1].env);
    const names = [...new Set([first, second].flatMap((folder) => globSync("*.{tgz,whl}", { cwd: folder })))].sort();
    const checked = [];
    for (const name of names)
      checked.push(
        name.endsWith(".whl")
          ? await checkWheel(name, [first, second], out)
          : await checkTarball(name, [first, second], work, out),
      );
    const text = await readFile(join(first, SBOM), "utf8");
    const sbom = JSON.parse(text) as Sbom;
    const errors = checked.flatMap((result) => result.errors);
    if (text !== (await readFile(join(second, SBOM), "utf8"))) errors.push(`${SBOM}: two clones wrote different bytes`);
    await writeFile(join(out, SBOM), text);
    return {
      packages: checked.map(({ entry }) => entry),
      sbom: { file: join(out, SBOM), specVersion: sbom.specVersion, components: sbom.components.length },
      errors,
    };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
