/** Builds a part of the repository as an npm package: ES modules, declarations, `package.json`, README. */
import { readFileSync } from "node:fs";
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { buildOnce, hashContent, root } from "../start/build.ts";
import { writeDeclarations } from "./declarations.ts";

/** One package. Paths are relative to the root of the repository. */
export interface PackageDefinition {
  readonly name: string;
  readonly description: string;
  /** The built package; not in git. */
  readonly folder: string;
  /** What a consumer imports, and the file behind it. */
  readonly entries: { readonly [subpath: string]: string };
  readonly readme: string;
  /** Files and folders that the bundles and the declarations follow from. */
  readonly sources: readonly string[];
}

/** What every package follows from, beside its own sources. */
const COMMON_SOURCES = ["scripts/packages", "package.json", "tsconfig.json"];

const toName = (subpath: string): string => (subpath === "." ? "index" : subpath.slice(2));
const toDeclaration = (entry: string): string => `./types/${entry.replace(/\.ts$/, ".d.ts")}`;

const rootPackage = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly version: string;
  readonly license: string;
  readonly dependencies: { readonly [name: string]: string };
};

const createManifest = ({ name, description, entries }: PackageDefinition) => ({
  name,
  version: rootPackage.version,
  description,
  license: rootPackage.license,
  type: "module",
  sideEffects: false,
  engines: { node: ">=20.19" },
  exports: Object.fromEntries(
    Object.entries(entries).map(([subpath, entry]) => [
      subpath,
      { types: toDeclaration(entry), default: `./${toName(subpath)}.js` },
    ]),
  ),
  files: ["*.js", "types", "README.md", "LICENSE"],
  peerDependencies: { viem: `^${rootPackage.dependencies.viem}` },
});

/** Where the built package is. */
export const getPackageDir = ({ folder }: PackageDefinition): string => join(root, folder);

/** Writes the package into its folder unless nothing changed. Throws where a source has an error. */
export async function buildPackage(definition: PackageDefinition): Promise<void> {
  const inputsHash = await hashContent([...definition.sources, ...COMMON_SOURCES]);
  await buildOnce(join(getPackageDir(definition), ".inputs.sha256"), inputsHash, () => writePackage(definition));
}

async function writePackage(definition: PackageDefinition): Promise<void> {
  const { entries, readme } = definition;
  const packageDir = getPackageDir(definition);
  await rm(packageDir, { recursive: true, force: true });
  await mkdir(packageDir, { recursive: true });
  await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(Object.entries(entries).map(([subpath, entry]) => [toName(subpath), entry])),
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
  await writeDeclarations(Object.values(entries), join(packageDir, "types"));
  await writeFile(join(packageDir, "package.json"), `${JSON.stringify(createManifest(definition), null, 2)}\n`);
  await cp(join(root, "LICENSE"), join(packageDir, "LICENSE"));
  await cp(join(root, readme), join(packageDir, "README.md"));
}
