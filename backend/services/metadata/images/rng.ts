/** The random choices of a picture: the same name always gives the same picture. */
import { createHash } from "node:crypto";
import type { ArtRng } from "../../../../games/game.ts";

/** Derives choices from a name by SHA-256. They depend on the order of the calls. */
export function createRng(seed: string): ArtRng {
  let block = createHash("sha256").update(seed).digest();
  let offset = 0;
  const nextByte = (): number => {
    if (offset === block.length) {
      block = createHash("sha256").update(block).digest();
      offset = 0;
    }
    return block[offset++]!;
  };
  return {
    nextInt: (count) => nextByte() % count,
    nextBetween: (from, to) => from + ((to - from) * nextByte()) / 255,
  };
}
