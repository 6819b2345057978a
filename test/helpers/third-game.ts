/** A third game in a copy of the repository: one folder and one line. */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { root } from "../../scripts/start/build.ts";
import type { RepositoryCopy } from "./copy.ts";

export const SLUG = "gloomlanes";
const EXPORT_LINE = `export { ${SLUG} } from "./${SLUG}/game.ts";\n`;

/** The smallest game of the fixtures, with another name and a low first tier. */
const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [/lanternlanes/g, SLUG],
  [/Lanternlanes/g, "Gloomlanes"],
  [/LANTERN/g, "GLOOM"],
  [/minScore: 60/g, "minScore: 10"],
  [/\.\.\/\.\.\/\.\.\/backend\/games\//g, "../"],
];

export function addGame({ path }: RepositoryCopy): void {
  const from = `${root}/test/fixtures/lanternlanes`;
  mkdirSync(path("backend/games", SLUG));
  for (const name of readdirSync(from)) {
    let text = readFileSync(`${from}/${name}`, "utf8");
    for (const [pattern, replacement] of REPLACEMENTS) text = text.replace(pattern, replacement);
    writeFileSync(path("backend/games", SLUG, name), text);
  }
  appendFileSync(path("backend/games/list.ts"), EXPORT_LINE);
}
