import { expect } from "chai";
import {
  addToStanding,
  type CountedSession,
  listBoardKeys,
  listOverBoards,
  type Period,
  ranksBefore,
  type Standing,
  toBoardKey,
} from "../../domain/leaderboard.ts";

const SESSION: CountedSession = {
  sessionId: "s2",
  slug: "shellrunners",
  score: 50,
  endedAtMs: 1_000,
  playMs: 10,
  agentId: "7",
  agentName: "Ada",
};

describe("the key of a board", () => {
  const cases: readonly (readonly [Period, string, string])[] = [
    ["all", "2026-03-04T05:06:07Z", "all/shellrunners"],
    ["month", "2026-03-31T23:59:59.999Z", "month:2026-03/shellrunners"],
    ["month", "2026-04-01T00:00:00Z", "month:2026-04/shellrunners"],
    ["day", "2026-03-04T23:59:59.999Z", "day:2026-03-04/shellrunners"],
    ["week", "2026-03-01T23:59:59.999Z", "week:2026-02-23/shellrunners"],
    ["week", "2026-03-02T00:00:00Z", "week:2026-03-02/shellrunners"],
    ["week", "2026-03-08T23:59:59.999Z", "week:2026-03-02/shellrunners"],
  ];
  for (const [period, time, key] of cases)
    it(`is ${key} for the ${period} of ${time}`, () => {
      expect(toBoardKey("shellrunners", period, Date.parse(time))).to.equal(key);
    });

  it("lists the boards of the game and of all games in every period", () => {
    const keys = listBoardKeys({ slug: "flappybots", endedAtMs: Date.parse("2026-03-04T00:00:00Z") });
    expect(keys).to.have.members([
      "day:2026-03-04/flappybots",
      "week:2026-03-02/flappybots",
      "month:2026-03/flappybots",
      "all/flappybots",
      "day:2026-03-04/*",
      "week:2026-03-02/*",
      "month:2026-03/*",
      "all/*",
    ]);
  });
});

describe("a board of a past period", () => {
  const isOver = (board: string, atMs: number) =>
    listOverBoards(atMs).some(([from, to]) => board >= from && board < to);
  const ends: readonly (readonly [Period, string])[] = [
    ["day", "2026-03-05T00:00:00Z"],
    ["week", "2026-03-09T00:00:00Z"],
    ["month", "2026-04-01T00:00:00Z"],
  ];
  for (const [period, end] of ends)
    it(`is that of a ${period} from the first moment of the next one`, () => {
      for (const slug of ["day-month", null]) {
        const board = toBoardKey(slug, period, Date.parse("2026-03-04T05:06:07Z"));
        expect(isOver(board, Date.parse(end) - 1)).to.equal(false);
        expect(isOver(board, Date.parse(end))).to.equal(true);
      }
    });

  it("is never that of all time", () => {
    expect(isOver(toBoardKey("shellrunners", "all", 0), Date.parse("2100-01-01T00:00:00Z"))).to.equal(false);
  });
});

describe("the rank of a session", () => {
  const cases: readonly (readonly [string, Partial<CountedSession>, boolean])[] = [
    ["is better with a higher score", { score: 51, endedAtMs: 9_000, sessionId: "s9" }, true],
    ["is worse with a lower score", { score: 49, endedAtMs: 1, sessionId: "s1" }, false],
    ["is better with an earlier end of the same score", { endedAtMs: 999, sessionId: "s9" }, true],
    ["is worse with a later end of the same score", { endedAtMs: 1_001, sessionId: "s1" }, false],
    ["is decided by the lower id in a complete tie", { sessionId: "s1" }, true],
    ["is not before itself", {}, false],
  ];
  for (const [title, change, isBefore] of cases)
    it(title, () => {
      expect(ranksBefore({ ...SESSION, ...change }, SESSION)).to.equal(isBefore);
    });
});

describe("a wallet's standing", () => {
  const first: Standing = {
    score: 50,
    bestEndedAtMs: 1_000,
    bestSessionId: "s2",
    totalScore: 50,
    sessions: 1,
    lastPlayedAtMs: 1_000,
    agentId: "7",
    agentName: "Ada",
  };

  it("starts with the first session", () => {
    expect(addToStanding(null, SESSION)).to.deep.equal(first);
  });

  it("keeps the best score, adds to the sum, and uses the name of the latest session", () => {
    const next = { ...SESSION, sessionId: "s3", score: 20, endedAtMs: 2_000, agentName: "Ada II" };
    expect(addToStanding(first, next)).to.deep.equal({
      ...first,
      totalScore: 70,
      sessions: 2,
      lastPlayedAtMs: 2_000,
      agentName: "Ada II",
    });
  });

  it("is the same for every order of the sessions", () => {
    const sessions = [
      SESSION,
      { ...SESSION, sessionId: "s3", score: 80, endedAtMs: 500, agentName: "Eve" },
      { ...SESSION, sessionId: "s4", score: 80, endedAtMs: 3_000, agentName: "Bob" },
    ];
    const sum = (order: readonly CountedSession[]) => order.reduce<Standing | null>(addToStanding, null);
    const expected = sum(sessions);
    expect(expected).to.include({ score: 80, bestSessionId: "s3", totalScore: 210, sessions: 3, agentName: "Bob" });
    expect(sum(sessions.toReversed())).to.deep.equal(expected);
    expect(sum([sessions[2]!, sessions[0]!, sessions[1]!])).to.deep.equal(expected);
  });
});
