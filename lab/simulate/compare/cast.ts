/** The accounts and limits for comparing the chain model with the contracts. */
import { createHash } from "node:crypto";
import type { Hex } from "viem";
import type { Limits } from "../chain/state.ts";

const toKey = (name: string): Hex => `0x${createHash("sha256").update(`compared ${name}`).digest("hex")}`;

export const KEYS = {
  admin: toKey("admin"),
  operator: toKey("operator"),
  identity: toKey("identity"),
  score: toKey("score"),
  nft: toKey("nft"),
  first: toKey("first player"),
  second: toKey("second player"),
  third: toKey("third player"),
} as const;

export const SLUG = "tally";
export const TIERS = [20n, 100n, 5_000n] as const;

/** Small enough that sequences of a few dozen calls reach each of them. */
export const LIMITS: Limits = {
  rate: 10n ** 15n,
  cooldownSeconds: 12n,
  minScore: 30n,
  maxPayout: 300n,
  dailyCap: 460n,
  weeklyCap: 900n,
  maxScorePerSession: 200n,
};
