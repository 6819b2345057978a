/** The test bench as an npm package: the service's modules without types, and the built site. */
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import { build, transform } from "esbuild";
import { buildOnce, buildSite, hashContent, root, webDir } from "../start/build.ts";
import { COMMON_SOURCES, rootPackage, toName } from "./build.ts";
import { writeDeclarations } from "./declarations.ts";

export const TESTING_PACKAGE = { name: "@agent-arcade/testing", folder: "dist/testing" };
const ENTRIES: { readonly [subpath: string]: string } = {
  ".": "testing/index.ts",
  "./mocha": "testing/fixtures/mocha.ts",
  "./node-test": "testing/fixtures/node-test.ts",
  "./playwright": "testing/fixtures/playwright.ts",
  "./vitest": "testing/fixtures/vitest.ts",
};
/** Modules that are started by file name. */
const PROGRAMS = ["testing/build-images.ts", "backend/adapters/worker/thread.ts", "games/index.ts"];
/** Files that modules read from their own folder. */
const DATA = ["deploy/compiled", "backend/config/well-known-accounts.txt"];
const SOURCES = ["backend", "client", "deploy", "domain", "games", "local-chain", "testing"];

const toTypes = (entry: string): string => `./types/${entry.replace(/\.ts$/, ".d.ts")}`;
const toModule = (path: string): string => `lib/${path.replace(/\.ts$/, ".js")}`;

/** Every module that the entries reach, and the packages that they import. */
async function findModules() {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...Object.values(ENTRIES), ...PROGRAMS],
    outdir: "unused",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    packages: "external",
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  const imports = Object.values(metafile.inputs).flatMap(({ imports }) => imports.filter(({ external }) => external));
  const names = imports.map(({ path }) =>
    path
      .split("/")
      .slice(0, path.startsWith("@") ? 2 : 1)
      .join("/"),
  );
  return { modules: Object.keys(metafile.inputs), packages: new Set(names.filter((name) => !isBuiltin(name))) };
}

async function writeModule(path: string, outDir: string): Promise<void> {
  const target = join(outDir, toModule(path));
  await mkdir(dirname(target), { recursive: true });
  const source = await readFile(join(root, path), "utf8");
  if (!path.endsWith(".ts")) return writeFile(join(outDir, "lib", path), source);
  const { code } = await transform(source, { loader: "ts", format: "esm", target: "es2022", platform: "node" });
  // Imports, and the files of threads and processes.
  await writeFile(target, code.replaceAll(/("\.{1,2}\/[^"\n]+)\.ts"/g, '$1.js"'));
}

function createManifest(packages: ReadonlySet<string>) {
  const versions = Object.entries({ ...rootPackage.dependencies, ...rootPackage.devDependencies });
  // The client's and the site's own packages are in the built files.
  const dependencies = Object.fromEntries(versions.filter(([name]) => packages.has(name)));
  const toExport = ([subpath, entry]: [string, string]) => [
    subpath,
    { types: toTypes(entry), default: `./${toModule(entry)}` },
  ];
  return {
    name: TESTING_PACKAGE.name,
    version: rootPackage.version,
    description: "End-to-end tests on a local chain: whole stacks, stages, faults of nodes.",
    license: rootPackage.license,
    type: "module",
    engines: { node: ">=22.18" },
    exports: {
      ...Object.fromEntries(Object.entries(ENTRIES).map(toExport)),
      "./package.json": "./package.json",
    },
    // For resolvers that do not know `exports`, such as `moduleResolution: "node10"`.
    main: `./${toModule(ENTRIES["."]!)}`,
    types: toTypes(ENTRIES["."]!),
    typesVersions: {
      "*": Object.fromEntries(Object.entries(ENTRIES).map(([subpath, entry]) => [toName(subpath), [toTypes(entry)]])),
    },
    files: ["lib", "types", "README.md", "LICENSE"],
    dependencies,
  };
}

/** Writes the package to its folder unless nothing changed. Throws if a source has an error. */
export async function buildTestingPackage(): Promise<void> {
  const folder = join(root, TESTING_PACKAGE.folder);
  await buildSite();
  const hash = await hashContent([...SOURCES, ...COMMON_SOURCES, "web/dist/.inputs.sha256"]);
  await buildOnce(join(folder, ".inputs.sha256"), hash, async () => {
    await rm(folder, { recursive: true, force: true });
    const { modules, packages } = await findModules();
    await Promise.all(modules.map((path) => writeModule(path, folder)));
    for (const path of DATA) await cp(join(root, path), join(folder, "lib", path), { recursive: true });
    await cp(webDir, join(folder, "lib/web/dist"), { recursive: true });
    await writeDeclarations(Object.values(ENTRIES), join(folder, "types"));
    await writeFile(join(folder, "lib/build-hash.txt"), hash);
    await writeFile(join(folder, "package.json"), `${JSON.stringify(createManifest(packages), null, 2)}\n`);
    await cp(join(root, "LICENSE"), join(folder, "LICENSE"));
    await cp(join(root, "testing/README.md"), join(folder, "README.md"));
  });
}
