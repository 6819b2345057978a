/** Puts the file of a round together from what was played. */
import { findGame } from "../../games/index.ts";
import { getRulesHash } from "../../games/rules-hash.ts";
import { computeSeedCommitment } from "../replay/seed.ts";
import type { Run } from "./course.ts";
import { computePoliciesDigest, computeTextDigest, type Round, rateRound } from "./round.ts";
import { type Decided, rankThinkers } from "./thinking.ts";

export type RoundFacts = Pick<
  Round,
  | "season"
  | "slug"
  | "rulesVersion"
  | "tickHz"
  | "ticksMax"
  | "courses"
  | "opensAt"
  | "closesAt"
  | "serverSeed"
  | "block"
  | "rungs"
> & {
  readonly policies: readonly (Pick<Round["policies"][number], "id" | "agentId" | "text" | "submittedAt"> & {
    readonly runs: readonly Run[];
  })[];
  readonly thinkers: readonly Decided[];
};

export function buildRound(facts: RoundFacts): Round {
  const policies = facts.policies
    .map((policy) => ({ ...policy, runs: [...policy.runs], digest: computeTextDigest(policy.text) }))
    .sort((one, other) => (one.id < other.id ? -1 : 1));
  const { rungs } = facts;
  return {
    v: 1,
    ...facts,
    rulesHash: getRulesHash(facts.slug, facts.rulesVersion),
    commitment: computeSeedCommitment(facts.serverSeed),
    policiesDigest: computePoliciesDigest(policies),
    policies,
    ratings: [...rateRound({ policies, rungs })],
    thinkers: rankThinkers(findGame(facts.slug)!, facts, facts.thinkers),
  };
}
