import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { DRILLS } from "../../lab/drill/list.ts";
import type { DrillResult } from "../../lab/drill/run.ts";
import { runTries, TRIES } from "../../lab/drill/tries.ts";
import { FigureError, waitUntil } from "../../lab/drills/support/drill.ts";
import { root } from "../../scripts/start/build.ts";

describe("the list of drills", () => {
  it("has existing files, and every drill of lab/drills once", () => {
    const files = DRILLS.flatMap(({ files }) => files);
    expect(files.filter((file) => !existsSync(join(root, file)))).to.deep.equal([]);
    const drills = files.filter((file) => file.endsWith(".drill.ts")).sort();
    expect(drills).to.deep.equal(globSync("lab/drills/*.drill.ts", { cwd: root }).sort());
    expect(new Set(DRILLS.map(({ id }) => id)).size).to.equal(DRILLS.length);
  });
});

describe("a wait of a drill", () => {
  const catchError = (wait: Promise<void>): Promise<unknown> => wait.catch((error: unknown) => error);

  it("that takes too long misses a figure", async () => {
    const error = await catchError(waitUntil("the head moves", () => false, 0));
    expect(error).to.be.instanceOf(FigureError).with.property("message", "the head moves: not within 0 ms");
  });

  it("whose condition throws fails at once", async () => {
    const failure = new Error("a row is lost");
    expect(await catchError(waitUntil("the head moves", () => Promise.reject(failure), 0))).to.equal(failure);
  });
});

describe("the short run of a drill", () => {
  type Failure = DrillResult["failures"][number];
  const late: Failure = { test: "ticks", message: "13 ms later", isFigure: true };
  const lost: Failure = { test: "scores", message: "one is lost" };
  /** The failures of the decisive try, and the number of tries. */
  function run(...tries: readonly (readonly Failure[])[]) {
    let count = 0;
    const { failures } = runTries(() => {
      const list = tries[count++]!;
      const verdict = list.length === 0 ? "ok" : "FAIL";
      return { id: "A1", seed: 1, share: 0.1, seconds: 1, passed: 1, figures: [], failures: list, verdict };
    });
    return { failures, count };
  }

  it("is repeated if it only missed a figure, which may then hold", () => {
    expect(run([late], [])).to.deep.equal({ failures: [], count: 2 });
  });

  it("is red when it misses a figure in every try", () => {
    expect(run([late], [late], [late])).to.deep.equal({ failures: [late], count: TRIES });
  });

  it("is red at once if anything else failed", () => {
    expect(run([late, lost])).to.deep.equal({ failures: [late, lost], count: 1 });
    expect(run([])).to.deep.equal({ failures: [], count: 1 });
  });
});
