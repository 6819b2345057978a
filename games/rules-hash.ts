/** Which files a replay's rules were: a digest for each rules version, published with this build. */
import { RULES_HASHES } from "./rules-hashes.generated.ts";

/** Stands in a replay for rules that are in no published build. */
export const UNPUBLISHED_RULES = `0x${"00".repeat(32)}` as const;

/** The digest of the files of a game's rules (`npm run docs` computes it); zero where this build does not publish it. */
export const getRulesHash = (slug: string, rulesVersion: number): `0x${string}` =>
  RULES_HASHES[`${slug} ${rulesVersion}`] ?? UNPUBLISHED_RULES;
