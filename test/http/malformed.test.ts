import { expect } from "chai";
import { type Suite, startSuite } from "../helpers/suite.ts";
import { runMalformed } from "./support/malformed-run.ts";

describe("malformed requests", () => {
  let suite: Suite;
  before(async () => {
    suite = await startSuite();
  });
  after(() => suite.close());

  it("are all answered with a typed failure, while a player plays on", async () => {
    const { breaches, codes, player } = await runMalformed(suite, 20_260_101, 600);
    expect(breaches).to.deep.equal([]);
    expect(Object.keys(codes)).to.include.members([
      "BAD_JSON",
      "VALIDATION_FAILED",
      "UNKNOWN_FIELD",
      "BODY_TOO_LARGE",
      "UNSUPPORTED_MEDIA_TYPE",
      "AUTH_REQUIRED",
      "TOKEN_INVALID",
      "METHOD_NOT_ALLOWED",
      "GAME_NOT_FOUND",
    ]);
    expect(player.ticks).to.be.greaterThan(0);
    expect(player.jumps).to.equal(0);
  });
});
