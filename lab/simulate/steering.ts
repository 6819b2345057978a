/** Chooses the seeds of a batch: what its runs have rarely exercised decides which draws come next. */
import type { Coverage } from "./run/coverage.ts";
import { toStage } from "./run/kinds.ts";
import { drawScenario } from "./run/run.ts";

/** How many seeds each run of a batch is chosen from. */
export const CANDIDATES = 8;
/** Only what happened in at most this share of the runs counts. */
const RARE = 0.1;
/** The weight of draws that the batch has not made together yet. */
const NOVELTY = 0.1;

/** What a seed draws at the start of its run: each by itself, and each two of them together. */
function listDraws(seed: number): readonly string[] {
  const { plan, behavior, backends } = drawScenario(seed);
  const habits = Object.entries(behavior).flatMap(([name, isOn]) => (isOn ? [name] : []));
  const faults = plan.map((fault) => ("feesRise" in fault && fault.feesRise ? `${fault.kind}, fees` : fault.kind));
  const single = [...new Set([`${toStage(seed)}`, `${backends} backends`, ...habits, ...faults])].sort();
  return single.flatMap((one, index) => [one, ...single.slice(index + 1).map((other) => `${one} + ${other}`)]);
}

/** How often something was drawn, and what the runs with it exercised: in how many of them. */
interface Drawn {
  runs: number;
  readonly exercised: Map<string, number>;
}

export class Steering {
  readonly #all: Drawn = { runs: 0, exercised: new Map() };
  readonly #drawn = new Map<string, Drawn>();

  /** The seed whose run will probably exercise the most of what was exercised rarely. */
  choose(seeds: readonly number[]): number {
    const scored = seeds.map((seed) => ({ seed, score: this.#rate(listDraws(seed)) }));
    return scored.reduce((best, other) => (other.score > best.score ? other : best)).seed;
  }

  note(seed: number, coverage: Coverage): void {
    const keys = Object.keys(coverage);
    for (const draw of listDraws(seed)) {
      const drawn = this.#drawn.get(draw) ?? { runs: 0, exercised: new Map() };
      this.#drawn.set(draw, drawn);
      count(drawn, keys);
    }
    count(this.#all, keys);
  }

  #rate(draws: readonly string[]): number {
    const known = draws.flatMap((draw) => this.#drawn.get(draw) ?? []);
    let score = NOVELTY * (draws.length - known.length);
    for (const [key, total] of this.#all.exercised) {
      const share = total / this.#all.runs;
      if (share > RARE) continue;
      const chances = known.map(({ runs, exercised }) => ((exercised.get(key) ?? 0) + share) / (runs + 1));
      score += Math.max(share, ...chances) / total;
    }
    return score;
  }
}

function count(drawn: Drawn, keys: readonly string[]): void {
  drawn.runs += 1;
  for (const key of keys) drawn.exercised.set(key, (drawn.exercised.get(key) ?? 0) + 1);
}
