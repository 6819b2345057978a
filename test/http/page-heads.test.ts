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
});
