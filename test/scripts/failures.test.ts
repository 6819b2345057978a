import { expect } from "chai";
import { EstimateGasExecutionError, ExecutionRevertedError, TimeoutError } from "viem";
import { ArcadeChainError } from "../../client/errors.ts";
import { toFailure, toMessage } from "../../scripts/cli/failures.ts";

describe("a command's failure", () => {
  it("reports a node's revert without the calldata of the request", () => {
    const cause = new ExecutionRevertedError({ message: "execution reverted: BaseTooLong" });
    const data = `0x${"ab".repeat(15_000)}` as const;
    const error = new EstimateGasExecutionError(cause, { data, docsPath: "" });
    expect(error.message).to.have.length.above(30_000);
    expect(toMessage(error)).to.include("BaseTooLong").and.have.length.below(200);
    expect(toFailure(error).error).to.equal(toMessage(error));
  });

  it("reports the contract's error of a revert, and a next step that helps", () => {
    const error = new ArcadeChainError("REVERTED", "snapshotScoreSigned: DeadlineExpired(7)", {
      revertName: "DeadlineExpired",
    });
    expect(toFailure(error)).to.include({ code: "REVERTED", error: "snapshotScoreSigned: DeadlineExpired(7)" });
    expect(toFailure(error).next).to.include("a new signature").and.include("clock");
    const unknown = new ArcadeChainError("REVERTED", "payout: a revert", { revertName: "constructor" });
    expect(toFailure(unknown).next).to.include("show the transaction to the operator");
  });

  it("reports a node that does not answer, but never instead of the state of a transaction", () => {
    const cause = new TimeoutError({ body: {}, url: "https://node.example/v3/secret-key" });
    expect(toFailure(new Error("lost", { cause }))).to.include({
      error: "The node at https://node.example does not answer JSON-RPC: no answer in time",
      next: "try again later, or use another node (--rpc or ARCADE_RPC_URL)",
      exitCode: 3,
    });
    const sent = new ArcadeChainError("TX_TIMEOUT", "No block took 0x12; look it up before sending again.", { cause });
    expect(toFailure(sent).error).to.equal("No block took 0x12; look it up before sending again.");
  });

  it("reports a folder on a read-only file system, for which Node's error is that of a missing one", () => {
    const error = Object.assign(new Error("no such file"), { code: "ENOENT", path: "/opt/x", syscall: "mkdir" });
    expect(toMessage(error)).to.match(/^\/opt\/x: this folder cannot be created: its file system is read-only/);
    expect(toMessage(Object.assign(error, { syscall: "open" }))).to.match(/^\/opt\/x: there is no such file/);
  });

  it("reports every other failure with its own message", () => {
    expect(toMessage(new Error("no such file"))).to.equal("no such file");
    expect(toMessage("a word")).to.equal("a word");
  });
});
