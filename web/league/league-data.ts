/** What the league's pages show. The file of a round is large, so pages get only the parts that they need. */
import type { Answer, Hex } from "../../client/api.ts";
import type { Run } from "../../domain/league/course.ts";
import { computeCourseSeed } from "../../domain/league/course-seed.ts";
import { compareScores, type Rated, type Rating } from "../../domain/league/ratings.ts";
import { countDecisions } from "../../domain/league/thinking.ts";
import { client } from "../wallet/service.ts";

/** The file of a round. */
export type Round = Answer<"league.round">;

export type League = Answer<"league.current">;

export interface Entrant {
  readonly id: string;
  /** Null for bots. */
  readonly agentId: string | null;
}

export interface Standing extends Entrant, Rating {
  readonly rank: number;
  readonly forfeits: number;
}

export interface RoundView {
  readonly season: number;
  readonly closesAt: string;
  readonly courses: number;
  /** Of one page of the table. */
  readonly standings: readonly Standing[];
  readonly total: number;
  /** The ends of all intervals. */
  readonly low: number;
  readonly high: number;
  /** Of the best: the share of courses that each won against each, ties counted half. */
  readonly shares: readonly (readonly number[])[];
  /** In the order of the ratings. */
  readonly entrants: readonly Entrant[];
  readonly thinkers: readonly ThinkerView[];
}

export const STANDINGS_LIMIT = 25;
const MATRIX_MAX = 12;

export const readLeague = (slug: string, signal: AbortSignal): Promise<League> =>
  client.league.current({ slug }, { signal });

export const toRoundPath = (slug: string, season: number): string => `/api/league/${slug}/seasons/${season}`;

/** A round that was played does not change. */
const rounds = new Map<string, Round>();
const ROUNDS_MAX = 3;

export async function readRound(slug: string, season: number, signal: AbortSignal): Promise<Round> {
  const path = toRoundPath(slug, season);
  const round = rounds.get(path) ?? (await client.league.round({ slug, season: String(season) }, { signal }));
  rounds.delete(path);
  rounds.set(path, round);
  if (rounds.size > ROUNDS_MAX) rounds.delete(rounds.keys().next().value!);
  return round;
}

/** A thinker of a season, on the board. */
export interface ThinkerView extends Entrant {
  readonly points: number;
  readonly courses: number;
  readonly decisions: number;
}

const toThinkerView = ({ id, agentId, points, courses }: Round["thinkers"][number]): ThinkerView => ({
  ...{ id, agentId, points, courses: courses.length },
  decisions: courses.reduce((sum, { decisions }) => sum + countDecisions(decisions), 0),
});

interface Entry extends Entrant {
  readonly runs: readonly Run[];
  /** Null for bots. */
  readonly text: string | null;
}

const listEntries = ({ policies, rungs }: Round): readonly Entry[] => [
  ...policies,
  ...rungs.map((rung) => ({ ...rung, agentId: null, text: null })),
];

const findEntry = (round: Round, id: string | undefined): Entry | undefined =>
  listEntries(round).find((entry) => entry.id === id);

const countOutcomes = (one: Rated, other: Rated) => {
  const outcomes = one.runs.map((run, course) => compareScores(run, other.runs[course]!));
  const count = (outcome: number): number => outcomes.filter((each) => each === outcome).length;
  return { wins: count(1), ties: count(0.5), losses: count(0) };
};

export function toRoundView(round: Round, page: number): RoundView {
  const { season, closesAt, courses, ratings } = round;
  const entries = ratings.flatMap(({ id }) => findEntry(round, id) ?? []);
  const start = (page - 1) * STANDINGS_LIMIT;
  const top = entries.slice(0, MATRIX_MAX);
  return {
    ...{ season, closesAt, courses },
    standings: ratings.slice(start, start + STANDINGS_LIMIT).map((rating, index) => {
      const { agentId = null, runs = [] } = entries[start + index] ?? {};
      const forfeits = runs.filter(({ forfeit }) => forfeit !== null).length;
      return { ...rating, agentId, forfeits, rank: start + index + 1 };
    }),
    total: ratings.length,
    low: Math.min(...ratings.map(({ low }) => low)),
    high: Math.max(...ratings.map(({ high }) => high)),
    thinkers: round.thinkers.map(toThinkerView),
    entrants: entries.map(({ id, agentId }) => ({ id, agentId })),
    shares: top.map((one) =>
      top.map((other) => {
        const { wins, ties } = countOutcomes(one, other);
        return (wins + ties / 2) / courses;
      }),
    ),
  };
}

interface Side extends Entrant {
  readonly text: string | null;
  readonly run: Run;
}

export interface MatchView
  extends Pick<Round, "season" | "slug" | "courses" | "tickHz" | "rulesVersion" | "rulesHash"> {
  readonly sides: readonly [Side, Side];
  readonly course: number;
  readonly seed: Hex;
  /** Of the first one. */
  readonly outcomes: { readonly wins: number; readonly ties: number; readonly losses: number };
  /** Of every course; null: forfeited. */
  readonly scores: readonly (readonly [number | null, number | null])[];
  /** The first tick with another move; null if there is none. */
  readonly differsAtTick: number | null;
  readonly entrants: readonly Entrant[];
}

const toScore = ({ forfeit, score }: Run): number | null => (forfeit === null ? score : null);

/** The course on which the scores are furthest apart. */
const findTelling = (scores: MatchView["scores"]): number => {
  const gaps = scores.map(([one, other]) => Math.abs((one ?? -1) - (other ?? -1)));
  return gaps.indexOf(Math.max(...gaps));
};

function findDifference(one: Run, other: Run): number | null {
  const length = Math.max(one.moves.length, other.moves.length);
  const at = Array.from({ length }, (_, index) => index).find((index) => one.moves[index] !== other.moves[index]);
  return at === undefined ? null : at + 1;
}

interface MatchQuery {
  readonly a: string | undefined;
  readonly b: string | undefined;
  /** Counted from 1. */
  readonly course: string | undefined;
}

/** By default the two best, on their most interesting course; null if the round has no such two. */
export function toMatchView(round: Round, query: MatchQuery): MatchView | null {
  const { season, slug, courses, tickHz, rulesVersion, rulesHash, ratings } = round;
  const a = findEntry(round, query.a ?? ratings[0]?.id);
  const b = findEntry(round, query.b ?? ratings.find(({ id }) => id !== a?.id)?.id);
  if (a === undefined || b === undefined) return null;
  const scores = a.runs.map((run, course) => [toScore(run), toScore(b.runs[course]!)] as const);
  const wanted = /^\d{1,5}$/.test(query.course ?? "") ? Number(query.course) - 1 : -1;
  const course = scores[wanted] === undefined ? findTelling(scores) : wanted;
  const toSide = ({ id, agentId, text, runs }: Entry): Side => ({ id, agentId, text, run: runs[course]! });
  return {
    ...{ season, slug, courses, tickHz, rulesVersion, rulesHash, course, scores },
    sides: [toSide(a), toSide(b)],
    seed: computeCourseSeed(round, course),
    outcomes: countOutcomes(a, b),
    differsAtTick: findDifference(a.runs[course]!, b.runs[course]!),
    entrants: ratings.flatMap(({ id }) => {
      const entry = findEntry(round, id);
      return entry === undefined ? [] : [{ id, agentId: entry.agentId }];
    }),
  };
}
