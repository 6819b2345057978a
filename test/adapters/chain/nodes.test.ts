import { expect } from "chai";
import { askInTurn } from "../../../backend/adapters/chain/nodes/ask-in-turn.ts";
import { findBestHead, findHeadProblem } from "../../../backend/adapters/chain/nodes/judge.ts";
import { TestClock } from "../../helpers/test-clock.ts";

describe("the heads of several nodes", () => {
  for (const [heads, best] of [
    [[], null],
    [[7], 7],
    [[100, 102], 102],
    // No two agree: the one that stands still is not the best.
    [[100, 90], 100],
    [[100, 101, 1_100], 101],
    [[90, 100, 91], 91],
    [[104, 101, 98], 104],
  ] as const)
    it(`of ${heads.join(", ") || "no node"} the best is ${best}`, () => expect(findBestHead(heads)).to.equal(best));

  it("believes a head that is at most three blocks from the best", () => {
    for (const number of [97, 98, 99, 100]) expect(findHeadProblem(number, 100), String(number)).to.equal(null);
    expect(findHeadProblem(96, 100)).to.equal("is 4 blocks behind");
    expect(findHeadProblem(104, 100)).to.equal("is 4 blocks ahead of the others");
  });
});

describe("a question to several nodes", () => {
  const never = new Promise<string>(() => {});
  const options = (clock: TestClock) => ({ clock, patienceMs: 400, isAnswer: (error: unknown) => error === "revert" });
  const fail = (error: unknown) => () => Promise.reject(error);

  it("goes on to the next node at once after a failure", async () => {
    expect(await askInTurn([fail("away"), async () => "second"], options(new TestClock()))).to.equal("second");
  });

  it("is asked at the next node beside a slow one, and the first answer counts", async () => {
    const clock = new TestClock();
    const answer = askInTurn([() => never, async () => "second"], options(clock));
    clock.advance(400);
    expect(await answer).to.equal("second");
  });

  it("ends with a revert, which is an answer", async () => {
    let isAsked = false;
    const second = async () => {
      isAsked = true;
      return "second";
    };
    const error = await askInTurn([fail("revert"), second], options(new TestClock())).catch((thrown) => thrown);
    expect({ error, isAsked }).to.deep.equal({ error: "revert", isAsked: false });
  });

  it("fails with every error when no node answers", async () => {
    const error = await askInTurn([fail("first"), fail("second")], options(new TestClock())).catch((thrown) => thrown);
    expect(error.errors).to.deep.equal(["first", "second"]);
  });
});
