/** New games in a copy of the repository: one folder and one line each. */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { root } from "../../scripts/start/build.ts";
import type { RepositoryCopy } from "./copy.ts";

export const SLUG = "gloomlanes";
/** A game on a board, with four directions. */
export const GRID_SLUG = "mosspatch";

type Replacements = readonly (readonly [RegExp, string])[];

/** The games of the fixtures, with other names and a low first tier. */
const SHARED: Replacements = [
  [/minScore: 60/g, "minScore: 10"],
  [/\.\.\/\.\.\/\.\.\/games\//g, "../"],
];
const GAMES: { readonly [slug: string]: { readonly fixture: string; readonly replacements: Replacements } } = {
  [SLUG]: {
    fixture: "lanternlanes",
    replacements: [
      [/lanternlanes/g, SLUG],
      [/Lanternlanes/g, "Gloomlanes"],
      [/LANTERN/g, "GLOOM"],
    ],
  },
  [GRID_SLUG]: {
    fixture: "pebblepatch",
    replacements: [
      [/pebblepatch/g, GRID_SLUG],
      [/Pebblepatch/g, "Mosspatch"],
      [/PEBBLE/g, "MOSS"],
    ],
  },
};

export function addGame({ path }: RepositoryCopy, slug = SLUG): void {
  const { fixture, replacements } = GAMES[slug]!;
  const from = `${root}/test/fixtures/${fixture}`;
  mkdirSync(path("games", slug));
  for (const name of readdirSync(from)) {
    let text = readFileSync(`${from}/${name}`, "utf8");
    for (const [pattern, replacement] of [...replacements, ...SHARED]) text = text.replace(pattern, replacement);
    writeFileSync(path("games", slug, name), text);
  }
  appendFileSync(path("games/list.ts"), `export { ${slug} } from "./${slug}/game.ts";\n`);
}
