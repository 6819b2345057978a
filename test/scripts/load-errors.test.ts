import { expect } from "chai";
import { toCode } from "../../scripts/load/run.ts";

describe("the errors of a load report", () => {
  it("are counted by their code, and by their first line when they have none", () => {
    expect(toCode(new Error("socket hang up\nat x"))).to.equal("Error: socket hang up");
    expect(toCode(new TypeError("x".repeat(200)))).to.equal(`TypeError: ${"x".repeat(120)}`);
    expect(toCode("text")).to.equal("UNKNOWN");
  });
});
