import { expect } from "chai";
import { useTestStack } from "../helpers/suite.ts";
import { runMalformedRequests } from "./support/malformed-run.ts";

describe("malformed requests", () => {
  const stack = useTestStack();

  it("every malformed request gets a typed error while a player continues", async () => {
    const { breaches, codes, player } = await runMalformedRequests(stack, 20_260_101, 600);
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
