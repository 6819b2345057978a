import type { Hex } from "viem";
import { concat, numberToHex, sha256, stringToHex } from "viem/utils";

/** The seed of a course. Neither the service nor an author chooses it: it needs both the committed part and the block. */
export const computeCourseSeed = (
  {
    serverSeed,
    block,
    slug,
  }: { readonly serverSeed: Hex; readonly block: { readonly hash: Hex }; readonly slug: string },
  course: number,
): Hex => sha256(concat([serverSeed, block.hash, stringToHex(slug), numberToHex(course, { size: 4 })]));
