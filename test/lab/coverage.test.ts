import { expect } from "chai";
import { findMissed } from "../../lab/coverage/count.ts";
import { instrument } from "../../lab/coverage/instrument.ts";

const SOURCE = `pragma solidity 0.8.37;
contract Counted {
  function f(uint256 a, bool b) external pure returns (uint256 r) {
    if (a > 1 && b) r = 1;
    for (uint256 i = 0; i < a; ++i) r += b ? 1 : 2;
    // "ä" is two bytes, and if (this) is no branch.
    if (b || a == 7) return 3;
  }
  constructor(uint256 length) {
    assembly ("memory-safe") {
      if gt(length, 32) { length := 32 }
    }
  }
}
`;

describe("branch coverage", () => {
  const { source, branches } = instrument("contracts/Counted.sol", SOURCE);

  it("finds every condition and every operand once, with its line", () => {
    expect(branches.map(({ line, condition }) => `${line} ${condition}`)).to.have.members([
      ...["4 a > 1 && b", "4 a > 1", "4 b", "5 i < a", "5 b", "7 b || a == 7", "7 b", "7 a == 7", "11 gt(length, 32)"],
    ]);
  });

  it("counts both outcomes of each condition separately", () => {
    const marks = branches.flatMap(({ marks }) => [marks.true, marks.false]);
    expect(new Set(marks).size).to.equal(2 * branches.length);
    for (const { marks } of branches) {
      expect(BigInt(`0x${marks.true}`) - BigInt(`0x${marks.false}`)).to.equal(1n);
      expect(source.split(`0x${marks.true})`)).to.have.length(2);
    }
  });

  it("leaves every other line unchanged", () => {
    const bare = source.replace(/, 0x[0-9a-f]{64}\)/g, "").replaceAll("__seen(", "");
    expect(bare.split("\n").slice(0, 9)).to.deep.equal(SOURCE.split("\n").slice(0, 9));
  });

  it("reports outcomes that were never reached", () => {
    const [first] = branches;
    const all = new Set(branches.flatMap(({ marks }) => [marks.true, marks.false]));
    expect(findMissed(branches, all)).to.deep.equal([]);
    all.delete(first!.marks.false);
    expect(findMissed(branches, all)).to.deep.equal([{ ...first, outcome: false }]);
  });
});
