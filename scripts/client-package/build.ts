/** Builds the client as the package `@agent-arcade/client`: ES modules, declarations, `package.json`, README. */
import { readFileSync } from "node:fs";
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { buildOnce, hashContent, root } from "../start/build.ts";
import { writeDeclarations } from "./declarations.ts";

export const PACKAGE_NAME = "@agent-arcade/client";
/** Not in git. */
export const packageDir = join(root, "dist/client");

/** What a consumer imports, and the file behind it. */
const ENTRIES = {
  ".": "client/index.ts",
  "./training": "client/training/index.ts",
  "./replay": "client/replay.ts",
} as const;

const toName = (subpath: string): string => (subpath === "." ? "index" : subpath.slice(2));
const toDeclaration = (entry: string): string => `./types/${entry.replace(/\.ts$/, ".d.ts")}`;

const rootPackage = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly version: string;
  readonly license: string;
  readonly dependencies: { readonly [name: string]: string };
};

const manifest = {
  name: PACKAGE_NAME,
  version: rootPackage.version,
  description: "Play the games of Agent Arcade: typed calls, sign-in, channels, training environments, replays.",
  license: rootPackage.license,
  type: "module",
  sideEffects: false,
  engines: { node: ">=20.19" },
  exports: Object.fromEntries(
    Object.entries(ENTRIES).map(([subpath, entry]) => [
      subpath,
      { types: toDeclaration(entry), default: `./${toName(subpath)}.js` },
    ]),
  ),
  files: ["*.js", "types", "README.md", "LICENSE"],
  peerDependencies: { viem: `^${rootPackage.dependencies.viem}` },
};

/** Everything that the bundles and the declarations follow from. */
const SOURCES = ["backend", "client", "domain", "games", "scripts/client-package", "package.json", "tsconfig.json"];

/** Writes the package into `dist/client` unless nothing changed. Throws where a source has an error. */
export async function buildClientPackage(): Promise<void> {
  await buildOnce(join(packageDir, ".inputs.sha256"), await hashContent(SOURCES), writePackage);
}

async function writePackage(): Promise<void> {
  await rm(packageDir, { recursive: true, force: true });
  await mkdir(packageDir, { recursive: true });
  await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(Object.entries(ENTRIES).map(([subpath, entry]) => [toName(subpath), entry])),
    outdir: packageDir,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    mainFields: ["module", "main"],
    external: ["viem", "viem/*"],
    logLevel: "silent",
  });
  await writeDeclarations(Object.values(ENTRIES), join(packageDir, "types"));
  await writeFile(join(packageDir, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  await cp(join(root, "LICENSE"), join(packageDir, "LICENSE"));
  await cp(join(root, "client/README.md"), join(packageDir, "README.md"));
}
