/** Historical spellings of a game's slug → the canonical one. */
const OLD_SPELLINGS: { readonly [spelling: string]: string } = {
  "flappy-bots": "flappybots",
  flappy_bots: "flappybots",
  flappybot: "flappybots",
  flappy: "flappybots",
};

/** The canonical form of a slug as a client wrote it; whether a game has it is the catalog's to say. */
export function normalizeSlug(text: string): string {
  const lower = text.toLowerCase();
  const known = OLD_SPELLINGS[lower];
  if (known !== undefined) return known;
  return lower === "flappybots" ? lower : text;
}
