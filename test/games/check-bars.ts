/** Whether a game misses a bar for another reason than that few seeds err. */
import type { Game } from "../../games/game.ts";
import { type Bar, MEASURES, type Measure, measureDelays, type Sizes } from "./measure-bars.ts";

export const TRIES = 3;
/** A try after the first one plays so many times as many seeds: it errs far more rarely, and finds a real fault. */
export const LATER_SEEDS = 3;

const forLaterTries = ({ seeds, planned, delayed, share, limits }: Sizes): Sizes => ({
  seeds: LATER_SEEDS * seeds,
  planned: LATER_SEEDS * planned,
  delayed: LATER_SEEDS * delayed,
  limits,
  share: { ...share, seeds: LATER_SEEDS * share.seeds },
});

const CHECKED_MEASURES: readonly Measure[] = [
  ...MEASURES,
  (game, master, sizes) => measureDelays(game, master, sizes).bars,
];

/**
 * Lists the bars that a game misses in each of `TRIES` tries. Every try has its own seeds; a later one has more of them,
 * and plays only what misses bars so far.
 * @param print gets a line for each bar of each try
 */
export function listMissedBars(
  game: Game,
  master: string,
  sizes: Sizes,
  print: (line: string) => void,
  measures = CHECKED_MEASURES,
): readonly Bar[] {
  const measure = (part: Measure, number: number): readonly Bar[] => {
    const bars = part(game, `${master} ${number}`, number === 1 ? sizes : forLaterTries(sizes));
    for (const { name, bar, value, isMet } of bars)
      print(`${game.slug}, try ${number}: ${isMet ? "met" : "MISSED"}: ${name}: ${value} (${bar})`);
    return bars.filter(({ isMet }) => !isMet);
  };
  return measures.flatMap((part) => {
    let missed = measure(part, 1);
    for (let number = 2; number <= TRIES && missed.length > 0; number += 1) {
      const before = missed.map(({ name }) => name);
      missed = measure(part, number).filter(({ name }) => before.includes(name));
    }
    return missed;
  });
}
