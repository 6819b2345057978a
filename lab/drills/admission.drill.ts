/**
 * E3: guests take all the capacity they can get, with the limits on, directly and behind HAProxy with the configuration
 * of deploy/fleet. What may never happen: a player with an identity is rejected.
 * `DRILL_SELF_TEST=1` removes the safeguards of admission, one at a time.
 */
import { expect } from "chai";
import { type AttackResult, type Problem, runAttack } from "./support/admission-run.ts";
import { expectFigure, IS_SELF_TEST, printFigures } from "./support/drill.ts";

/** The problem that is found without each safeguard. */
const FAULTS: { readonly [fault: string]: Problem } = {
  "guests-not-evicted": "player refused",
  "own-guests-not-evicted": "player refused",
  "players-evicted": "player's connection closed",
  "guests-take-all-slots": "player's call refused",
  "stalled-not-closed": "places kept",
};
/** The minimum share of samples with all places taken. On a busy machine the guests have less time to return. */
const FULL_SHARE = 0.25;

const listProblems = ({ problems }: AttackResult): string[] =>
  [...problems].map(([problem, message]) => `${problem}: ${message}`);

async function expectNoProblem(isProxied: boolean): Promise<void> {
  const result = await runAttack({ isProxied, faults: [] });
  printFigures({ clients: isProxied ? "behind HAProxy" : "direct", ...result.figures });
  expect(listProblems(result).join("\n")).to.equal("");
  expectFigure(() => expect(result.fullShare, "looks at full places").to.be.at.least(FULL_SHARE));
}

describe("E3: guests that use all the capacity they can get", function () {
  this.timeout(600_000);

  if (!IS_SELF_TEST) {
    it("reject no player that connects directly", () => expectNoProblem(false));
    it("reject no player behind HAProxy", () => expectNoProblem(true));
  } else
    it("finds each safeguard that is removed", async () => {
      const missed: string[] = [];
      for (const [fault, until] of Object.entries(FAULTS)) {
        const result = await runAttack({ isProxied: false, faults: [fault], until });
        console.log(`      ${fault}: ${listProblems(result).join("; ") || "MISSED"}`);
        if (!result.problems.has(until)) missed.push(fault);
      }
      // A self-test succeeds by failing.
      if (missed.length === 0) throw new Error(`found: ${Object.keys(FAULTS).join(", ")}`);
    });
});
