/** A thousand courses of a policy by the tool `simulate` of the model context protocol, its process included (P14). */
import { runInThisContext } from "node:vm";
import type { Bot, Game } from "../../../games/game.ts";
import { findGame } from "../../../games/index.ts";
import { Simulations } from "../../../mcp/simulations.ts";
import { toInputCodes, toPlayFrame, toSeed } from "../../../scripts/evaluate/play.ts";
import type { Options, Row, Side } from "../compare/types.ts";

const SEEDS = 1_000;
const MAX_SECONDS = 300;
const BAR_SECONDS = 10;

/** Policies of a few lines, as a model writes them first. */
const POLICIES: { readonly [slug: string]: string } = {
  flappybots: `({ pawn, observation }) =>
    pawn.y > observation.nextGapCenterY + 35 && pawn.velocityY > -200 ? { t: "action", action: "FLAP" } : null`,
  shellrunners: `({ pawn, entities }) => {
    const isInTheWay = ({ class: kind, x, y, w }) => kind === "obstacle" && y < pawn.y && y > pawn.y - 260
      && Math.abs(x - pawn.x) < (w + pawn.w) / 2 + 12;
    const obstacle = entities.find(isInTheWay);
    const dir = obstacle === undefined ? "none" : obstacle.x > pawn.x ? "left" : "right";
    return pawn.dir === dir ? null : { t: "input", dir };
  }`,
};

/** Points of one course, by the bare rules in this process. */
function playCourse(game: Game, policy: string, seed: number): number {
  const bot = runInThisContext(`(${policy})`) as Bot;
  const state = game.init(toSeed(seed), game.tickHz);
  while (!state.over && state.tick < MAX_SECONDS * game.tickHz)
    game.step(state, toInputCodes(game, bot(toPlayFrame(game, state))));
  return state.score;
}

type Simulation = Pick<Awaited<ReturnType<Simulations["run"]>>, "runs" | "best" | "worst" | "meanPoints">;

function createSide(name: string, scores: readonly number[], simulate: () => Promise<Simulation | null>): Side {
  const expected = {
    runs: scores.length,
    meanPoints: Math.round(scores.reduce((sum, score) => sum + score, 0) / scores.length),
    best: Math.max(...scores),
    worst: Math.min(...scores),
  };
  return {
    name,
    runRound: async () => {
      const startedAtMs = performance.now();
      const result = await simulate();
      const seconds = (performance.now() - startedAtMs) / 1000;
      const { runs, meanPoints, best, worst } = result ?? {};
      const received = { runs, meanPoints, best: best?.points, worst: worst?.points };
      const isSame = JSON.stringify(received) === JSON.stringify(expected);
      return { value: seconds, missing: isSame ? null : "the points of the bare rules" };
    },
  };
}

export function* createSimulateRows({ isQuick }: Options): Generator<Row> {
  const seeds = isQuick ? SEEDS / 20 : SEEDS;
  for (const [slug, policy] of Object.entries(POLICIES)) {
    const scores = Array.from({ length: seeds }, (_, seed) => playCourse(findGame(slug)!, policy, seed));
    const request = { slug, policy, seeds, firstSeed: 0, maxSeconds: MAX_SECONDS };
    yield {
      id: "P14",
      what: `${slug}, 1,000 courses by the tool \`simulate\``,
      figure: { name: "time", unit: "s", better: "lower" },
      rounds: isQuick ? 2 : 5,
      sides: [createSide("Agent Arcade", scores, () => new Simulations().run(request))],
      idle: createSide("idle", scores, async () => null),
      bars: [{ max: BAR_SECONDS }],
    };
  }
}
