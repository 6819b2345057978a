/** Lets every mutant live once and sees whether a test kills it. */
import { BASE_GAS_LIMIT, type Mutant } from "./render.ts";
import type { Outcome, Workplace } from "./workplace.ts";

export interface Verdict extends Mutant {
  readonly killed: boolean;
  /** The test that killed it, or nothing. */
  readonly by: string;
}

/** How many suites are tried before all others: a killed mutant mostly dies in the first of them. */
const FIRST_SUITES = 4;

/** Suites by how many mutants of a source they killed so far. */
class Order {
  readonly #kills = new Map<string, number>();
  readonly #suites: readonly string[];

  constructor(suites: readonly string[]) {
    this.#suites = suites;
  }

  count(file: string, suite: string | undefined): void {
    const key = `${file} ${suite}`;
    this.#kills.set(key, (this.#kills.get(key) ?? 0) + 1);
  }

  suitesFor(file: string): readonly string[] {
    const killsOf = (suite: string): number => this.#kills.get(`${file} ${suite}`) ?? 0;
    return [...this.#suites].sort((a, b) => killsOf(b) - killsOf(a));
  }
}

/**
 * Runs the tests once for each mutant, `jobs` at a time, and stops each run at its first failure.
 * @throws Error when the tests fail with no mutant alive, for then no verdict would mean anything.
 */
export async function hunt(
  place: Workplace,
  mutants: readonly Mutant[],
  jobs: number,
  tell: (verdict: Verdict, done: number) => void,
): Promise<Verdict[]> {
  const sane = [await place.runSuites(BASE_GAS_LIMIT, place.suites), await place.runSolidity(BASE_GAS_LIMIT)];
  const broken = sane.find(({ passed }) => !passed);
  if (broken !== undefined) throw new Error(`The tests fail without any mutant: ${broken.reason}`);

  const order = new Order(place.suites);
  async function judge(mutant: Mutant): Promise<Verdict> {
    const gasLimit = BASE_GAS_LIMIT + mutant.id;
    const suites = order.suitesFor(mutant.file);
    const stages: (() => Promise<Outcome>)[] = [
      () => place.runSuites(gasLimit, suites.slice(0, FIRST_SUITES)),
      () => place.runSuites(gasLimit, suites.slice(FIRST_SUITES)),
      () => place.runSolidity(gasLimit),
    ];
    for (const stage of stages) {
      const { passed, reason, suite } = await stage();
      if (passed) continue;
      order.count(mutant.file, suite);
      return { ...mutant, killed: true, by: reason };
    }
    return { ...mutant, killed: false, by: "" };
  }

  const verdicts: Verdict[] = [];
  const waiting = [...mutants];
  async function work(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const verdict = await judge(next);
      verdicts.push(verdict);
      tell(verdict, verdicts.length);
    }
  }
  await Promise.all(Array.from({ length: jobs }, work));
  return verdicts.sort((a, b) => a.id - b.id);
}
