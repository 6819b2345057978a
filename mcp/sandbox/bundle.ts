/** What the sandbox process is given: its program, and the rules of the games with the harness as one text. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const toPath = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

export const CHILD_PROGRAM = readFileSync(toPath("child.cjs"), "utf8");

let bundle: Promise<string> | null = null;

/** Bundles `harness.ts` with the games that it imports, once for each process. */
export function getHarness(): Promise<string> {
  bundle ??= bundleHarness();
  return bundle;
}

async function bundleHarness(): Promise<string> {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    entryPoints: [toPath("harness.ts")],
    bundle: true,
    format: "iife",
    globalName: "harness",
    platform: "neutral",
    target: "es2022",
    write: false,
    logLevel: "silent",
  });
  return outputFiles[0]!.text;
}
