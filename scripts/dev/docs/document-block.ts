/** Blocks of a document that a command writes, between two comments. */

/** The games that have rows in a document; a new game has none until the command writes them. */
export const listGamesWithRows = <Named extends { readonly slug: string }>(
  text: string,
  games: readonly Named[],
): readonly Named[] => games.filter(({ slug }) => text.includes(`\n| ${slug} | `));

const toPattern = (name: string): RegExp =>
  new RegExp(`(<!-- ${name}: [^\n]*-->\n)([\\s\\S]*?)(\n<!-- end of ${name} -->)`);

/** The lines of the block `name`. Throws if the text has no such block. */
export function readBlock(text: string, name: string): string {
  const block = toPattern(name).exec(text);
  if (block === null) throw new Error(`there is no block "${name}"`);
  return block[2]!;
}

/** The text with the lines of the block `name` replaced. Throws if the text has no such block. */
export function replaceBlock(text: string, name: string, lines: readonly string[]): string {
  readBlock(text, name);
  return text.replace(
    toPattern(name),
    (_, begin: string, _lines, end: string) => `${begin}\n${lines.join("\n")}\n${end}`,
  );
}
