/** A part of `npm run lint`: counts phrases that readers have to read twice, and finds long sentences in documents. */
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

const WORDS_MAX = 35;

/** Documents whose long sentences stay. */
const LONG_ALLOWED: ReadonlySet<string> = new Set([
  // Part of what the proofs of the contracts cover.
  "contracts/README.md",
  // The text of the Contributor Covenant.
  "CODE_OF_CONDUCT.md",
  // Written by `npm run lab -- drill`.
  "docs/drills.md",
]);

/** The text of a document without code, comments and addresses of links; a table or a heading ends a paragraph. */
const readPlainText = (file: string): string =>
  readFileSync(join(root, file), "utf8")
    .replace(/^```.*?^```$/gms, "")
    .replace(/<!--.*?-->/gs, "")
    .replace(/`[^`\n]*`/g, "code")
    .replace(/\]\([^)\s]*\)/g, "]")
    .replace(/^(\||#|<).*$/gm, "")
    .replace(/^ *([-*]|\d+\.) /gm, "\n");

/** Sentences of more than `WORDS_MAX` words, each as `file: text`. */
function findLongSentences(file: string): string[] {
  const sentences = readPlainText(file)
    .split(/\n\s*\n/)
    .flatMap((paragraph) => paragraph.split(/[.!?][*")\]]*\s/));
  return sentences
    .map((sentence) => sentence.replace(/\s+/g, " ").trim())
    .filter((sentence) => (sentence.match(/\S*\w\S*/g) ?? []).length > WORDS_MAX)
    .map((sentence) => `${file}: ${sentence}`);
}

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
  summary: "finds phrases that are hard to read and long sentences in documents",
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
    const long = files.filter((file) => file.endsWith(".md") && !LONG_ALLOWED.has(file)).flatMap(findLongSentences);
    if (long.length > 0)
      terminal.print(
        `${long.join("\n")}\nExpected at most ${WORDS_MAX} words in a sentence. Split these ${long.length}.`,
      );
    const ok = above.length === 0 && long.length === 0;
    terminal.printJson({
      ok,
      counts: Object.fromEntries(found.map((p) => [p.name, p.lines.length])),
      longSentences: long.length,
    });
    return ok ? EXIT.ok : EXIT.error;
  },
});
