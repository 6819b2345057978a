import type { Address } from "viem";
import { ArcadeError } from "../../../domain/errors.ts";
import { findMoveCode } from "../../../domain/league/course.ts";
import {
  addDecision,
  computeThinkingSeed,
  countDecisions,
  isCourseOver,
  playDecisions,
  THINKING_RULES,
} from "../../../domain/league/thinking.ts";
import { LEAGUE_LIMITS } from "../../../domain/limits/limits.ts";
import type { FrameBody } from "../../../domain/protocol/messages.ts";
import { createMoveError, type StepRequest } from "../../../domain/protocol/step.ts";
import type { Game, GameState } from "../../../games/game.ts";
import { toPlayFrame } from "../../../games/play-frame.ts";
import type { LeagueStore, SeasonRow } from "../../ports/store/league.ts";
import type { Clock } from "../../ports/system.ts";
import type { Identity } from "../identity/identity.ts";
import { createClosedError, type League } from "./league.ts";

interface ThinkingPorts {
  readonly store: LeagueStore;
  readonly identity: Pick<Identity, "requireIdentity">;
  readonly league: Pick<League, "requireSeason">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly games: readonly Game[];
}

interface Place {
  readonly slug: string;
  readonly wallet: Address;
  /** 1 to 5. */
  readonly course: number;
}

interface CourseView {
  readonly season: number;
  readonly course: number;
  /** Made so far. */
  readonly decisions: number;
  readonly decisionsLeft: number;
  readonly score: number;
  readonly isOver: boolean;
  readonly frame: FrameBody;
}

/**
 * The division of thinkers: the state of a course is computed from its decisions in each request, so that a player may
 * take hours for one and any backend can answer.
 */
export class Thinking {
  readonly #ports: ThinkingPorts;

  constructor(ports: ThinkingPorts) {
    this.#ports = ports;
  }

  /** The wallet's course as its decisions have left it. Throws `LEAGUE_OFF`. */
  async getCourse(place: Place): Promise<CourseView> {
    const season = await this.#ports.league.requireSeason(place.slug);
    const row = await this.#ports.store.findThinking(season, place.wallet, place.course);
    return this.#toView(place, season, row?.decisions ?? "");
  }

  /**
   * Adds a decision to a course. A repeated last decision changes nothing. Throws `LEAGUE_OFF`, `SEASON_CLOSED`,
   * `IDENTITY_REQUIRED`, `DECISION_CONFLICT`, or `VALIDATION_FAILED` for a move that the game does not know.
   */
  async decide(place: Place, request: StepRequest & { readonly decision: number }): Promise<CourseView> {
    const { decision, move, ticks } = request;
    const { store, league, identity, clock } = this.#ports;
    const { slug, wallet, course } = place;
    const season = await league.requireSeason(slug);
    if (clock.nowMs() >= season.closesAtMs) throw createClosedError(season);
    const game = this.#findGame(slug);
    const code = move === null ? "none" : findMoveCode(game, move);
    if (code === null) throw createMoveError(slug);
    const agentId = await identity.requireIdentity(wallet);
    const former = (await store.findThinking(season, wallet, course))?.decisions ?? "";
    const count = countDecisions(former);
    if (decision === count && former === addDecision(former.split(" ").slice(0, -1).join(" "), { code, ticks }))
      return this.#toView(place, season, former);
    if (decision !== count + 1 || isCourseOver(this.#play(place, season, former), former))
      throw this.#createConflict(place, season, former);
    const decisions = addDecision(former, { code, ticks });
    const state = this.#play(place, season, decisions);
    const row = { slug, season: season.season, wallet, agentId, course, decisions, decisionCount: decision };
    const { thinkersPerSeason: thinkersMax } = LEAGUE_LIMITS;
    const outcome = await store.decide({ ...row, score: state.score }, { nowMs: clock.nowMs(), thinkersMax });
    if (outcome === "stored") return this.#toView(place, season, decisions, state);
    // Another request was faster: its decision is compared with this one.
    if (outcome === "late") return this.decide(place, request);
    if (outcome === "closed") throw createClosedError(season);
    const message = `Season ${season.season} of ${slug} has the maximum of ${thinkersMax} thinkers; the next season opens after its round.`;
    throw new ArcadeError("SEASON_CLOSED", message);
  }

  #findGame(slug: string): Game {
    return this.#ports.games.find((game) => game.slug === slug)!;
  }

  #play({ slug, wallet, course }: Place, { serverSeed }: SeasonRow, decisions: string): GameState {
    const game = this.#findGame(slug);
    const seed = computeThinkingSeed(serverSeed, slug, wallet, course);
    return playDecisions(game, { seed, tickHz: game.tickHz, decisions });
  }

  #toView(
    place: Place,
    season: SeasonRow,
    decisions: string,
    state = this.#play(place, season, decisions),
  ): CourseView {
    const made = countDecisions(decisions);
    return {
      season: season.season,
      course: place.course,
      decisions: made,
      decisionsLeft: THINKING_RULES.decisions - made,
      score: state.score,
      isOver: isCourseOver(state, decisions),
      frame: toPlayFrame(this.#findGame(place.slug), state) as unknown as FrameBody,
    };
  }

  #createConflict(place: Place, season: SeasonRow, decisions: string): ArcadeError {
    const { frame: _, ...state } = this.#toView(place, season, decisions);
    const next = state.isOver
      ? "it is over"
      : `the next one is ${state.decisions + 1}; GET /api/league/${place.slug}/thinking/${place.course} has its frame`;
    const message = `Course ${place.course} has ${state.decisions} decisions: ${next}.`;
    return new ArcadeError("DECISION_CONFLICT", message, state);
  }
}
