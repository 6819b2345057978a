import { expect } from "chai";
import { findIdle, measureRow, VoidRowError } from "../../lab/bench/compare/compare.ts";
import { createIdleOperation, createOperationSide } from "../../lab/bench/compare/operations.ts";
import type { Round, Row, Side } from "../../lab/bench/compare/types.ts";

/** A side with the given rounds. A text describes missing work. */
const createSide = (name: string, rounds: readonly (number | string)[]): Side => ({
  name,
  runRound: async (round): Promise<Round> => {
    const value = rounds[round]!;
    return typeof value === "number" ? { value, missing: null } : { value: 1, missing: value };
  },
});

const createRow = (sides: Row["sides"], rest: Partial<Row> = {}): Row => ({
  id: "P1",
  what: "test",
  rounds: 4,
  bars: [],
  sides,
  idle: createSide("idle", ["0 of 1 frames"]),
  figure: { name: "CPU", unit: "us", better: "lower" },
  ...rest,
});

async function catchVoid(row: Row): Promise<Error> {
  const outcome = await measureRow(row).catch((error: unknown) => error);
  expect(outcome).to.be.instanceOf(VoidRowError);
  return outcome as VoidRowError;
}

describe("npm run lab -- bench", () => {
  it("compares rounds in pairs and reports median, fastest and slowest", async () => {
    const bars: Row["bars"] = [{ against: "peer", share: 0.5 }, { against: "peer", times: 3 }, { max: 4 }];
    const row = createRow([createSide("ours", [1, 2, 3, 4]), createSide("peer", [4, 4, 4, 40])], { bars });
    const { sides, bars: rated } = await measureRow(row);
    expect(sides[0]!.value).to.deep.equal({ median: 3, min: 1, max: 4 });
    expect(sides[1]!.oursToIt).to.deep.equal({ median: 0.5, min: 0.1, max: 0.75 });
    expect(rated.map(({ isMet }) => isMet)).to.deep.equal([true, false, true]);
  });

  it("leaves out a void round, and the same round of the other side", async () => {
    const row = createRow([createSide("ours", [0.01, 2, 2, 2]), createSide("peer", ["1 of 9 frames", 4, 4, 4])]);
    const { sides } = await measureRow(row);
    expect(sides[1]!.validRounds).to.equal(3);
    expect(sides[1]!.oursToIt).to.deep.equal({ median: 0.5, min: 0.5, max: 0.5 });
  });

  it("voids the row when too many rounds of a side are void, and stops every side", async () => {
    const stopped: string[] = [];
    const sides = [createSide("ours", [2, 2, 2, 2]), createSide("peer", ["0 bytes", "0 bytes", 4, 4])].map((side) => ({
      ...side,
      stop: async () => void stopped.push(side.name),
    }));
    const error = await catchVoid(createRow(sides as unknown as Row["sides"]));
    expect(error.message).to.include("peer did not do its work: 0 bytes");
    expect(stopped).to.deep.equal(["ours", "peer"]);
  });

  it("voids a round that fails", async () => {
    const failing: Side = { name: "ours", runRound: () => Promise.reject(new Error("connection refused")) };
    expect((await catchVoid(createRow([failing]))).message).to.include("connection refused");
  });

  it("detects an idle side, and rejects a check that finds nothing or everything", async () => {
    const honest = createSide("ours", [1, 1, 1, 1]);
    expect(await findIdle(createRow([honest]))).to.equal("0 of 1 frames");
    const unseen = await findIdle(createRow([honest], { idle: honest })).catch((error: Error) => error.message);
    expect(unseen).to.include("was not found");
    const voidAll = await findIdle(createRow([createSide("ours", ["0 frames"])])).catch((error: Error) => error);
    expect(voidAll).to.be.instanceOf(VoidRowError);
  });

  it("does not reject a check because a busy machine disturbed a round of our side", async () => {
    const disturbed = createSide("ours", ["88 of 100 ticks", 1]);
    expect(await findIdle(createRow([disturbed]))).to.equal("0 of 1 frames");
    const never = createSide(
      "ours",
      Array.from({ length: 9 }, () => "0 ticks"),
    );
    expect(await findIdle(createRow([never])).catch((error: Error) => error)).to.be.instanceOf(VoidRowError);
  });

  it("detects an operation that returns nothing and one that is wrong", async () => {
    const isRight = (n: number, result: number): boolean => result === n * 2;
    const double = createOperationSide<number>({ name: "ours", operate: (n) => n * 2, isRight });
    const wrong = createOperationSide<number>({ name: "wrong", operate: async (n) => n * 2 + 1, isRight });
    for (const side of [double, wrong]) await side.start!();
    expect((await double.runRound(0)).missing).to.equal(null);
    expect((await wrong.runRound(0)).missing).to.match(/^0 of \d+ right results$/);
    expect((await createIdleOperation(isRight).runRound(0)).missing).to.match(/^0 of \d+ right results$/);
  });
});
