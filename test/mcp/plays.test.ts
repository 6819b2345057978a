import { expect } from "chai";
import type { ArcadeClient } from "../../client/client.ts";
import type { ToolError } from "../../mcp/errors.ts";
import { PLAY_LIMITS, Plays } from "../../mcp/plays.ts";

/** Starts a session with a policy that is refused before it gets a process. Returns the error's code. */
const start = (plays: Plays): Promise<string> =>
  plays
    .start({
      client: {} as ArcadeClient,
      token: null,
      slug: "flappybots",
      policy: "import",
      isPractice: true,
      leaveAtScore: null,
    })
    .then(
      () => "started",
      (error: unknown) => (error as ToolError).code,
    );

describe("sessions that policies play", () => {
  it("are bounded also where all of them are asked for at once", async () => {
    const plays = new Plays();
    const codes = await Promise.all(Array.from({ length: PLAY_LIMITS.atOnce + 1 }, () => start(plays)));
    expect(codes.at(-1)).to.equal("BUSY");
    expect(codes.filter((code) => code === "POLICY_INVALID")).to.have.length(PLAY_LIMITS.atOnce);
    expect(await start(plays)).to.equal("POLICY_INVALID");
  });
});
