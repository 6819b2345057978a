/** A part of `npm run lint`: counts phrases that readers have to read twice, in all TypeScript, Solidity and Markdown. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineCommand } from "../cli/command.ts";
import { EXIT } from "../cli/failures.ts";
import { root } from "../start/build.ts";

interface Phrase {
  readonly name: string;
  readonly pattern: RegExp;
  /** How often it may occur: some uses are right, as of a place or of a person who speaks. */
  readonly max: number;
  /** What to write instead. */
  readonly instead: string;
}

/** Lower a limit when the count falls; never raise one. */
const PHRASES: readonly Phrase[] = [
  { name: "meanwhile", pattern: /\bmeanwhile\b/gi, max: 5, instead: "during it, since then" },
  { name: "anew", pattern: /\banew\b/gi, max: 0, instead: "again" },
  { name: "goes on", pattern: /\bgo(es)? on\b/gi, max: 15, instead: "continues, runs" },
  { name: "says", pattern: /\bsays?\b/gi, max: 60, instead: "reports, returns, contains" },
  { name: "of its own", pattern: /\bof (its|their) own\b/gi, max: 30, instead: "its own X, a separate X" },
  { name: "is asked", pattern: /\b(is|are) asked\b/gi, max: 10, instead: "gets the request, reads" },
  { name: "where it", pattern: /\bwhere (it|there|they|the|a|no)\b/gi, max: 150, instead: "if, when" },
  { name: "names the", pattern: /\bnames? (it|the|no|another)\b/gi, max: 20, instead: "has, contains, lists" },
];

/** Every occurrence as `file:line: text`. */
function findLines(files: readonly string[], pattern: RegExp): string[] {
  return files.flatMap((file) =>
    readFileSync(join(root, file), "utf8")
      .split("\n")
      .flatMap((line, index) => [...line.matchAll(pattern)].map(() => `${file}:${index + 1}: ${line.trim()}`)),
  );
}

export const command = defineCommand({
  name: "lint",
  summary: "counts phrases that are hard to read in comments, messages and documents",
  examples: ["npm run lint"],
  async run(_input, terminal) {
    const tracked = execFileSync("git", ["ls-files", "*.ts", "*.tsx", "*.sol", "*.md"], {
      cwd: root,
      encoding: "utf8",
    });
    const files = tracked
      .trim()
      .split("\n")
      .filter((file) => file !== "scripts/dev/lint-prose.ts" && existsSync(join(root, file)));
    const found = PHRASES.map((phrase) => ({ ...phrase, lines: findLines(files, phrase.pattern) }));
    const above = found.filter(({ lines, max }) => lines.length > max);
    for (const { name, max, instead, lines } of above)
      terminal.print(
        `${lines.join("\n")}\n"${name}": expected at most ${max}, received ${lines.length}. Rewrite yours: ${instead}.`,
      );
    terminal.printJson({
      ok: above.length === 0,
      counts: Object.fromEntries(found.map((p) => [p.name, p.lines.length])),
    });
    return above.length === 0 ? EXIT.ok : EXIT.error;
  },
});
