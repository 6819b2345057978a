/** A round of the league: its file, and whether the parts fit each other. */
import type { Address, Hex } from "viem";
import { sha256, stringToBytes } from "viem/utils";
import { z } from "zod";
import { canonicalJson } from "../canonical-json.ts";
import { computeSeedCommitment } from "../replay/seed.ts";
import { RUNGS, type Rung } from "./course.ts";
import { computeRatings, type Rating } from "./ratings.ts";
import { DECISIONS_FORM, THINKING_RULES } from "./thinking.ts";

export const ROUND_RULES = { courses: 50, seconds: 60 } as const;

const hex32 = z.string().regex(/^0x[0-9a-f]{64}$/) as unknown as z.ZodType<Hex>;
const count = z.int().nonnegative();

const runSchema = z.strictObject({
  score: z.int(),
  ticks: count,
  fuel: count,
  moves: z
    .string()
    .regex(/^[.0-9a-z]*$/)
    .max(1_000_000),
  unknown: z.strictObject({ count, example: z.string().max(300) }).nullable(),
  forfeit: z
    .strictObject({
      reason: z.enum(["text", "fuel", "memory", "stack", "error", "move", "stopped"]),
      text: z.string().max(300),
      tick: count,
      line: count.nullable(),
      column: count.nullable(),
    })
    .nullable(),
});

const thinkerSchema = z.strictObject({
  /** The wallet. */
  id: z.string().regex(/^0x[0-9a-f]{40}$/i) as unknown as z.ZodType<Address>,
  agentId: z.string(),
  points: z.int(),
  courses: z
    .array(
      z.strictObject({
        course: z.int().min(1).max(THINKING_RULES.courses),
        decisions: z.string().max(1000).regex(DECISIONS_FORM),
        score: z.int(),
        ticks: count,
      }),
    )
    .max(THINKING_RULES.courses),
});

const ratingSchema = z.strictObject({
  id: z.string(),
  rating: z.int(),
  low: z.int(),
  high: z.int(),
  wins: count,
  losses: count,
  ties: count,
});

export const roundSchema = z.strictObject({
  v: z.literal(1),
  season: z.int().positive(),
  slug: z.string().min(1).max(64),
  rulesVersion: z.int().positive(),
  rulesHash: hex32,
  tickHz: z.int().positive(),
  ticksMax: z.int().positive().max(1_000_000),
  courses: z.int().positive().max(10_000),
  opensAt: z.string(),
  closesAt: z.string(),
  /** The service's part of the seeds; its sha256 was public while policies were submitted. */
  serverSeed: hex32,
  commitment: hex32,
  /** The first block of the chain at or after `closesAt`. */
  block: z.strictObject({ number: count, hash: hex32 }),
  /** Over wallet and text digest of every policy, published at the deadline. */
  policiesDigest: hex32,
  policies: z.array(
    z.strictObject({
      id: z.string().min(1).max(64),
      agentId: z.string().nullable(),
      text: z.string().max(65_536),
      digest: hex32,
      submittedAt: z.string(),
      runs: z.array(runSchema),
    }),
  ),
  rungs: z.array(z.strictObject({ id: z.string(), runs: z.array(runSchema) })),
  ratings: z.array(ratingSchema),
  /** The division of thinkers, the best first. */
  thinkers: z.array(thinkerSchema),
});

export type Round = z.infer<typeof roundSchema>;

export const toRungId = (rung: Rung): string => `bot:${rung}`;
const ANCHOR_ID = toRungId("reference");

export const computeTextDigest = (text: string): Hex => sha256(stringToBytes(text));

/** What fixes the list of policies: the wallets and the digests of their texts, by wallet. */
export const computePoliciesDigest = (policies: readonly { readonly id: string; readonly digest: string }[]): Hex =>
  sha256(
    stringToBytes(
      canonicalJson(policies.map(({ id, digest }) => [id, digest] as const).sort(([a], [b]) => (a < b ? -1 : 1))),
    ),
  );

export const rateRound = ({ policies, rungs }: Pick<Round, "policies" | "rungs">): readonly Rating[] =>
  computeRatings([...policies, ...rungs], ANCHOR_ID);

/** The inconsistencies of a file, without playing; empty if its parts fit each other. */
export function checkRoundForm(round: Round): string[] {
  const found: string[] = [];
  const compare = (what: string, expected: unknown, received: unknown): void => {
    if (expected !== received) found.push(`${what}: expected ${expected}, the file has ${received}`);
  };
  const ids = round.policies.map(({ id }) => id);
  compare("different ids of policies", new Set(ids).size, ids.length);
  compare("commitment", computeSeedCommitment(round.serverSeed), round.commitment);
  for (const { id, text, digest, runs } of round.policies) {
    compare(`digest of the text of ${id}`, computeTextDigest(text), digest);
    compare(`courses of ${id}`, round.courses, runs.length);
  }
  compare("policiesDigest", computePoliciesDigest(round.policies), round.policiesDigest);
  compare("rungs", RUNGS.map(toRungId).join(), round.rungs.map(({ id }) => id).join());
  for (const { id, runs } of round.rungs) compare(`courses of ${id}`, round.courses, runs.length);
  if (found.length > 0) return found;
  const ratings = rateRound(round);
  compare("number of ratings", ratings.length, round.ratings.length);
  for (const [place, rating] of ratings.entries())
    for (const [field, value] of Object.entries(rating))
      compare(`${field} of ${rating.id} in the ratings`, value, round.ratings[place]?.[field as keyof Rating]);
  return found;
}
