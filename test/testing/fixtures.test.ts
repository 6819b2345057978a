import { expect } from "chai";
import { declareArcade } from "../../testing/fixtures/declare.ts";

describe("a fixture whose tests share a stack", () => {
  /** The hooks that the fixture declares; the stack is never started. */
  function declare() {
    type Run = (test: string) => Promise<void>;
    const hooks: { [name in "begin" | "end"]?: Run } = {};
    declareArcade(undefined, {
      before: () => undefined,
      beforeEach: (run) => Object.assign(hooks, { begin: run }),
      afterEach: (run) => Object.assign(hooks, { end: run }),
      after: () => undefined,
    });
    return hooks as Required<typeof hooks>;
  }

  it("rejects tests that run at the same time, instead of a stack that is reset in the middle of one", async () => {
    const { begin, end } = declare();
    await begin("block > one");
    const message = await begin("block > one more").catch((error: Error) => error.message);
    expect(message).to.match(/^concurrency: expected one test at a time.*"block > one more" during "block > one"/);
    for (const test of ["block > one", "block > one more"]) await end(test);
    await begin("block > another");
  });

  it("accepts tests one after the other, and their subtests", async () => {
    const { begin, end } = declare();
    const begun: string[] = [];
    for (const test of ["one", "two"]) {
      await begin(test);
      for (const subtest of [`${test} > a`, `${test} > b`]) {
        await begin(subtest);
        begun.push(subtest);
        await end(subtest);
      }
      await end(test);
    }
    expect(begun).to.deep.equal(["one > a", "one > b", "two > a", "two > b"]);
  });
});
