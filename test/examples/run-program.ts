/** Runs an agent author's program in a separate process. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../scripts/start/build.ts";
import { NoPointsError, untilPoints } from "../helpers/until-points.ts";

export interface ProgramResult {
  readonly code: number | null;
  readonly output: string;
}

/** Resolves with the program's output when it has ended. `onOutput` gets the whole output so far. */
export function runProgram(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv; onOutput?(output: string): void } = {},
): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: options.cwd ?? root,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, NO_COLOR: "1", ...options.env },
    });
    let output = "";
    const collect = (chunk: unknown): void => {
      output += String(chunk);
      options.onOutput?.(output);
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
  });
}

/** Repeats a program that plays and prints the points it has `played`, until it has some. */
export const runUntilPoints = (...run: Parameters<typeof runProgram>): Promise<ProgramResult> =>
  untilPoints(async () => {
    const result = await runProgram(...run);
    const [line] = /^played (?:\w+: )?0 points.*/m.exec(result.output) ?? [];
    if (line !== undefined) throw new NoPointsError(line);
    return result;
  });

/** A folder outside the repository with its packages. */
export function makeFolder(files: { readonly [name: string]: string }) {
  const path = mkdtempSync(join(tmpdir(), "arcade-author-"));
  symlinkSync(join(root, "node_modules"), join(path, "node_modules"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** The programs of a document: code blocks with a file name after the language. */
export const readPrograms = (markdown: string): { readonly [name: string]: string } =>
  Object.fromEntries(
    [...markdown.matchAll(/^```\w+ (\S+\.\w+)\n([\s\S]*?)^```$/gm)].map(([, name, text]) => [name!, text!]),
  );
