/** A side that calls a function of this process again and again. */
import { measureCpuUs } from "./cpu.ts";
import type { Side } from "./types.ts";
import { findMissing } from "./work.ts";

/** Long enough for the CPU time clock, whose resolution is milliseconds on some systems. */
const ROUND_MS = 150;
const WARM_UP_OPERATIONS = 200;
/** The most operations of a round, since their results are kept until they are checked. */
const MAX_OPERATIONS = 200_000;
/** About this many of a round's results are compared. */
const CHECKED_RESULTS = 16;

export interface Operation<T> {
  readonly name: string;
  /** One operation; `n` counts up, so that no side can use a cache. */
  operate(n: number): T | Promise<T>;
  /** Whether this is the result of operation `n`; not measured. */
  isRight(n: number, result: T): boolean | Promise<boolean>;
}

async function repeat<T>(operate: Operation<T>["operate"], from: number, results: T[]): Promise<void> {
  for (let i = 0; i < results.length; i++) {
    const pending = operate(from + i);
    // Do not await a plain value: the synchronous side would pay for it.
    results[i] = pending instanceof Promise ? await pending : pending;
  }
}

/** Compares a sample that is spread over the round. */
async function checkResults<T>({ isRight }: Operation<T>, from: number, results: readonly T[]): Promise<string | null> {
  const step = Math.max(1, Math.floor(results.length / CHECKED_RESULTS));
  let done = 0;
  let expected = 0;
  for (let i = 0; i < results.length; i += step) {
    expected += 1;
    if (await isRight(from + i, results[i]!)) done += 1;
  }
  return findMissing([{ what: "right results", done, expected }]);
}

/** CPU in microseconds for each operation; a round is void when a result is not right. */
export function createOperationSide<T>(operation: Operation<T>): Side {
  let next = 0;
  let count = WARM_UP_OPERATIONS;
  const runOnce = async () => {
    const from = next;
    const results = new Array<T>(count);
    next += count;
    const cpuUs = await measureCpuUs(() => repeat(operation.operate, from, results));
    return { from, results, cpuUs };
  };
  return {
    name: operation.name,
    start: async () => {
      await runOnce();
      const { cpuUs } = await runOnce();
      count = Math.min(MAX_OPERATIONS, Math.ceil((ROUND_MS * 1000 * count) / Math.max(cpuUs, 1)));
    },
    runRound: async () => {
      const { from, results, cpuUs } = await runOnce();
      return { value: cpuUs / results.length, missing: await checkResults(operation, from, results) };
    },
  };
}

/** The idle side of such a row: it is fast and returns nothing. `isRight` is that of the sides. */
export const createIdleOperation = <T>(isRight: Operation<T>["isRight"]): Side =>
  createOperationSide<T>({ name: "idle", operate: () => undefined as T, isRight });
