import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Branch } from "./instrument.ts";

export type MissedOutcome = Branch & { readonly outcome: boolean };

/** Every mark that a run wrote, as Hardhat stores them: files of marks with counts. */
export const readMarks = (folder: string): ReadonlySet<string> =>
  new Set(
    globSync("**/*.json", { cwd: folder }).flatMap((file) =>
      Object.keys(JSON.parse(readFileSync(join(folder, file), "utf8")) as object),
    ),
  );

/** Outcomes that no test has reached. */
export const findMissed = (branches: readonly Branch[], marks: ReadonlySet<string>): readonly MissedOutcome[] =>
  branches.flatMap((branch) =>
    [true, false]
      .filter((outcome) => !marks.has(branch.marks[`${outcome}`]))
      .map((outcome) => ({ ...branch, outcome })),
  );
