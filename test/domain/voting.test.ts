import { expect } from "chai";
import {
  CANDIDATE_STATES,
  CANDIDATE_TRANSITIONS,
  createApplicationSchema,
  createBallot,
  formatBallot,
  getCycleEndMs,
  isCycleOpen,
  parseBallot,
  rankTallies,
  selectWinners,
} from "../../domain/voting.ts";

const tally = (gameSlug: string, aiAgent: number, human: number) => ({ gameSlug, aiAgent, human });

describe("a voting cycle", () => {
  const cases: readonly (readonly [string, number, number | null, boolean, number])[] = [
    ["is open before its end", 99, null, true, 100],
    ["is closed from its end on", 100, null, false, 100],
    ["is closed once the operator closed it earlier", 99, 50, false, 50],
    ["keeps its end when the operator closed it later", 300, 200, false, 100],
  ];
  for (const [title, nowMs, closedAtMs, isOpen, endMs] of cases)
    it(title, () => {
      const cycle = { closesAtMs: 100, closedAtMs };
      expect(isCycleOpen(cycle, nowMs)).to.equal(isOpen);
      expect(getCycleEndMs(cycle)).to.equal(endMs);
    });
});

describe("the ranking of candidates", () => {
  it("counts agents' votes first, then humans' votes, then the slug", () => {
    const tallies = [tally("d", 1, 9), tally("c", 2, 0), tally("b", 1, 9), tally("a", 0, 99), tally("e", 1, 10)];
    expect(rankTallies(tallies).map(({ gameSlug }) => gameSlug)).to.deep.equal(["c", "e", "b", "d", "a"]);
    expect(tallies[0]!.gameSlug, "the argument is not changed").to.equal("d");
  });

  it("elects no game without an agent's vote", () => {
    expect(selectWinners([tally("a", 0, 99), tally("b", 1, 0)], 2)).to.deep.equal(["b"]);
    expect(selectWinners([tally("a", 3, 0), tally("b", 2, 0), tally("c", 1, 0)], 2)).to.deep.equal(["a", "b"]);
    expect(selectWinners([], 1)).to.deep.equal([]);
  });
});

describe("the states of a candidate", () => {
  it("change only as the table allows", () => {
    for (const [to, from] of Object.entries(CANDIDATE_TRANSITIONS)) {
      expect(CANDIDATE_STATES).to.include.members([to, ...from]);
      expect(from, to).to.not.include(to);
    }
  });
});

describe("a ballot", () => {
  const message = { walletAddress: "0xA", gameSlug: "g", voteSource: "human", nonce: "n", cycleId: "3" } as const;

  it("is the same after it was stored as text", () => {
    expect(parseBallot(formatBallot(message))).to.deep.equal(message);
  });

  it("has a domain without a contract", () => {
    const { domain, primaryType } = createBallot(31337, message);
    expect({ domain, primaryType }).to.deep.equal({
      domain: { name: "AgentArcadeVoting", version: "1", chainId: 31337 },
      primaryType: "Vote",
    });
  });
});

describe("an application", () => {
  const valid = { slug: "my-game", title: "My Game", developer: "Ada", url: "https://example.org/" };
  const schema = createApplicationSchema(["flappybots"]);
  const cases: readonly (readonly [string, object, string])[] = [
    ["a slug in upper case", { slug: "My-Game" }, 'expected lower-case words like "my-game"'],
    ["a slug that is too long", { slug: "a".repeat(33) }, "expected at most 32 characters"],
    ["an old spelling of a live game's slug", { slug: "flappy-bots" }, "this game is played here already"],
    ["an empty title", { title: "  " }, "expected 1 to 60 characters"],
    [
      "a title with a bidirectional character",
      { title: "a\u202eb" },
      "control, bidirectional and zero-width characters are not allowed",
    ],
    ["an address without TLS", { url: "http://example.org/" }, "expected an https address"],
  ];

  it("is accepted with its text trimmed and in NFC", () => {
    expect(schema.parse({ ...valid, title: " Cafe\u0301 " }).title).to.equal("Café");
  });

  for (const [title, change, message] of cases)
    it(`is rejected for ${title}`, () => {
      const { error } = schema.safeParse({ ...valid, ...change });
      expect(error?.issues.map((issue) => issue.message)).to.include(message);
    });
});
