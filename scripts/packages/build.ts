/** Builds a part of the repository as an npm package: ES modules, CommonJS, declarations, `package.json`, README. */
import { randomUUID } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { build } from "esbuild";
import { buildOnce, buildWhereAllowed, hashContent, root } from "../start/build.ts";
import { writeDeclarations } from "./declarations.ts";

/** One package. Paths are relative to the root of the repository. */
export interface PackageDefinition {
  readonly name: string;
  readonly description: string;
  /** The built package; not in git. */
  readonly folder: string;
  /** The import paths and the files behind them. */
  readonly entries: { readonly [subpath: string]: string };
  readonly readme: string;
  /** Files and folders that the package is built from. */
  readonly sources: readonly string[];
  /** A folder of JSON files that the package ships, imported as `NAME/FOLDER/FILE.json`. */
  readonly data?: string;
  /** Whether the bundles import viem. */
  readonly usesViem: boolean;
}

/** Inputs of every package, in addition to its own sources. */
export const COMMON_SOURCES = ["scripts/packages", "package.json", "tsconfig.json"];

export const toName = (subpath: string): string => (subpath === "." ? "index" : subpath.slice(2));
const toDeclaration = (entry: string): string => `types/${entry.replace(/\.ts$/, ".d.ts")}`;

/** A folder with CommonJS builds, for programs that cannot load ES modules: jest, TypeScript before 5.8. */
const COMMONJS = "cjs";

/** `module-sync`: a Node that can `require` ES modules gets one instance from `require` and `import`. */
function toExport(subpath: string, entry: string) {
  const find = (folder: string) => ({
    types: `${folder}/${toDeclaration(entry)}`,
    default: `${folder}/${toName(subpath)}.js`,
  });
  return { "module-sync": find("."), require: find(`./${COMMONJS}`), default: find(".") };
}

export const rootPackage = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly version: string;
  readonly license: string;
  /** Set once for all packages: `npm pkg set repository.url=…`. */
  readonly repository: { readonly type: string; readonly url: string };
  readonly dependencies: { readonly [name: string]: string };
  readonly devDependencies: { readonly [name: string]: string };
};

/** `https://github.com/…`, from `git+https://github.com/….git`. */
const repositoryPage = rootPackage.repository.url.replace(/^git\+/, "").replace(/\.git$/, "");

const createManifest = ({ name, description, entries, data, usesViem }: PackageDefinition) => ({
  name,
  version: rootPackage.version,
  description,
  license: rootPackage.license,
  repository: rootPackage.repository,
  homepage: `${repositoryPage}#readme`,
  bugs: `${repositoryPage}/issues`,
  type: "module",
  sideEffects: false,
  engines: { node: ">=20.19" },
  exports: {
    ...Object.fromEntries(Object.entries(entries).map(([subpath, entry]) => [subpath, toExport(subpath, entry)])),
    "./package.json": "./package.json",
    ...(data === undefined ? {} : { [`./${basename(data)}/*`]: `./${basename(data)}/*` }),
  },
  // For resolvers that do not know `exports`, such as `moduleResolution: "node10"`.
  main: `./${COMMONJS}/index.js`,
  module: "./index.js",
  types: `./${COMMONJS}/${toDeclaration(entries["."]!)}`,
  typesVersions: {
    "*": Object.fromEntries(
      Object.entries(entries).map(([subpath, entry]) => [toName(subpath), [`./${COMMONJS}/${toDeclaration(entry)}`]]),
    ),
  },
  files: ["*.js", COMMONJS, "types", ...(data === undefined ? [] : [basename(data)]), "README.md", "LICENSE"],
  ...(usesViem ? { peerDependencies: { viem: `^${rootPackage.dependencies.viem}` } } : {}),
});

/** Temporary folders of packages that this user may not build in the installation, by their own folders. */
const builtElsewhere = new Map<string, string>();
process.once("exit", () => {
  for (const folder of builtElsewhere.values()) rmSync(folder, { recursive: true, force: true });
});

/** The folder of the built package. */
export const getPackageDir = ({ folder }: Pick<PackageDefinition, "folder">): string =>
  builtElsewhere.get(folder) ?? join(root, folder);

/** Writes the package to its folder unless nothing changed. Throws if a source has an error. */
export async function buildPackage(definition: PackageDefinition): Promise<void> {
  const { folder, sources } = definition;
  const inputsHash = await hashContent([...sources, ...COMMON_SOURCES]);
  const places = [getPackageDir(definition), join(tmpdir(), `arcade-package-${randomUUID()}`)] as const;
  const place = await buildWhereAllowed(places, (packageDir) =>
    buildOnce(join(packageDir, ".inputs.sha256"), inputsHash, () => writePackage(definition, packageDir)),
  );
  if (place === places[1]) builtElsewhere.set(folder, place);
}

async function bundle({ entries }: PackageDefinition, format: "esm" | "cjs", outdir: string): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(Object.entries(entries).map(([subpath, entry]) => [toName(subpath), entry])),
    outdir,
    bundle: true,
    splitting: format === "esm",
    format,
    platform: "neutral",
    target: "es2022",
    mainFields: ["module", "main"],
    external: ["viem", "viem/*"],
    logLevel: "silent",
  });
}

async function writePackage(definition: PackageDefinition, packageDir: string): Promise<void> {
  const { entries, readme, data } = definition;
  await rm(packageDir, { recursive: true, force: true });
  const commonJsDir = join(packageDir, COMMONJS);
  await mkdir(commonJsDir, { recursive: true });
  await bundle(definition, "esm", packageDir);
  await bundle(definition, "cjs", commonJsDir);
  await writeDeclarations(Object.values(entries), join(packageDir, "types"));
  await cp(join(packageDir, "types"), join(commonJsDir, "types"), { recursive: true });
  await writeFile(join(commonJsDir, "package.json"), '{ "type": "commonjs" }\n');
  await writeFile(join(packageDir, "package.json"), `${JSON.stringify(createManifest(definition), null, 2)}\n`);
  await cp(join(root, "LICENSE"), join(packageDir, "LICENSE"));
  await cp(join(root, readme), join(packageDir, "README.md"));
  if (data !== undefined) await cp(join(root, data), join(packageDir, basename(data)), { recursive: true });
}
