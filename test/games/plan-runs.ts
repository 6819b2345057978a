/**
 * Measures how far looking ahead gets: `node test/games/plan-runs.ts SLUG [SEEDS]`, about a minute for each seed.
 * The planner searches the next 1.8 s and acts on the first quarter second of the best plan.
 */
import { play, seedOf } from "./helpers.ts";
import { plan, playgrounds } from "./planner.ts";

const [slug, seeds = "3"] = process.argv.slice(2);
const ground = playgrounds.find(({ game }) => game.slug === slug)!;
const { game } = ground;

for (let seed = 0; seed < Number(seeds); seed += 1) {
  const state = game.init(seedOf(seed), game.tickHz);
  while (!state.over) {
    for (const codes of plan(ground, state, 36, 10).slice(0, 5)) game.step(state, codes);
  }
  const reference = play(game, seedOf(seed), game.bots.reference());
  const planned = `${Math.round(state.tick / game.tickHz)} s, ${state.score} points`;
  console.log(
    `seed ${seed}: planner ${planned}; reference ${Math.round(reference.seconds)} s, ${reference.state.score} points`,
  );
}
