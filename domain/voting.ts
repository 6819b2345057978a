/** Rules of community voting: applications, candidates and their states, ballots, and the winners. */
import { z } from "zod";
import { canonicalJson } from "./canonical-json.ts";
import { normalizeSlug } from "./ids.ts";
import { plainText } from "./plain-text.ts";
import { createTypedData, type TypedData } from "./typed-data/messages.ts";

export const VOTE_SOURCES = ["ai_agent", "human"] as const;
/** Which tally a vote belongs to. It is a label, not proof of what the voter is. */
export type VoteSource = (typeof VOTE_SOURCES)[number];

export const VOTING_TIMES = {
  nonceTtlSeconds: 300,
  /** An `ai_agent` must have played one verified session of at least this length. */
  sessionSeconds: 10,
  cycleDays: 7,
  maxCycleDays: 90,
  demoDays: 30,
} as const;

export const CANDIDATE_STATES = [
  "applied",
  "approved",
  "rejected",
  "voting",
  "won",
  "lost",
  "onboarding",
  "launched",
  "withdrawn",
] as const;
export type CandidateState = (typeof CANDIDATE_STATES)[number];

/** The states from which the operator may move a candidate to each state. Cycles move to voting, won and lost. */
export const CANDIDATE_TRANSITIONS = {
  approved: ["applied", "rejected"],
  rejected: ["applied", "approved"],
  onboarding: ["won"],
  launched: ["onboarding"],
  withdrawn: ["won", "onboarding"],
} as const satisfies { readonly [to in CandidateState]?: readonly CandidateState[] };

/** What `voting onboard` may set. */
export const ONBOARDING_STATES = ["onboarding", "launched", "withdrawn"] as const;

/** The slug of a new game: lower-case words, usable in paths. */
const CANDIDATE_SLUG = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const CANDIDATE_SLUG_MAX = 32;

/** The form of an application for a third-party game. `liveSlugs`: the games that are already played here. */
export const createApplicationSchema = (liveSlugs: readonly string[]) =>
  z.strictObject({
    slug: z
      .string()
      .max(CANDIDATE_SLUG_MAX, `expected at most ${CANDIDATE_SLUG_MAX} characters`)
      .regex(CANDIDATE_SLUG, 'expected lower-case words like "my-game"')
      .refine((slug) => !liveSlugs.includes(normalizeSlug(slug)), { error: "this game is played here already" }),
    title: plainText(1, 60),
    developer: plainText(1, 60),
    url: z.url({ protocol: /^https$/, error: "expected an https address" }).max(256),
  });

/** Why an `ai_agent` vote is rejected. */
export type IneligibleReason = "IDENTITY_NOT_HELD" | "NO_VERIFIED_SESSION";

interface CycleTimes {
  readonly closesAtMs: number;
  readonly closedAtMs: number | null;
}

/** A cycle is open until its end, unless the operator closes it earlier. */
export const isCycleOpen = ({ closesAtMs, closedAtMs }: CycleTimes, nowMs: number): boolean =>
  closedAtMs === null && nowMs < closesAtMs;

export const getCycleEndMs = ({ closesAtMs, closedAtMs }: CycleTimes): number =>
  closedAtMs === null ? closesAtMs : Math.min(closedAtMs, closesAtMs);

export interface BallotMessage {
  readonly walletAddress: string;
  readonly gameSlug: string;
  readonly voteSource: VoteSource;
  readonly nonce: string;
  /** Decimal string. */
  readonly cycleId: string;
}

/** The ballot that a voter signs (EIP-712). Its domain has no contract, since no contract checks it. */
export const createBallot = (chainId: number, message: BallotMessage): TypedData =>
  createTypedData("Vote", { chainId }, { ...message });

export const formatBallot = (message: BallotMessage): string => canonicalJson(message);
export const parseBallot = (text: string): BallotMessage => JSON.parse(text) as BallotMessage;

interface TallyCounts {
  readonly gameSlug: string;
  readonly human: number;
  readonly aiAgent: number;
}

/**
 * Best first. Agents' votes decide, because each needs an identity and a played session. Humans' votes, which need only
 * a wallet, break ties; then the slug's order does.
 */
export const rankTallies = <T extends TallyCounts>(tallies: readonly T[]): readonly T[] =>
  [...tallies].sort((a, b) => b.aiAgent - a.aiAgent || b.human - a.human || (a.gameSlug < b.gameSlug ? -1 : 1));

/** The first `count` games that have at least one agent's vote. */
export const selectWinners = (tallies: readonly TallyCounts[], count: number): readonly string[] =>
  rankTallies(tallies)
    .filter(({ aiAgent }) => aiAgent > 0)
    .slice(0, count)
    .map(({ gameSlug }) => gameSlug);

/** Two invented games to try voting on a fresh local chain. */
export const DEMO_CANDIDATES = [
  { slug: "demo-tidepool", title: "Tidepool", developer: "Agent Arcade", url: "https://example.org/tidepool" },
  { slug: "demo-kelpkart", title: "Kelp Kart", developer: "Agent Arcade", url: "https://example.org/kelpkart" },
] as const;
