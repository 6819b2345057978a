import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { routes } from "../../backend/http/routes/index.ts";
import type { Command, CommandGroup } from "../../scripts/cli/command.ts";
import { root } from "../../scripts/start/build.ts";
import {
  hideParameters,
  listAnchors,
  listLinks,
  listMarkdownFiles,
  listNpmCommands,
  listNpxPrograms,
  listPaths,
  listRoutes,
  type MarkdownFile,
} from "./markdown-files.ts";

const files = listMarkdownFiles();
const readJson = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8"));
const { scripts } = readJson("package.json") as { readonly scripts: { readonly [name: string]: string } };

/** Values that the operator provides, and paths outside the OpenAPI routes. */
const GIVEN_PATHS = ["deploy/fleet/secrets/"];
const OTHER_ROUTES = ["POST /mcp"];

/** The findings of a check, as lines `file: finding`. */
const findIn = (those: readonly MarkdownFile[], find: (file: MarkdownFile) => readonly string[]): readonly string[] =>
  those.flatMap((file) => find(file).map((what) => `${file.path}: ${what}`));

/** The command behind a script of package.json; null if it is not our program. */
async function loadCommand(script: string, tool: string): Promise<Command | CommandGroup | null> {
  const found = /^node scripts\/run\.mjs (\S+)/.exec(scripts[script] ?? "")?.[1];
  if (found === undefined) return null;
  const name = found === "lab" ? `lab/${existsSync(join(root, `lab/${tool}.ts`)) ? tool : "help"}` : found;
  const file = join(root, name.includes("/") ? `${name}.ts` : `scripts/${name}.ts`);
  const module = (await import(pathToFileURL(file).href)) as { readonly command: Command | CommandGroup };
  return module.command;
}

/** The commands of a group that begin with the words or, where these name one and its arguments, that one. */
function findSubcommands({ commands }: CommandGroup, words: readonly string[]): readonly Command[] {
  const text = words.join(" ");
  const named = commands.filter(({ name }) => text === name || text.startsWith(`${name} `));
  return named.length > 0 ? named : commands.filter(({ name }) => name === text || name.startsWith(`${text} `));
}

/** Subcommands and flags of a command line that do not exist. */
function findUnknownWords(command: Command | CommandGroup, given: readonly string[]): readonly string[] {
  const words = given.filter((word) => /^[a-z]/.test(word));
  const flags = given.flatMap((word) => /^--([a-z][a-z-]*)/.exec(word)?.[1] ?? []);
  const isGroup = "commands" in command;
  const subcommands = isGroup && words.length > 0 ? findSubcommands(command, words) : [];
  const unknownWords = isGroup && words.length > 0 && subcommands.length === 0 ? [words.join(" ")] : [];
  const known = [command, ...subcommands].flatMap((each) => Object.keys(each.flags ?? {}));
  const unknownFlags = flags.filter((flag) => ![...known, "json", "help"].includes(flag)).map((flag) => `--${flag}`);
  return [...unknownWords, ...unknownFlags];
}

describe("the Markdown files", () => {
  it("link to files and headings that exist", () => {
    const anchors = new Map(files.map((file) => [file.path, listAnchors(file)]));
    const broken = findIn(files, (file) =>
      listLinks(file)
        .filter(({ target, anchor }) => {
          const headings = anchors.get(target);
          return !existsSync(join(root, target)) || (anchor !== null && headings?.has(anchor) === false);
        })
        .map(({ target, anchor }) => (anchor === null ? target : `${target}#${anchor}`)),
    );
    expect(broken).to.deep.equal([]);
    expect(files.flatMap(listLinks).length).to.be.above(100);
  });

  it("refer to npm scripts and programs that exist", () => {
    const missing = findIn(files, (file) => [
      ...listNpmCommands(file).flatMap(({ script }) => (scripts[script] === undefined ? [`npm run ${script}`] : [])),
      ...listNpxPrograms(file).filter((program) => !existsSync(join(root, "node_modules/.bin", program))),
    ]);
    expect(missing).to.deep.equal([]);
  });

  it("use flags and subcommands that the commands have", async () => {
    const unknown: string[] = [];
    for (const file of files)
      for (const { script, words } of listNpmCommands(file).filter((command) => command.words.length > 0)) {
        const command = await loadCommand(script, words[0]!);
        if (command !== null)
          unknown.push(...findUnknownWords(command, words).map((word) => `${file.path}: npm run ${script} -- ${word}`));
      }
    expect(unknown).to.deep.equal([]);
  });

  it("refer to files and folders that exist", () => {
    const missing = findIn(files, (file) =>
      listPaths(file).filter((path) => !GIVEN_PATHS.includes(path) && !existsSync(join(root, path))),
    );
    expect(missing).to.deep.equal([]);
  });

  it("refer to routes that the service has", () => {
    const known = new Set([...routes.map(({ method, path }) => `${method} ${hideParameters(path)}`), ...OTHER_ROUTES]);
    const unknown = findIn(files, (file) => listRoutes(file).filter((route) => !known.has(route)));
    expect(unknown).to.deep.equal([]);
  });
});
