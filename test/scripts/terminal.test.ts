import { expect } from "chai";
import { type ArcadeApiError, ArcadeChainError, toApiError } from "../../client/errors.ts";
import { formatStepLine } from "../../scripts/agent/solo.ts";
import { CommandError, EXIT, getExitCode, UsageError } from "../../scripts/cli/failures.ts";
import { createStyle, formatDuration, formatTable, getDisplayWidth, stripAnsi } from "../../scripts/cli/style.ts";

describe("output of commands", () => {
  it("return the exit code of the kind of failure", () => {
    const api = (status: number, code: string): ArcadeApiError =>
      toApiError(status, { ok: false, code, error: "" }, null);
    expect(getExitCode(new UsageError(""))).to.equal(2);
    expect(getExitCode(new ArcadeChainError("REVERTED", ""))).to.equal(3);
    expect(getExitCode(api(503, "CHAIN_UNAVAILABLE"))).to.equal(3);
    expect(getExitCode(api(401, "SIGNATURE_INVALID"))).to.equal(4);
    expect(getExitCode(api(403, "IDENTITY_REQUIRED"))).to.equal(4);
    expect(getExitCode(api(500, "INTERNAL"))).to.equal(1);
    expect(getExitCode(new CommandError("", { exitCode: EXIT.chain }))).to.equal(3);
    expect(getExitCode(new Error("bug"))).to.equal(1);
  });

  it("color a terminal, and never with NO_COLOR", () => {
    const hasColors = (isTty: boolean, env: NodeJS.ProcessEnv): boolean => createStyle(isTty, env).isColored;
    expect(hasColors(true, {})).to.equal(true);
    expect(hasColors(false, {})).to.equal(false);
    expect(hasColors(true, { NO_COLOR: "1" })).to.equal(false);
    expect(hasColors(true, { NO_COLOR: "1", FORCE_COLOR: "1" })).to.equal(false);
    const { good } = createStyle(true, {});
    expect(good("yes")).to.not.equal("yes");
    expect(stripAnsi(good("yes"))).to.equal("yes");
  });

  it("align the columns of tables and step lines", () => {
    const style = createStyle(true, {});
    const rows = formatTable(
      ["name", "n"],
      [
        ["a", "1"],
        [style.good("longer"), "200"],
      ],
      style,
      [1],
    )
      .split("\n")
      .slice(2);
    expect(rows.map(getDisplayWidth)).to.deep.equal([13, 13]);
    const line = formatStepLine(
      "nft",
      { message: "minted", gasUsed: 101_342n, txHash: `0x1bf7${"0".repeat(56)}8fc1` },
      83,
      createStyle(false, {}),
    );
    expect(line).to.match(/^ {2}✓ nft +minted +101,342 gas +83 ms {2}0x1bf7…8fc1$/);
    expect([formatDuration(83), formatDuration(24_900), formatDuration(142_000)]).to.deep.equal([
      "83 ms",
      "24.9 s",
      "2 min 22 s",
    ]);
  });
});
