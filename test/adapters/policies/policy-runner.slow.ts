import { expect } from "chai";
import { openPolicyRunner } from "../../../backend/adapters/policies/policy-runner.ts";
import { ArcadeError } from "../../../domain/errors.ts";
import { PolicyFault } from "../../../domain/league/policy-fault.ts";
import { LEAGUE_LIMITS } from "../../../domain/limits/limits.ts";
import { silentLog } from "../chain/chain-fixture.ts";

describe("the checks of submitted policies", () => {
  it("wait for each other up to a limit, whatever their texts are, and release their places", async () => {
    const { checksAtOnce, checksWaiting } = LEAGUE_LIMITS;
    const runner = openPolicyRunner(silentLog);
    const describe = (error: unknown): string => {
      if (error instanceof ArcadeError) return error.code;
      return error instanceof PolicyFault ? error.kind : String(error);
    };
    const check = (text: string) =>
      runner.check(text).then(
        () => "taken",
        (error: unknown) => describe(error),
      );
    for (let round = 0; round < 2; round++) {
      const texts = Array.from({ length: checksAtOnce + checksWaiting + 1 }, (_, index) =>
        index % 2 === 0 ? "() => null" : "(",
      );
      const results = await Promise.all(texts.map(check));
      expect(results.pop()).to.equal("RATE_LIMITED");
      expect(results).to.deep.equal(texts.slice(0, -1).map((text) => (text === "(" ? "text" : "taken")));
    }
  });
});
