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
  /** The number of test files to try that reach a mutant. */
  readonly files: number;
  /** Test files that take longer are not used. */
  readonly fileMs: number;
  readonly untilMs: number;
}

/** How many candidates are measured for each test file that should reach a mutant, and how many if none does. */
const CANDIDATES_PER_FILE = 3;
const CANDIDATES_PER_FILE_MAX = 10;
/** The time limit, which ends a mutant that loops. */
const getLimitMs = ({ ms }: Answer): number => 15_000 + 5 * ms;

/** The tests of a file that reach a mutant: null for all of them, an empty list for none. */
function listTitles({ ofAll, ofTests }: Answer, { id }: Mutant): readonly string[] | null {
  return ofAll.includes(id) ? null : ofTests.filter(({ ids }) => ids.includes(id)).map(({ title }) => title);
}

function createJudge(warm: TestProcess, { files, fileMs }: Limits, note: (text: string) => void) {
  const list = createCandidates(files * CANDIDATES_PER_FILE, files * CANDIDATES_PER_FILE_MAX);
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

  /** Null if no usable test reaches the change: it takes effect during module loading, or the tests are too slow. */
  return async (mutant: Mutant): Promise<Pick<Verdict, "isKilled" | "by"> | null> => {
    let count = 0;
    let tried = 0;
    let isJudged = true;
    for (const [index, file] of list(mutant.file).entries()) {
      if (tried >= files || (tried > 0 && index >= files * CANDIDATES_PER_FILE)) break;
      const base = await measure(file);
      if (base === null) isJudged = false;
      const titles = base === null ? [] : listTitles(base, mutant);
      if (base === null || titles?.length === 0) continue;
      tried += 1;
      count += titles?.length ?? base.ofTests.length;
      const failure = await findFailure(mutant, file, base, titles);
      if (failure !== null) return { isKilled: true, by: failure };
    }
    if (count === 0 && (!isJudged || reachedAtLoad.has(mutant.id))) return null;
    return { isKilled: false, by: count === 0 ? "no test near it reaches it" : `${count} tests pass` };
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
  try {
    // Group mutants by source, since measuring a source's tests takes most of the time.
    for (const mutant of Object.values(Object.groupBy(mutants, ({ file }) => file)).flatMap((same) => same ?? [])) {
      if (Date.now() >= limits.untilMs) return;
      const { key, file, line, scope, before, after } = mutant;
      const verdict = await judge(mutant);
      if (verdict !== null) report({ key, file, line, scope, before, after, ...verdict });
    }
  } finally {
    warm.close();
  }
}
