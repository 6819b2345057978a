import { expect } from "chai";
import { generatePages } from "../../lab/pages.ts";
import { generateDocuments } from "../../scripts/dev/docs.ts";
import { findStaleDocuments } from "../../scripts/dev/generated-documents.ts";

describe("generated documents", () => {
  it("match the tables", () => {
    expect(findStaleDocuments(generateDocuments()), "run npm run docs").to.deep.equal([]);
    expect(findStaleDocuments(generatePages()), "run npm run lab -- pages").to.deep.equal([]);
    expect(findStaleDocuments({ "README.md": "another text" })).to.deep.equal(["README.md"]);
  });
});
