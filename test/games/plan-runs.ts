/**
 * Measures how far looking ahead gets: `node test/games/plan-runs.ts SLUG [SEEDS]`, about a minute for each seed.
 * The planner searches the next 1.8 s and acts on the first quarter second of the best plan.
 */
import { playBot, toSeed } from "../../scripts/evaluate/play.ts";
import { courseSearchSpaces, searchPlan } from "./planner.ts";

const [slug, seeds = "3"] = process.argv.slice(2);
const space = courseSearchSpaces.find(({ game }) => game.slug === slug)!;
const { game } = space;

for (let seed = 0; seed < Number(seeds); seed += 1) {
  const state = game.init(toSeed(seed), game.tickHz);
  while (!state.over) {
    for (const codes of searchPlan(space, state, 36, 10).slice(0, 5)) game.step(state, codes);
  }
  const reference = playBot(game, toSeed(seed), game.bots.reference());
  const planned = `${Math.round(state.tick / game.tickHz)} s, ${state.score} points`;
  console.log(
    `seed ${seed}: planner ${planned}; reference ${Math.round(reference.seconds)} s, ${reference.state.score} points`,
  );
}
