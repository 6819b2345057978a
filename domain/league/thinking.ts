/**
 * The division of thinkers: a player gets a frame, decides in its own time, and its decision makes the next ticks of a
 * course. The decisions and the seed of a course give its score again.
 */
import type { Address, Hex } from "viem";
import { concat, hexToBytes, numberToHex, sha256, stringToHex } from "viem/utils";
import type { Game, GameState } from "../../games/game.ts";

/** Of every thinker in a season. A course is over after its last decision, its time, or the last life. */
export const THINKING_RULES = { courses: 5, decisions: 120, seconds: 60 } as const;

/** The code of a move for the first tick, "none" for no move, and the ticks to make. */
interface Decision {
  readonly code: number | "none";
  readonly ticks: number;
}

/** A decision as in `moves` of a run, "." or the code in base 36, and its ticks; decisions are separated by spaces. */
export const DECISIONS_FORM = /^([.0-9a-z]([1-9]\d?|100)( (?!$)|$))*$/;

export function addDecision(decisions: string, { code, ticks }: Decision): string {
  const decision = `${code === "none" ? "." : code.toString(36)}${ticks}`;
  return decisions === "" ? decision : `${decisions} ${decision}`;
}

const split = (decisions: string): readonly string[] => (decisions === "" ? [] : decisions.split(" "));

export const countDecisions = (decisions: string): number => split(decisions).length;

/**
 * The seed of a course, 32 bytes. Each wallet has its own courses, so that a second one cannot explore them first.
 * @param course 1 to 5
 */
export const computeThinkingSeed = (serverSeed: Hex, slug: string, wallet: Address, course: number): Hex =>
  sha256(concat([serverSeed, stringToHex("thinking"), stringToHex(slug), wallet, numberToHex(course, { size: 4 })]));

export interface ThinkingCourse {
  readonly seed: Hex;
  readonly tickHz: number;
  readonly decisions: string;
}

/** The state after all decisions of a course. */
export function playDecisions(game: Game, { seed, tickHz, decisions }: ThinkingCourse): GameState {
  const state = game.init(hexToBytes(seed), tickHz);
  const ticksMax = THINKING_RULES.seconds * tickHz;
  for (const decision of split(decisions)) {
    const codes = decision.startsWith(".") ? [] : [Number.parseInt(decision[0]!, 36)];
    const lastTick = Math.min(ticksMax, state.tick + Number(decision.slice(1)));
    for (let first = true; state.tick < lastTick && !state.over; first = false) game.step(state, first ? codes : []);
  }
  return state;
}

/** Whether a course takes no further decision. */
export const isCourseOver = ({ tick, tickHz, over }: GameState, decisions: string): boolean =>
  over || tick >= THINKING_RULES.seconds * tickHz || countDecisions(decisions) >= THINKING_RULES.decisions;

interface PlayedCourse {
  readonly course: number;
  readonly decisions: string;
  readonly score: number;
  readonly ticks: number;
}

/** The result of a wallet that decided. */
export interface Thinker {
  readonly id: Address;
  readonly agentId: string;
  readonly points: number;
  readonly courses: PlayedCourse[];
}

/** Before its courses are played. */
export type Decided = Pick<Thinker, "id" | "agentId"> & {
  readonly courses: readonly Pick<PlayedCourse, "course" | "decisions">[];
};

interface Season {
  readonly slug: string;
  readonly serverSeed: Hex;
  readonly tickHz: number;
}

interface Standing {
  readonly wallet: string;
  readonly points: number;
  readonly decisions: number;
}

/** The order of the board: points of all courses, then fewer decisions; the wallet makes it total. */
export const compareThinkers = (one: Standing, other: Standing): number =>
  other.points - one.points || one.decisions - other.decisions || (one.wallet < other.wallet ? -1 : 1);

const toStanding = ({ id, points, courses }: Thinker): Standing => ({
  ...{ wallet: id, points },
  decisions: courses.reduce((sum, { decisions }) => sum + countDecisions(decisions), 0),
});

/** Plays all courses of all thinkers, and ranks them. */
export function rankThinkers(
  game: Game,
  { slug, serverSeed, tickHz }: Season,
  thinkers: readonly Decided[],
): Thinker[] {
  const played = thinkers.map(({ id, agentId, courses }) => {
    const results = courses.map(({ course, decisions }) => {
      const seed = computeThinkingSeed(serverSeed, slug, id, course);
      const { score, tick } = playDecisions(game, { seed, tickHz, decisions });
      return { course, decisions, score, ticks: tick };
    });
    return { id, agentId, points: results.reduce((sum, { score }) => sum + score, 0), courses: results };
  });
  return played.sort((one, other) => compareThinkers(toStanding(one), toStanding(other)));
}

/** The differences between the thinkers of a round's file and their replayed courses. */
export function checkThinkers(game: Game, round: Season & { readonly thinkers: readonly Thinker[] }): string[] {
  const found: string[] = [];
  const compare = (what: string, expected: unknown, received: unknown): void => {
    if (expected !== received) found.push(`${what}: expected ${expected}, the file has ${received}`);
  };
  const ranked = rankThinkers(game, round, round.thinkers);
  for (const [place, { id, points, courses }] of ranked.entries()) {
    const received = round.thinkers[place]!;
    compare(`place ${place + 1} of the thinkers`, id, received.id);
    if (id !== received.id) continue;
    const numbers = courses.map(({ course }) => course);
    compare(`different courses of thinker ${id}`, new Set(numbers).size, numbers.length);
    compare(`points of thinker ${id}`, points, received.points);
    for (const [index, { course, decisions, score, ticks }] of courses.entries()) {
      const where = `thinker ${id}, course ${course}`;
      const before = split(decisions).slice(0, -1).join(" ");
      const seed = computeThinkingSeed(round.serverSeed, round.slug, id, course);
      if (isCourseOver(playDecisions(game, { seed, tickHz: round.tickHz, decisions: before }), before))
        found.push(`${where}: expected no decision after its end`);
      compare(`${where}: score`, score, received.courses[index]!.score);
      compare(`${where}: ticks`, ticks, received.courses[index]!.ticks);
    }
  }
  return found;
}
