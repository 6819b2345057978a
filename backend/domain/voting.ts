/** Rules of community voting: who may vote, how a candidate moves, what a ballot says and who wins. */
import { canonicalJson } from "./replay.ts";
import { makeTypedData, type TypedData } from "./typed-data.ts";

export const VOTE_SOURCES = ["ai_agent", "human"] as const;
/** Which tally a vote belongs to. It is a label, not proof of what the voter is. */
export type VoteSource = (typeof VOTE_SOURCES)[number];

export const VOTING_TIMES = {
  nonceTtlSeconds: 300,
  /** An `ai_agent` has played one verified session of at least this length. */
  sessionSeconds: 10,
  cycleDays: 7,
  maxCycleDays: 90,
  demonstrationDays: 30,
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

/** Each state and the ones it is reached from by the operator's hand. Cycles move candidates to voting, won and lost. */
export const CANDIDATE_MOVES = {
  approved: ["applied", "rejected"],
  rejected: ["applied", "approved"],
  onboarding: ["won"],
  launched: ["onboarding"],
  withdrawn: ["won", "onboarding"],
} as const satisfies { readonly [to in CandidateState]?: readonly CandidateState[] };

/** What `voting onboard` may set. */
export const ONBOARDING_STATES = ["onboarding", "launched", "withdrawn"] as const;

/** A slug that a new game can have: lower-case words, as it stands in paths. */
export const CANDIDATE_SLUG = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
export const CANDIDATE_SLUG_MAX = 32;

/** Why an `ai_agent` vote is refused. */
export type IneligibleReason = "IDENTITY_NOT_HELD" | "NO_VERIFIED_SESSION";

interface CycleTimes {
  readonly closesAtMs: number;
  readonly closedAtMs: number | null;
}

/** Votes count until the cycle's end, or until it was closed earlier. */
export const isCycleOpen = ({ closesAtMs, closedAtMs }: CycleTimes, nowMs: number): boolean =>
  closedAtMs === null && nowMs < closesAtMs;

/** When voting ends or ended. */
export const cycleEndMs = ({ closesAtMs, closedAtMs }: CycleTimes): number =>
  closedAtMs === null ? closesAtMs : Math.min(closedAtMs, closesAtMs);

export interface BallotMessage {
  readonly walletAddress: string;
  readonly gameSlug: string;
  readonly voteSource: VoteSource;
  readonly nonce: string;
  /** Decimal string. */
  readonly cycleId: string;
}

/** The ballot a voter signs (EIP-712); the domain has no contract, since none checks it. */
export const makeBallot = (chainId: number, message: BallotMessage): TypedData =>
  makeTypedData("Vote", { chainId }, { ...message });

export const ballotText = (message: BallotMessage): string => canonicalJson(message);
export const readBallotText = (text: string): BallotMessage => JSON.parse(text) as BallotMessage;

interface Counted {
  readonly gameSlug: string;
  readonly human: number;
  readonly aiAgent: number;
}

/**
 * Best first. Agents decide, for their votes cost an identity and a played session; votes of humans, which cost
 * nothing, only break ties; then the slug's order.
 */
export const rankTallies = <T extends Counted>(tallies: readonly T[]): readonly T[] =>
  [...tallies].sort((a, b) => b.aiAgent - a.aiAgent || b.human - a.human || (a.gameSlug < b.gameSlug ? -1 : 1));

/** The first `count` games that got an agent's vote at all. */
export const winnersOf = (tallies: readonly Counted[], count: number): readonly string[] =>
  rankTallies(tallies)
    .filter(({ aiAgent }) => aiAgent > 0)
    .slice(0, count)
    .map(({ gameSlug }) => gameSlug);

/** Two invented games, so that voting can be tried on a fresh local chain. */
export const DEMONSTRATION = [
  { slug: "demo-tidepool", title: "Tidepool", developer: "Agent Arcade", url: "https://example.org/tidepool" },
  { slug: "demo-kelpkart", title: "Kelp Kart", developer: "Agent Arcade", url: "https://example.org/kelpkart" },
] as const;
