/** Blocks of a document that a command writes, between two comments. */

/** The games that a document has rows of; one that was just added has none until the command writes them. */
export const listGamesWithRows = <Named extends { readonly slug: string }>(
  text: string,
  games: readonly Named[],
): readonly Named[] => games.filter(({ slug }) => text.includes(`\n| ${slug} | `));

/** The text with the lines of the block `name` replaced. Throws where the text has no such block. */
export function replaceBlock(text: string, name: string, lines: readonly string[]): string {
  const block = new RegExp(`(<!-- ${name}: [^\n]*-->\n)[^]*?(\n<!-- end of ${name} -->)`);
  if (!block.test(text)) throw new Error(`there is no block "${name}"`);
  return text.replace(block, (_, begin: string, end: string) => `${begin}\n${lines.join("\n")}\n${end}`);
}
