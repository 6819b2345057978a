import { expect } from "chai";
import { EstimateGasExecutionError, ExecutionRevertedError } from "viem";
import { failureOf, wordsOf } from "../../scripts/cli/failures.ts";

describe("a command's failure", () => {
  it("tells a node's refusal without the calldata of the request", () => {
    const cause = new ExecutionRevertedError({ message: "execution reverted: BaseTooLong" });
    const data = `0x${"ab".repeat(15_000)}` as const;
    const thrown = new EstimateGasExecutionError(cause, { data, docsPath: "" });
    expect(thrown.message).to.have.length.above(30_000);
    expect(wordsOf(thrown)).to.include("BaseTooLong").and.have.length.below(200);
    expect(failureOf(thrown).error).to.equal(wordsOf(thrown));
  });

  it("tells every other failure in its own words", () => {
    expect(wordsOf(new Error("no such file"))).to.equal("no such file");
    expect(wordsOf("a word")).to.equal("a word");
  });
});
