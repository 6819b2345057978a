import { expect } from "chai";
import { staleDocuments } from "../../scripts/docs.ts";

describe("generated documents", () => {
  it("say what the tables say", () => {
    expect(staleDocuments(), "run npm run docs").to.deep.equal([]);
  });
});
