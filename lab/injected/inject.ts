/**
 * Injects faults: removes safeguards of the product while its modules are loaded, in this process only. The statement
 * of a safeguard follows the comment `// safeguard: NAME`.
 */
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import { getEnvironment } from "../../backend/config/environment.ts";
import { root } from "../../scripts/start/build.ts";
import { type Change, FAULTS } from "./faults.ts";

const MARKER = /^ *\/\/ safeguard: (\S+)$/gm;
const PRODUCT = pathToFileURL(`${root}/`).href;

export const listMarkers = (text: string): readonly string[] => [...text.matchAll(MARKER)].map(([, name]) => name!);

const getIndentation = (line: string): number => line.length - line.trimStart().length;

/** The number of lines of the statement that begins with the first one; each line that continues it is indented. */
function countLines(lines: readonly string[]): number {
  const indentation = getIndentation(lines[0]!);
  const isContinued = (line: string): boolean =>
    getIndentation(line) > indentation || (getIndentation(line) === indentation && /^[)\]}]/.test(line.trimStart()));
  const rest = lines.slice(1).findIndex((line) => line !== "" && !isContinued(line));
  return rest === -1 ? lines.length : rest + 1;
}

function replaceCondition(statement: string, condition: string): string {
  const begin = statement.indexOf("if (") + "if (".length;
  let end = begin;
  for (let depth = 1; depth > 0; end++) {
    if (statement[end] === "(") depth += 1;
    if (statement[end] === ")") depth -= 1;
    if (end > statement.length) throw new Error(`expected an if with a condition, received ${statement}`);
  }
  return statement.slice(0, begin) + condition + statement.slice(end - 1);
}

/** @throws Error unless the text has the marker once, so that no fault is silently skipped. */
export function changeMarked(text: string, { safeguard, before, condition, replacement }: Change): string {
  const count = listMarkers(text).filter((name) => name === safeguard).length;
  if (count !== 1) throw new Error(`expected the marker "safeguard: ${safeguard}" once, found it ${count} times`);
  const lines = text.split("\n");
  const begin = lines.findIndex((line) => line.trim() === `// safeguard: ${safeguard}`) + 1;
  const end = begin + countLines(lines.slice(begin));
  const statement = lines.slice(begin, end).join("\n");
  const changed =
    (before !== undefined && `${before}\n${statement}`) ||
    (condition !== undefined && replaceCondition(statement, condition)) ||
    (replacement ?? "");
  return [...lines.slice(0, begin), changed, ...lines.slice(end)].join("\n");
}

/** Injects faults by their names. Call it before the product is imported. */
export function inject(names: readonly string[]): void {
  const changes = names.map((name) => {
    const change = FAULTS[name];
    if (change === undefined) throw new Error(`there is no fault ${name}`);
    return change;
  });
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.startsWith(PRODUCT) || !url.endsWith(".ts") || url.includes("/node_modules/")) return loaded;
      const source = String(loaded.source);
      const markers = listMarkers(source);
      const ofFile = changes.filter(({ safeguard }) => markers.includes(safeguard));
      return ofFile.length === 0 ? loaded : { ...loaded, source: ofFile.reduce(changeMarked, source) };
    },
  });
}

/** The environment of a process that gets the faults, as do all processes that it starts. */
export function createFaultEnvironment(names: readonly string[]): { readonly [name: string]: string } {
  const preload = new URL("preload.ts", import.meta.url).href;
  const { NODE_OPTIONS = "" } = getEnvironment();
  return { INJECTED_FAULTS: names.join(","), NODE_OPTIONS: `${NODE_OPTIONS} --import=${preload}`.trim() };
}
