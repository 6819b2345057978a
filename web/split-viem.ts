/**
 * An esbuild plugin: redirects imports of `viem` and `viem/utils` to the modules that they re-export. Otherwise each
 * page would load everything that any page uses of viem, because esbuild shares viem's index.
 */
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin, PluginBuild } from "esbuild";

const INDEX = fileURLToPath(import.meta.resolve("viem"));
const RE_EXPORT = /export \{([^}]*)\} from '([^']+)'/g;
const IMPORT = /import \{([^}]*)\} from "viem(?:\/utils)?";/g;
/** Our own sources; packages keep their imports. */
const SOURCES = /\/(?:backend|client|domain|games|web)\/.*\.tsx?$/;

const listNames = (text: string): string[] => text.split(",").flatMap((name) => name.trim() || []);

/** Maps each name of viem's index to its module. Throws if the index has a new form. */
async function readModules({ resolve }: PluginBuild): Promise<ReadonlyMap<string, string>> {
  const modules = new Map<string, string>();
  for (const [, names, source] of (await readFile(INDEX, "utf8")).matchAll(RE_EXPORT)) {
    const { path } = await resolve(source!, { resolveDir: dirname(INDEX), kind: "import-statement" });
    for (const name of listNames(names!)) if (!name.includes(" as ")) modules.set(name, path);
  }
  if (modules.size === 0) throw new Error(`no re-exports were found in ${INDEX}`);
  return modules;
}

/** Splits an import into one for each name, and drops types. Keeps the number of lines. */
function splitImport(modules: ReadonlyMap<string, string>, whole: string, names: string): string {
  const imports = listNames(names)
    .filter((name) => !name.startsWith("type "))
    .map((name) => `import { ${name} } from ${JSON.stringify(modules.get(name) ?? "viem")};`);
  return imports.join(" ") + whole.replace(/[^\n]/g, "");
}

export const splitViem: Plugin = {
  name: "split-viem",
  setup(build) {
    let loading: Promise<ReadonlyMap<string, string>> | null = null;
    build.onLoad({ filter: SOURCES }, async ({ path }) => {
      if (path.includes("/node_modules/")) return undefined;
      const text = await readFile(path, "utf8");
      if (!text.includes('from "viem')) return undefined;
      loading ??= readModules(build);
      const modules = await loading;
      const contents = text.replaceAll(IMPORT, (whole, names: string) => splitImport(modules, whole, names));
      return { contents, loader: path.endsWith("x") ? "tsx" : "ts" };
    });
  },
};
