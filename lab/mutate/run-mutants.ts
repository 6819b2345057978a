/** Activates each mutant once and checks that a test kills it. */
import { BASE_GAS_LIMIT, type Mutant } from "./render.ts";
import type { Sandbox, SuiteResult } from "./sandbox.ts";

export interface Verdict extends Mutant {
  readonly killed: boolean;
  /** The test that killed it, or nothing. */
  readonly killedBy: string;
}

/** How many suites run before all others: the first of them kills most mutants. */
const FIRST_SUITES = 4;

/** Suites by how many mutants of a source they killed so far. */
class SuiteOrder {
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
    const getKills = (suite: string): number => this.#kills.get(`${file} ${suite}`) ?? 0;
    return [...this.#suites].sort((a, b) => getKills(b) - getKills(a));
  }
}

/**
 * Runs the tests once for each mutant, `jobs` at a time, and stops each run at its first failure.
 * @throws Error when the tests fail without an active mutant, since no verdict would be valid then.
 */
export async function runMutants(
  sandbox: Sandbox,
  mutants: readonly Mutant[],
  jobs: number,
  onVerdict: (verdict: Verdict) => void,
): Promise<void> {
  const baseline = [await sandbox.runSuites(BASE_GAS_LIMIT, sandbox.suites), await sandbox.runSolidity(BASE_GAS_LIMIT)];
  const failedBaseline = baseline.find(({ passed }) => !passed);
  if (failedBaseline !== undefined) throw new Error(`The tests fail without any mutant: ${failedBaseline.reason}`);

  const order = new SuiteOrder(sandbox.suites);
  async function testMutant(mutant: Mutant): Promise<Verdict> {
    const gasLimit = BASE_GAS_LIMIT + mutant.id;
    const suites = order.suitesFor(mutant.file);
    const stages: (() => Promise<SuiteResult>)[] = [
      () => sandbox.runSuites(gasLimit, suites.slice(0, FIRST_SUITES)),
      () => sandbox.runSuites(gasLimit, suites.slice(FIRST_SUITES)),
      () => sandbox.runSolidity(gasLimit),
    ];
    for (const stage of stages) {
      const { passed, reason, suite } = await stage();
      if (passed) continue;
      order.count(mutant.file, suite);
      return { ...mutant, killed: true, killedBy: reason };
    }
    return { ...mutant, killed: false, killedBy: "" };
  }

  const waiting = [...mutants];
  async function work(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      onVerdict(await testMutant(next));
    }
  }
  await Promise.all(Array.from({ length: jobs }, work));
}
