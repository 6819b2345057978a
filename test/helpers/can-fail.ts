/**
 * Loaded before the tests of a run: reports tests that cannot fail. Each test must evaluate an assertion. In each block
 * of tests, one assertion at least must be about something: a block whose assertions are all about nothing would pass
 * if the code under test did nothing.
 */
import { Assertion, util } from "chai";

interface Counts {
  all: number;
  /** Those whose subject is not empty. */
  aboutSomething: number;
}

const counts = new WeakMap<Mocha.Runnable, Counts>();
let current: Counts = { all: 0, aboutSomething: 0 };

/** Whether a value is the answer of code that found nothing. */
function isEmpty(value: unknown): boolean {
  if (value instanceof Map || value instanceof Set) return value.size === 0;
  const isPlain = typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  if (Array.isArray(value) || isPlain) return Object.keys(value).length === 0;
  return !value;
}

/** Every assertion of chai ends in this method. */
const prototype = Assertion.prototype as unknown as { assert: (this: object, ...args: unknown[]) => void };
const { assert } = prototype;
prototype.assert = function (...args) {
  current.all += 1;
  if (!isEmpty(util.flag(this, "object"))) current.aboutSomething += 1;
  assert.apply(this, args);
};

/** The tests of a suite that cannot fail. A block is judged only if all its tests have run and passed. */
function listProblems(suite: Mocha.Suite): readonly string[] {
  const { tests, suites } = suite;
  const passed = tests.filter(({ state }) => state === "passed");
  const silent = passed.filter((test) => counts.get(test)?.all === 0);
  const isAboutNothing =
    silent.length === 0 &&
    tests.length > 0 &&
    passed.length === tests.length &&
    passed.every((test) => counts.get(test)?.aboutSomething === 0);
  return [
    ...silent.map((test) => `"${test.fullTitle()}" evaluates no assertion`),
    ...(isAboutNothing ? [`in "${suite.fullTitle()}", every assertion is about nothing`] : []),
    ...suites.flatMap(listProblems),
  ];
}

export const mochaHooks = {
  beforeEach(this: Mocha.Context): void {
    current = { all: 0, aboutSomething: 0 };
    counts.set(this.currentTest!, current);
  },
  afterAll(this: Mocha.Context): void {
    const problems = this.test!.parent!.suites.flatMap(listProblems);
    if (problems.length > 0) throw new Error(`Tests that cannot fail: ${problems.join("; ")}.`);
  },
};
