import { expect } from "chai";
import { ArcadeError } from "../../domain/errors.ts";
import {
  createScoreError,
  listScoreProblems,
  parseReadinessReasons,
  READINESS_REASONS,
  SCORE_PROBLEM_CODES,
  SCORE_PROBLEMS,
  type ScoreFacts,
  type ScoreProblem,
} from "../../domain/rewards.ts";

const PENDING: ScoreFacts = {
  source: "agent_api",
  phase: "ended",
  score: 12,
  verification: "verified",
  forfeitedAtMs: null,
  snapshotBlock: null,
};

const CASES: readonly {
  readonly title: string;
  readonly facts: Partial<ScoreFacts>;
  readonly isConsumed?: boolean;
  readonly problems: readonly ScoreProblem[];
}[] = [
  { title: "a verified score", facts: {}, problems: [] },
  { title: "a score that is not verified yet", facts: { verification: "pending" }, problems: [] },
  { title: "a practice session", facts: { source: "browser_ws" }, problems: ["SOURCE_NOT_ELIGIBLE"] },
  { title: "a running session", facts: { phase: "running" }, problems: ["SESSION_NOT_ENDED"] },
  { title: "a running session without points", facts: { phase: "running", score: 0 }, problems: ["SESSION_NOT_ENDED"] },
  { title: "an ended session without points", facts: { score: 0 }, problems: ["NO_POINTS"] },
  { title: "a score on chain", facts: { snapshotBlock: 7 }, isConsumed: true, problems: ["ALREADY_ON_CHAIN"] },
  { title: "a score that was given up", facts: { forfeitedAtMs: 1 }, problems: ["FORFEITED"] },
  {
    title: "a score that came on chain after it was given up",
    facts: { forfeitedAtMs: 1, snapshotBlock: 7 },
    problems: ["ALREADY_ON_CHAIN"],
  },
  { title: "a score that the guardian cancelled", facts: {}, isConsumed: true, problems: ["CANCELLED"] },
  { title: "a withheld score", facts: { verification: "withheld" }, problems: ["WITHHELD"] },
  {
    title: "a session with several problems",
    facts: { source: "browser_ws", score: 0, forfeitedAtMs: 1, verification: "withheld" },
    problems: ["SOURCE_NOT_ELIGIBLE", "NO_POINTS", "FORFEITED", "WITHHELD"],
  },
];

describe("the eligibility of a session's score", () => {
  for (const { title, facts, isConsumed, problems } of CASES)
    it(`lists ${problems.length === 0 ? "no problem" : problems.join(", ")} for ${title}`, () => {
      expect(listScoreProblems({ ...PENDING, ...facts }, isConsumed)).to.deep.equal(problems);
    });

  it("has a case for every problem", () => {
    const shown = new Set(CASES.flatMap(({ problems }) => problems));
    expect([...shown]).to.have.members([...SCORE_PROBLEMS]);
  });

  it("turns every problem into an error with its code and the session's id", () => {
    const session = { ...PENDING, sessionId: "s1", forfeitedAtMs: 0 };
    for (const problem of SCORE_PROBLEMS) {
      const error = createScoreError(problem, session);
      expect(error).to.be.instanceOf(ArcadeError);
      expect(error.code).to.equal(SCORE_PROBLEM_CODES[problem]);
      expect(error.fields).to.deep.equal({ sessionId: "s1" });
      expect(error.message).to.match(/^[A-Z].*\.$/);
    }
  });
});

describe("the contract's readiness bits", () => {
  it("list the reasons in the order of the contract's enum", () => {
    READINESS_REASONS.forEach((reason, bit) => {
      expect(parseReadinessReasons(1n << BigInt(bit))).to.deep.equal([reason]);
    });
    expect(parseReadinessReasons(0n)).to.deep.equal([]);
    expect(parseReadinessReasons(0b1000_0101n)).to.deep.equal([
      "SCOREBANK_EMPTY",
      "COOLDOWN_ACTIVE",
      "IDENTITY_REQUIRED",
    ]);
  });
});
