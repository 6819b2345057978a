import { expect } from "chai";
import { findGame } from "../../games/index.ts";
import { ToolError } from "../../mcp/errors.ts";
import { Simulations } from "../../mcp/simulations.ts";
import { playAuthorsBot, toSeed } from "../../scripts/evaluate/play.ts";
import { FLAPPY_POLICY } from "./policies.ts";

const OWN = { key: null, isPlayer: true };

describe("a simulation", () => {
  it("gives the same scores for the same seeds as the rules", async () => {
    const game = findGame("flappybots")!;
    const bot = new Function(`return ${FLAPPY_POLICY}`)();
    const { state } = await playAuthorsBot(game, toSeed(3), bot);
    const request = { slug: "flappybots", policy: FLAPPY_POLICY, seeds: 1, firstSeed: 3, maxSeconds: 600 };
    const result = await new Simulations().run(request, OWN);
    expect(result.best).to.deep.equal({ seed: 3, points: state.score });
    expect(result.isComplete).to.equal(true);
    expect(result.unknownMoves).to.deep.equal({ count: 0, example: null });
  });

  it("reports the position and the seed at which a policy fails", async () => {
    const policy = "(frame) => {\n  if (frame.tick === 5) throw new Error('fifth');\n  return null;\n}";
    const failure = await new Simulations()
      .run({ slug: "flappybots", policy, seeds: 5, firstSeed: 0, maxSeconds: 5 }, OWN)
      .catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(ToolError);
    expect((failure as ToolError).fields).to.include({ line: 2, tick: 5, seed: 0 });
  });
});
