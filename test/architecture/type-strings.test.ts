import { join } from "node:path";
import { expect } from "chai";
import * as messages from "../../domain/typed-data/messages.ts";
import { root } from "../../scripts/start/build.ts";
import { findDifferences } from "./type-strings.ts";

describe("the table of signed messages", () => {
  it("states the type string of every constant in the contracts", () => {
    expect(findDifferences(messages, root)).to.deep.equal([]);
    expect(findDifferences(messages, join(root, "docs")), "a folder without contracts").to.include("Snapshot");
  });
});
