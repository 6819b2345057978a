/** Bundles the site: one page, its styles, and scripts named by their content, all from this server. */
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { type BuildOptions, build, type Metafile, stop } from "esbuild";
import { POLICY_WORKER_NAME } from "../domain/site.ts";
import { renderGuides } from "./docs/render-guide.ts";
import { groupScripts } from "./group-scripts.ts";
import { splitViem } from "./split-viem.ts";

/** The script that index.html refers to in development, relative to this folder. */
const MAIN = "main.tsx";
/** Inlined into the page: a separate file would cost a slow network a round trip before the first paint. */
const STYLES = "styles/main.css";
const STYLES_LINK = `<link rel="stylesheet" href="./${STYLES}" />`;
/** Inlined too, since it has to run before other scripts arrive. */
const EARLY_CLICKS = "early-clicks.ts";
/** The page for frames on other sites: it shares no script with the other pages and has no wallet. */
const EMBED = "embed.tsx";
/** Renders the pages in the service. */
const SERVER = "server.tsx";
/** The pages that do not come with the first script. */
const MORE_PAGES = "more-pages.ts";
/** Runs policies. One script, with the engine's compiled file beside it. */
const POLICY_WORKER = `league/${POLICY_WORKER_NAME}.ts`;

const OPTIONS = {
  absWorkingDir: import.meta.dirname,
  bundle: true,
  format: "esm",
  target: "es2023",
  jsx: "automatic",
  jsxImportSource: "preact",
  // Guides of docs/ become separate scripts.
  plugins: [groupScripts, splitViem, renderGuides],
  minify: true,
  logLevel: "silent",
} as const satisfies BuildOptions;

/**
 * Writes the site into `outDir`, which is emptied first: `page.html` and `embed.html`, which the server completes,
 * `server.js`, which renders the pages, and `public/` with everything that is served as it is.
 * Throws esbuild's `BuildFailure` if a source has an error, or an error if index.html does not refer to an entry point.
 */
export async function bundleSite(outDir: string): Promise<void> {
  try {
    await writeSite(outDir);
  } finally {
    // Its process would stay, with more than 100 MB.
    await stop();
  }
}

async function writeSite(outDir: string): Promise<void> {
  const root = import.meta.dirname;
  const publicDir = join(outDir, "public");
  await rm(outDir, { recursive: true, force: true });
  const files = {
    ...OPTIONS,
    outdir: join(publicDir, "assets"),
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    assetNames: "[name]-[hash]",
    metafile: true,
  } as const;
  const worker = await build({ ...files, loader: { ".wasm": "file" }, entryPoints: [POLICY_WORKER] });
  const workerUrl = toUrl(findOutput(worker.metafile, POLICY_WORKER));
  const scripts = { ...files, splitting: true, define: { POLICY_WORKER_URL: JSON.stringify(workerUrl) } } as const;
  const [{ metafile }, embed, styles, earlyClicks] = await Promise.all([
    build({ ...scripts, entryPoints: [MAIN] }),
    build({ ...scripts, entryPoints: [EMBED], plugins: [splitViem, renderGuides] }),
    build({ ...OPTIONS, entryPoints: [STYLES], write: false }),
    build({ ...OPTIONS, entryPoints: [EARLY_CLICKS], format: "iife", write: false }),
    build({ ...OPTIONS, entryPoints: [SERVER], outfile: join(outDir, "server.js"), platform: "node", minify: false }),
  ]);
  let page = await readFile(join(root, "index.html"), "utf8");
  const replace = (reference: string, text: string): void => {
    if (!page.includes(reference)) throw new Error(`index.html does not refer to ${reference}`);
    page = page.replace(reference, () => text);
  };
  replace(`"./${MAIN}"`, `"${toUrl(findOutput(metafile, MAIN))}"`);
  replace(STYLES_LINK, `<style>${styles.outputFiles[0]!.text.trim()}</style>`);
  replace(`<script src="./${EARLY_CLICKS}"></script>`, `<script>${earlyClicks.outputFiles[0]!.text.trim()}</script>`);
  await mkdir(publicDir, { recursive: true });
  const preloads = { ...listPreloads(metafile), embed: listImports(embed.metafile, EMBED) };
  await writeFile(join(outDir, "preloads.json"), JSON.stringify(preloads));
  await cp(join(root, "public"), publicDir, { recursive: true });
  await writeFile(join(outDir, "page.html"), page);
  const embedPage = page.replace(toUrl(findOutput(metafile, MAIN)), toUrl(findOutput(embed.metafile, EMBED)));
  // Links open outside the frame.
  await writeFile(join(outDir, "embed.html"), embedPage.replace("<!--head-->", `<base target="_blank" />$&`));
  await compressFiles(publicDir);
}

const toUrl = (output: string): string => `/assets/${basename(output)}`;

const findOutput = ({ outputs }: Metafile, entryPoint: string): string =>
  Object.keys(outputs).find((name) => outputs[name]!.entryPoint === entryPoint)!;

/** Adds a script and all that it imports at once. */
function collect(metafile: Metafile, output: string, found: Set<string>): Set<string> {
  if (found.has(output)) return found;
  found.add(output);
  for (const { path, kind } of metafile.outputs[output]?.imports ?? [])
    if (kind === "import-statement") collect(metafile, path, found);
  return found;
}

const listImports = (metafile: Metafile, entryPoint: string): readonly string[] =>
  [...collect(metafile, findOutput(metafile, entryPoint), new Set())].slice(1).map(toUrl);

/**
 * The scripts that each page needs at once by the name of its file, with those that they import, so that browsers load
 * them together.
 */
function listPreloads(metafile: Metafile): { readonly [page: string]: readonly string[] } {
  const { outputs } = metafile;
  const mainOutput = findOutput(metafile, MAIN);
  const listPages = (scripts: Iterable<string>): string[] =>
    [...scripts].flatMap((script) =>
      Object.keys(outputs[script]!.inputs).flatMap((input) => /^pages\/([\w-]+)\.tsx$/.exec(input)?.[1] ?? []),
    );
  const first = collect(metafile, mainOutput, new Set());
  const more = collect(metafile, findOutput(metafile, MORE_PAGES), new Set(first));
  const toUrls = (scripts: Set<string>): string[] => [...scripts].filter((name) => name !== mainOutput).map(toUrl);
  const entries = [more, first].flatMap((scripts) =>
    listPages(scripts).map((page) => [page, toUrls(scripts)] as const),
  );
  return Object.fromEntries(entries);
}

const COMPRESSED_TYPES = /\.(?:js|css|html|svg|wasm)$/;
const COMPRESSED_MIN_BYTES = 1024;

/** Writes FILE.br and FILE.gz beside every text, so that the server compresses none of them at run time. */
async function compressFiles(folder: string): Promise<void> {
  for (const name of await readdir(folder, { recursive: true })) {
    if (!COMPRESSED_TYPES.test(name)) continue;
    const bytes = await readFile(join(folder, name));
    if (bytes.length < COMPRESSED_MIN_BYTES) continue;
    await writeFile(join(folder, `${name}.br`), brotliCompressSync(bytes));
    await writeFile(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  }
}
