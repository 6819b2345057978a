import { expect } from "chai";
import { NoPointsError, untilPoints } from "./until-points.ts";

describe("runs until one has points", () => {
  it("report how each run without points ended", async () => {
    const lines: string[] = [];
    let runs = 0;
    const run = async (): Promise<number> => {
      runs += 1;
      if (runs < 3) throw new NoPointsError(`collision ${runs}`);
      return runs;
    };
    expect(await untilPoints(run, (line) => lines.push(line))).to.equal(3);
    expect(lines).to.deep.equal([
      "run 1 ended without a point (collision 1); another one follows",
      "run 2 ended without a point (collision 2); another one follows",
    ]);
  });

  it("end with any other error", async () => {
    const failure = new Error("closed 1006 before the end");
    const lines: string[] = [];
    const run = (): Promise<never> => Promise.reject(failure);
    expect(await untilPoints(run, (line) => lines.push(line)).catch((error: unknown) => error)).to.equal(failure);
    expect(lines).to.deep.equal([]);
  });
});
