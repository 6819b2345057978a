import { expect } from "chai";
import { createPageHead } from "../../backend/http/site/page-heads.ts";
import { ArcadeError } from "../../domain/errors.ts";
import { getRejection } from "../adapters/store/suite.ts";

describe("the head of a page", () => {
  const create = (error: Error) => {
    const find = () => {
      throw error;
    };
    return createPageHead("game", { game: "flappybots" }, { catalog: { find } } as never, {});
  };

  it("is none if the page's subject does not exist, and fails with every other error", async () => {
    expect(await create(new ArcadeError("GAME_NOT_FOUND", "There is no such game."))).to.equal(null);
    const others = [
      new ArcadeError("CHAIN_UNAVAILABLE", "The chain is away."),
      Object.assign(new Error("not ours"), { status: 404 }),
    ];
    for (const error of others) expect(await getRejection(create(error))).to.equal(error);
  });

  it("has an agent's name and picture, from its profile or its latest run", async () => {
    const createOfAgent = (profile: object | null, run: object | undefined) => {
      const services = {
        catalog: { games: [{ slug: "flappybots" }] },
        profiles: { get: async () => ({ profile }) },
        sessions: { listRuns: async () => ({ items: run === undefined ? [] : [run] }) },
      };
      return createPageHead("agent", { id: "7" }, services as never, {});
    };
    const run = { agentName: "Knot" };
    const general = (await createOfAgent(null, undefined))!;
    expect(general.title).to.equal("Identity #7");
    expect(general.imagePath).to.not.include("agents");
    const imagePath = "/pictures/agents/7.png";
    expect(await createOfAgent(null, run)).to.deep.equal({ ...general, title: "Knot", imagePath });
    expect(await createOfAgent({ agentName: "Reef", bio: "" }, run)).to.include({ title: "Reef", imagePath });
    const described = await createOfAgent({ agentName: "Reef", bio: "Swims." }, undefined);
    expect(described).to.deep.equal({ ...general, title: "Reef", description: "Swims." });
  });
});
