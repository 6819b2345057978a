/** `npm run docs:api`: writes the API pages of the client with typedoc, which has its own packages. */
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { defineCommand } from "../scripts/cli/command.ts";
import { EXIT } from "../scripts/cli/failures.ts";
import { buildClientPackage, packageDir } from "../scripts/client-package/build.ts";
import { root } from "../scripts/start/build.ts";
import { installPackages } from "./install-packages.ts";

const run = promisify(execFile);
const TOOL = "lab/api-docs";
const PACKAGE = "@agent-arcade/client";
const PAGES = join(root, "docs/api");
const ENTRIES = ["client/index.d.ts", "client/training/index.d.ts", "client/replay.d.ts"];

/** A page has the name by which its module is imported. */
const TO_TITLE = `({ name }) => name === "index" ? "${PACKAGE}" : "${PACKAGE}/" + name`;

/** viem's own types would fill most of the pages. */
const VIEM = `export type Hex = \`0x\${string}\`;
export type Address = Hex;
export interface PublicClient {}
export interface WalletClient {}
`;
/** The methods follow from the routes, which `docs/openapi.json` has in full. */
const METHODS = `/** \`client.sessions.start({...})\`: a method for each route of docs/openapi.json, by its name. */
export interface Methods {
  readonly [namespace: string]: { readonly [method: string]: (input?: object, options?: CallOptions) => Promise<object> };
}`;
const METHODS_TYPE = /\/\*\* `client\.sessions\.start[\s\S]*?\nexport type Methods = \{[\s\S]*?\n\};/;

const OPTIONS = {
  plugin: ["typedoc-plugin-markdown"],
  router: "module",
  readme: "none",
  disableSources: true,
  excludeExternals: true,
  skipErrorChecking: true,
  hideBreadcrumbs: true,
  hidePageHeader: true,
  useCodeBlocks: true,
  logLevel: "Error",
  parametersFormat: "table",
  interfacePropertiesFormat: "table",
  propertyMembersFormat: "table",
  typeDeclarationFormat: "table",
};

/** The package's declarations without what others document, with the configuration of compiler and typedoc. */
async function writeInput(folder: string): Promise<void> {
  const types = join(folder, "types");
  await cp(join(packageDir, "types"), types, { recursive: true });
  const methodsPath = join(types, "client/methods.d.ts");
  const methods = await readFile(methodsPath, "utf8");
  if (!METHODS_TYPE.test(methods)) throw new Error("client/methods.ts no longer has the type Methods");
  await writeFile(
    methodsPath,
    methods.replace(METHODS_TYPE, () => METHODS),
  );
  await writeFile(join(folder, "viem.d.ts"), VIEM);
  const files = ENTRIES.map((entry) => join(types, entry));
  const compilerOptions = {
    target: "es2022",
    module: "nodenext",
    moduleResolution: "nodenext",
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    lib: ["es2023", "dom"],
    types: [],
    paths: { viem: [join(folder, "viem.d.ts")] },
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  const options = {
    ...OPTIONS,
    name: PACKAGE,
    entryPoints: files,
    tsconfig: join(folder, "tsconfig.json"),
    out: join(folder, "out"),
  };
  await writeFile(
    join(folder, "typedoc.config.mjs"),
    `export default { ...${JSON.stringify(options)}, pageTitleTemplates: { module: ${TO_TITLE} } };\n`,
  );
}

/** Every page with its text. */
async function renderPages(): Promise<{ readonly [file: string]: string }> {
  const folder = await mkdtemp(join(tmpdir(), "arcade-api-docs-"));
  try {
    await buildClientPackage();
    await writeInput(folder);
    const typedoc = join(root, TOOL, "node_modules/typedoc/bin/typedoc");
    await run(process.execPath, [typedoc, "--options", join(folder, "typedoc.config.mjs")], { cwd: join(root, TOOL) });
    const names = (await readdir(join(folder, "out"))).filter((name) => name.endsWith(".md")).sort();
    const texts = await Promise.all(names.map((name) => readFile(join(folder, "out", name), "utf8")));
    return Object.fromEntries(names.map((name, index) => [name, texts[index]!]));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function findStalePages(pages: { readonly [file: string]: string }): Promise<readonly string[]> {
  const existing = await readdir(PAGES).catch(() => []);
  const stale = existing.filter((name) => pages[name] === undefined);
  for (const [name, text] of Object.entries(pages))
    if ((await readFile(join(PAGES, name), "utf8").catch(() => null)) !== text) stale.push(name);
  return stale;
}

export const command = defineCommand({
  name: "docs:api",
  summary: "writes docs/api, the API pages of the client; installs typedoc on first use",
  flags: { check: { type: "boolean", help: "write nothing; exit code 1 where a page is not current" } },
  examples: ["npm run docs:api", "npm run docs:api -- --check"],
  async run({ flags }, terminal) {
    installPackages(terminal);
    const pages = await renderPages();
    const stale = await findStalePages(pages);
    if (flags.check === true) {
      for (const name of stale) process.stderr.write(`docs/api/${name} is not current: run npm run docs:api\n`);
    } else {
      await rm(PAGES, { recursive: true, force: true });
      await mkdir(PAGES, { recursive: true });
      for (const [name, text] of Object.entries(pages)) await writeFile(join(PAGES, name), text);
      terminal.print(stale.length === 0 ? "every page is current" : `wrote ${stale.join(", ")}`);
    }
    const isOk = flags.check !== true || stale.length === 0;
    terminal.printJson({ ok: isOk, stale });
    return isOk ? EXIT.ok : EXIT.error;
  },
});
