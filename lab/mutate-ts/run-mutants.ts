/** Runs each mutant against the tests that reach it, until one fails. */
import { createCandidates } from "./candidates.ts";
import type { Mutant } from "./mutants.ts";
import { createTestProcess, type TestProcess } from "./test-process.ts";
import { findInSoundProcess } from "./warm-process.ts";
import type { Answer } from "./worker.ts";

export interface Verdict extends Pick<Mutant, "key" | "file" | "line" | "scope" | "before" | "after"> {
  readonly isKilled: boolean;
  /** The test that failed, "time limit", or how many tests passed. */
  readonly by: string;
}

interface Limits {
  /** Files of tests beside those of `npm test`. */
  readonly tests: readonly string[];
  /** The number of near test files to try that reach a mutant, before all others. */
  readonly files: number;
  /** Test files that take longer are not used. */
  readonly fileMs: number;
  readonly untilMs: number;
}

/** How many near test files are measured for each one that should reach a mutant. */
const CANDIDATES_PER_FILE = 3;
/** Starts no further test file for a mutant after this time. */
const FURTHER_MS = 120_000;
/** The time limit, which ends a mutant that loops. */
const getLimitMs = ({ ms }: Answer): number => 15_000 + 5 * ms;

/** The tests of a file that reach a mutant: null for all of them, an empty list for none. */
function listTitles({ ofAll, ofTests }: Answer, { id }: Mutant): readonly string[] | null {
  return ofAll.includes(id) ? null : ofTests.filter(({ ids }) => ids.includes(id)).map(({ title }) => title);
}

/** The tests tried for a mutant so far. */
interface Trial {
  readonly mutant: Mutant;
  readonly tried: Set<string>;
  /** How many tests passed. */
  count: number;
  isJudged: boolean;
}

function createJudge(warm: TestProcess, { tests, files, fileMs, untilMs }: Limits, note: (text: string) => void) {
  const list = createCandidates(tests);
  /** The measurement of each test file without a mutant; null if it fails or takes too long. */
  const measured = new Map<string, Answer | null>();
  const reachedAtLoad = new Set<number>();

  async function measure(file: string): Promise<Answer | null> {
    const known = measured.get(file);
    if (known !== undefined) return known;
    const answer = await warm.run({ file, mutant: null, titles: null, isMeasured: true }, fileMs);
    for (const id of answer?.atLoad ?? []) reachedAtLoad.add(id);
    const isUsable = answer !== null && answer.failures.length === 0;
    if (answer === null) note(`not used, it takes longer: ${file}`);
    else if (!isUsable) note(`not used, it fails without a change: ${file} ${JSON.stringify(answer.failures[0])}`);
    measured.set(file, isUsable ? answer : null);
    return isUsable ? answer : null;
  }

  /** The test that fails with the mutant, or null. */
  async function findFailure(mutant: Mutant, file: string, base: Answer, titles: readonly string[] | null) {
    const order = { file, mutant: mutant.id, titles, isMeasured: false };
    const limitMs = getLimitMs(base);
    const look = async () => {
      const answer = await warm.run(order, limitMs);
      return answer === null ? { title: "time limit", isHook: true } : (answer.failures[0] ?? null);
    };
    const found = await findInSoundProcess(warm, look, async ({ title, isHook }) => {
      const again = await warm.run({ ...order, mutant: null, titles: isHook ? titles : [title] }, limitMs);
      return again !== null && again.failures.length === 0;
    });
    return found?.title ?? null;
  }

  /** The test of this file that fails with the mutant; null if none does or none reaches it. */
  async function tryFile(trial: Trial, file: string): Promise<string | null> {
    const base = await measure(file);
    if (base === null) trial.isJudged = false;
    const titles = base === null ? [] : listTitles(base, trial.mutant);
    if (base === null || titles?.length === 0) return null;
    trial.tried.add(file);
    trial.count += titles?.length ?? base.ofTests.length;
    return await findFailure(trial.mutant, file, base, titles);
  }

  return {
    /** Tries the test files nearest to the source. */
    async tryNear(trial: Trial): Promise<string | null> {
      for (const file of list(trial.mutant.file).slice(0, files * CANDIDATES_PER_FILE)) {
        if (trial.tried.size >= files) break;
        const failure = await tryFile(trial, file);
        if (failure !== null) return failure;
      }
      return null;
    },
    /** Tries all other test files that reach the mutant, the quickest first. Each is measured once in a run. */
    async tryFurther(trial: Trial): Promise<string | null> {
      const further: { file: string; ms: number }[] = [];
      for (const file of list(trial.mutant.file).filter((path) => !trial.tried.has(path))) {
        if (Date.now() >= untilMs) break;
        const base = await measure(file);
        if (base !== null && listTitles(base, trial.mutant)?.length !== 0) further.push({ file, ms: base.ms });
      }
      const endMs = Math.min(untilMs, Date.now() + FURTHER_MS);
      for (const { file } of further.sort((a, b) => a.ms - b.ms)) {
        if (Date.now() >= endMs) break;
        const failure = await tryFile(trial, file);
        if (failure !== null) return failure;
      }
      return null;
    },
    /** Null if no usable test reaches the change: it takes effect during module loading, or the tests are too slow. */
    toSurvivor({ mutant, count, isJudged }: Trial): Pick<Verdict, "isKilled" | "by"> | null {
      if (count === 0 && (!isJudged || reachedAtLoad.has(mutant.id))) return null;
      return { isKilled: false, by: count === 0 ? "no test tried reaches it" : `${count} tests pass` };
    },
  };
}

export async function runMutants(
  mutants: readonly Mutant[],
  limits: Limits,
  note: (text: string) => void,
  report: (verdict: Verdict) => void,
): Promise<void> {
  const warm = createTestProcess(mutants);
  const judge = createJudge(warm, limits, note);
  const finish = (trial: Trial, failure: string | null): void => {
    const { key, file, line, scope, before, after } = trial.mutant;
    const verdict = failure === null ? judge.toSurvivor(trial) : { isKilled: true, by: failure };
    if (verdict !== null) report({ key, file, line, scope, before, after, ...verdict });
  };
  const survivors: Trial[] = [];
  try {
    // Group mutants by source, since measuring a source's tests takes most of the time.
    for (const mutant of Object.values(Object.groupBy(mutants, ({ file }) => file)).flatMap((same) => same ?? [])) {
      if (Date.now() >= limits.untilMs) break;
      const trial = { mutant, tried: new Set<string>(), count: 0, isJudged: true };
      const failure = await judge.tryNear(trial);
      if (failure === null) survivors.push(trial);
      else finish(trial, failure);
    }
    note(`${survivors.length} changes survive the tests near them …`);
    for (const trial of survivors) finish(trial, await judge.tryFurther(trial));
  } finally {
    warm.close();
  }
}
