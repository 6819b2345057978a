/** Bundles the viewer: one page, its styles, and scripts whose names change with their content, all from this server. */
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build } from "esbuild";

/** What index.html refers to while developing, relative to this folder. */
const ENTRY_POINTS = ["main.tsx", "styles/main.css"];

/**
 * Writes the viewer into `outDir`, which is emptied first.
 * Throws esbuild's `BuildFailure` where a source has an error, and where index.html does not refer to an entry point.
 */
export async function bundleViewer(outDir: string): Promise<void> {
  const root = import.meta.dirname;
  await rm(outDir, { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ENTRY_POINTS,
    outdir: join(outDir, "assets"),
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    assetNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2023",
    jsx: "automatic",
    jsxImportSource: "preact",
    minify: true,
    metafile: true,
    logLevel: "silent",
  });
  let page = await readFile(join(root, "index.html"), "utf8");
  for (const [output, { entryPoint }] of Object.entries(metafile.outputs)) {
    if (entryPoint === undefined || !ENTRY_POINTS.includes(entryPoint)) continue;
    const reference = `"./${entryPoint}"`;
    if (!page.includes(reference)) throw new Error(`index.html does not refer to ${reference}`);
    page = page.replace(reference, `"/assets/${basename(relative(root, output))}"`);
  }
  await mkdir(outDir, { recursive: true });
  await cp(join(root, "public"), outDir, { recursive: true });
  await writeFile(join(outDir, "index.html"), page);
  await compressFiles(outDir);
}

const COMPRESSED_TYPES = /\.(?:js|css|html|svg)$/;
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
