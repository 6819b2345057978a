/** Identifiers: session ids and the slugs of games. */

/** A UUIDv7 (RFC 9562 §5.7) of a time and 10 random bytes; ids sort by time. */
export function uuidV7(nowMs: number, random: Uint8Array): string {
  const bytes = new Uint8Array(16);
  let rest = nowMs;
  for (let index = 5; index >= 0; index -= 1) {
    bytes[index] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  bytes.set(random.subarray(0, 10), 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Historical spellings of a game's slug → the canonical one. */
const LEGACY_SPELLINGS: ReadonlyMap<string, string> = new Map([
  ["flappy-bots", "flappybots"],
  ["flappy_bots", "flappybots"],
  ["flappybot", "flappybots"],
  ["flappy", "flappybots"],
]);

/** The canonical form of a slug as a client wrote it. The result need not be the slug of a game. */
export function normalizeSlug(text: string): string {
  const lower = text.toLowerCase();
  const known = LEGACY_SPELLINGS.get(lower);
  if (known !== undefined) return known;
  return lower === "flappybots" ? lower : text;
}
