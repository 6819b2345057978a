/** A package's `.d.ts` files, emitted by the compiler for its entries. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import { promisify } from "node:util";
import { root } from "../start/build.ts";

const run = promisify(execFile);
const TSC = "node_modules/typescript/bin/tsc";

/** Emits the declarations of the entry files and their imports. Throws with the compiler's messages. */
async function emit(entries: readonly string[], outDir: string): Promise<void> {
  const config = {
    extends: join(root, "tsconfig.json"),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: root,
      outDir,
      types: ["node"],
      typeRoots: [join(root, "node_modules/@types")],
    },
    include: [],
    files: entries.map((entry) => join(root, entry)),
  };
  const path = join(outDir, "tsconfig.json");
  await writeFile(path, JSON.stringify(config));
  await run(process.execPath, [join(root, TSC), "-p", path], { cwd: root }).catch((error: { stdout?: string }) => {
    throw new Error(`the types cannot be emitted:\n${error.stdout}`);
  });
}

const listImports = (text: string): string[] =>
  [...text.matchAll(/(?:from\s+|import\()"(\.[^"]+)"/g)].map(([, path]) => path!);

/** Makes relative imports point to the file next to the declaration. */
const toPackageImports = (text: string): string => text.replaceAll(/((?:from\s+|import\()"\.[^"]+)\.ts"/g, '$1.js"');

/** Writes the declarations that the entries reach to `outDir`, in the repository's folders. */
export async function writeDeclarations(entries: readonly string[], outDir: string): Promise<void> {
  const emitted = await mkdtemp(join(tmpdir(), "arcade-declarations-"));
  try {
    await emit(entries, emitted);
    const pending = entries.map((entry) => entry.replace(/\.ts$/, ".d.ts"));
    const written = new Set<string>();
    for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
      if (written.has(path)) continue;
      written.add(path);
      const text = await readFile(join(emitted, path), "utf8");
      await mkdir(dirname(join(outDir, path)), { recursive: true });
      await writeFile(join(outDir, path), toPackageImports(text));
      for (const found of listImports(text))
        pending.push(posix.join(posix.dirname(path), found).replace(/\.ts$/, ".d.ts"));
    }
  } finally {
    await rm(emitted, { recursive: true, force: true });
  }
}
