/** The Markdown files of the repository, with their links, headings, commands, files and routes. */
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { root } from "../../scripts/start/build.ts";

export interface MarkdownFile {
  /** Path from the repository's root. */
  readonly path: string;
  readonly text: string;
  /** The text without code blocks, which have no links or headings. */
  readonly prose: string;
}

export interface MarkdownLink {
  /** Path from the repository's root. */
  readonly target: string;
  /** The heading after `#`; null if the link has none. */
  readonly anchor: string | null;
}

export interface NpmCommand {
  readonly script: string;
  /** The words after `--`, as written. */
  readonly words: readonly string[];
}

const FOLDERS = "backend|client|contracts|deploy|docs|domain|examples|games|lab|local-chain|mcp|scripts|test|web";
const FILES = ["*.md", "{client,deploy,docs,examples}/**/*.md"];

export const listMarkdownFiles = (): readonly MarkdownFile[] =>
  globSync(FILES, { cwd: root }).map((path) => {
    const text = readFileSync(join(root, path), "utf8");
    return { path, text, prose: text.replaceAll(/^```.*?^```/gms, "") };
  });

/** Links to files of the repository; those to other hosts are left out. */
export const listLinks = ({ path, prose }: MarkdownFile): readonly MarkdownLink[] =>
  [...prose.matchAll(/\]\(([^)\s:]+)\)/g)].map(([, link]) => {
    const [file, anchor] = link!.split("#") as [string, string?];
    return { target: file === "" ? path : join(dirname(path), file), anchor: anchor ?? null };
  });

/** The anchors of all headings, as GitHub makes them. */
export function listAnchors({ prose }: MarkdownFile): ReadonlySet<string> {
  const counts = new Map<string, number>();
  const anchors = [...prose.matchAll(/^#{1,6} +(.*?) *#*$/gm)].map(([, heading]) => {
    const title = heading!.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const anchor = title.replaceAll(/[^\p{L}\p{N}_ -]/gu, "").replaceAll(" ", "-");
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
  return new Set(anchors);
}

/** `npm run NAME -- WORDS`, up to the end of the line, of the code or to a comment. */
export const listNpmCommands = ({ text }: MarkdownFile): readonly NpmCommand[] =>
  [...text.matchAll(/npm (?:run (?:--silent )?([a-z][\w:-]*)|(start|test)\b)(?: -- ([^`\n]*))?/g)].map(
    ([, run, short, words = ""]) => ({
      script: (run ?? short)!,
      words: words
        .split(/\s+#|-->/)[0]!
        .split(/\s+/)
        .filter((word) => word !== ""),
    }),
  );

/** Programs that `npx` runs. */
export const listNpxPrograms = ({ text }: MarkdownFile): readonly string[] =>
  [...text.matchAll(/\bnpx (?:--no-install )?([a-z][\w-]*)/g)].map(([, program]) => program!);

/** Files and folders of the repository that the text runs or has in code. */
export function listPaths({ text }: MarkdownFile): readonly string[] {
  const named = text.matchAll(new RegExp(`\`((?:${FOLDERS})/[\\w./-]*)\``, "g"));
  const run = text.matchAll(/(?:\bnode|python3|npm test --) ([a-z][\w/-]*\.(?:ts|mjs|py))\b/g);
  return [...named, ...run].map(([, path]) => path!);
}

/** `GET /api/games/{slug}`: routes with their method. Names of parameters are left out, as in `GET /api/games/{}`. */
export const listRoutes = ({ text }: MarkdownFile): readonly string[] =>
  [...text.matchAll(/\b(GET|POST|PUT|PATCH|DELETE) (\/[\w{}./-]*[\w}])/g)].map(
    ([, method, path]) => `${method} ${hideParameters(path!)}`,
  );

export const hideParameters = (path: string): string => path.replaceAll(/\{\w+\}/g, "{}");
