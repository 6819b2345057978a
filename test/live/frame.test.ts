import { expect } from "chai";
import { buildFrame } from "../../backend/live/frame.ts";
import { parseSeed } from "../../domain/replay/verify.ts";
import { findGame } from "../../games/index.ts";

describe("a frame message", () => {
  const game = findGame("flappybots")!;
  const row = {
    sessionId: "one",
    slug: game.slug,
    tickHz: 20,
    rulesVersion: game.rulesVersion,
    seedCommitment: "0x00",
  };
  const build = (change: object) => {
    const state = { ...game.init(parseSeed(`0x${"01".repeat(32)}`), game.tickHz), ...change };
    const facts = { row, game, state, phase: "running", highScore: 5, ackSeq: null, inputsDigest: "0x00", ...change };
    return buildFrame({ spectators: { current: 1, max: 2 }, ...facts } as never).frame;
  };

  it("has the game's time in whole milliseconds, by the session's own rate", () => {
    for (const [tick, tickHz, tMs] of [
      [0, 20, 0],
      [7, 20, 350],
      [2_000, 20, 100_000],
      [1, 30, 33],
      [2, 30, 67],
    ])
      expect(build({ tick, row: { ...row, tickHz } })).to.include({ tick, tMs });
  });

  it("has the score as the high score if it is higher", () => {
    for (const [score, high] of [
      [4, 5],
      [5, 5],
      [6, 6],
    ])
      expect(build({ score }).score).to.deep.equal({ current: score, high });
  });

  it("has the number of the last input only after one", () => {
    expect(build({})).to.not.have.property("ackSeq");
    for (const ackSeq of [0, 3]) expect(build({ ackSeq })).to.include({ ackSeq });
  });
});
