import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import { findBestHead, findHeadProblem, findOutvoted } from "../../../backend/adapters/chain/nodes/judge.ts";
import { requestInOrder, requestTwo } from "../../../backend/adapters/chain/nodes/request-in-order.ts";
import { TestClock } from "../../helpers/test-clock.ts";

describe("the heads of several nodes", () => {
  for (const [heads, best] of [
    [[], null],
    [[7], 7],
    [[100, 102], 102],
    // No two agree, and the stuck one is not the best.
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

describe("nodes that report different blocks", () => {
  /** A chain up to a head. From `forkedAt` on its blocks differ from the others'. */
  const chain = (number: number, forkedAt = Infinity, fork = "a") => ({
    number,
    hashes: [0, 1, 2, 3, 4, 5, 6].map((depth): `0x${string}` => {
      const at = number - depth;
      return `0x${at >= forkedAt ? fork : ""}${at}`;
    }),
  });
  type Chain = ReturnType<typeof chain>;

  for (const [name, chains, expected] of [
    ["no node when they only lag", [chain(103), chain(100), chain(102)], []],
    ["no node where one is far behind", [chain(1_000, 995), chain(100)], []],
    ["no node when one stands still on its own chain", [chain(100, 99), chain(104)], []],
    ["one of three at the same head", [chain(100, 100), chain(100), chain(100)], [[0, 100]]],
    ["one of three that is ahead on its own chain", [chain(100), chain(100), chain(101, 100)], [[2, 100]]],
    ["one of three that is three blocks ahead", [chain(103, 98), chain(100), chain(99)], [[0, 98]]],
    ["one of three that is behind", [chain(101), chain(100, 99), chain(101)], [[1, 99]]],
    ["the second of two at the same head", [chain(100, 99), chain(100)], [[1, 99]]],
    ["the second of two, also when it is ahead", [chain(100), chain(102, 99)], [[1, 99]]],
    ["the second of two, also when it is behind", [chain(102, 99), chain(100)], [[1, 99]]],
    [
      "both of two that differ while a third one has not decided",
      [chain(101, 101), chain(102), chain(100)],
      [
        [0, 101],
        [1, 101],
      ],
    ],
    [
      "the later pair of four",
      [chain(100, 99), chain(100), chain(101), chain(101, 99)],
      [
        [1, 99],
        [2, 99],
      ],
    ],
    [
      "each of two inventors of five",
      [chain(100, 99), chain(101), chain(101), chain(101, 99, "b"), chain(100)],
      [
        [0, 99],
        [3, 99],
      ],
    ],
  ] as const)
    it(`outvotes ${name}`, () => {
      const outvoted = findOutvoted(chains as readonly Chain[]);
      const found = [...outvoted].map(([single, number]) => [chains.indexOf(single as never), number]);
      expect(found.sort(([a], [b]) => a! - b!)).to.deep.equal(expected);
    });
});

describe("a request to several nodes", () => {
  const never = new Promise<string>(() => {});
  const options = (clock: TestClock) => ({ clock, patienceMs: 400, isAnswer: (error: unknown) => error === "revert" });
  const fail = (error: unknown) => () => Promise.reject(error);

  it("continues to the next node at once after a failure", async () => {
    expect(await requestInOrder([fail("away"), async () => "second"], options(new TestClock()))).to.equal("second");
  });

  it("is also sent to the next node if one is slow, and the first answer counts", async () => {
    const clock = new TestClock();
    const answer = requestInOrder([() => never, async () => "second"], options(clock));
    clock.advance(400);
    expect(await answer).to.equal("second");
  });

  it("ends with a revert, which is an answer", async () => {
    let isAsked = false;
    const second = async () => {
      isAsked = true;
      return "second";
    };
    const error = await requestInOrder([fail("revert"), second], options(new TestClock())).catch((thrown) => thrown);
    expect({ error, isAsked }).to.deep.equal({ error: "revert", isAsked: false });
  });

  it("fails with every error when no node answers", async () => {
    const error = await requestInOrder([fail("first"), fail("second")], options(new TestClock())).catch(
      (thrown) => thrown,
    );
    expect(error.errors).to.deep.equal(["first", "second"]);
  });

  it("for two answers is sent to all of them, and the first two count", async () => {
    const answers = requestTwo(
      [fail("away"), async () => "second", () => never, async () => "fourth"],
      options(new TestClock()),
    );
    expect(await answers).to.deep.equal(["second", "fourth"]);
  });

  it("for two answers ends with one when no other arrives in time, or the others fail", async () => {
    const clock = new TestClock();
    const answers = requestTwo([() => never, async () => "second"], options(clock));
    await setImmediate();
    clock.advance(400);
    expect(await answers).to.deep.equal(["second"]);
    expect(await requestTwo([fail("away"), async () => "second"], options(clock))).to.deep.equal(["second"]);
    expect(await requestTwo([async () => "only"], options(clock))).to.deep.equal(["only"]);
  });

  it("for two answers fails with every error when no node answers", async () => {
    const error = await requestTwo([fail("first"), fail("second")], options(new TestClock())).catch((thrown) => thrown);
    expect(error.errors).to.deep.equal(["first", "second"]);
  });
});
