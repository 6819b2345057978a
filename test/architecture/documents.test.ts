import { expect } from "chai";
import { findStaleDocuments } from "../../scripts/dev/docs.ts";

describe("generated documents", () => {
  it("say what the tables say", () => {
    expect(findStaleDocuments(), "run npm run docs").to.deep.equal([]);
  });
});
