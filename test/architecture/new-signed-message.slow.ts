import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { copyRepository } from "../helpers/copy.ts";
import { useShared } from "../helpers/fixture.ts";
import { findDifferences, type Messages } from "./type-strings.ts";

const TABLE = "domain/typed-data/messages.ts";
const CONTRACT = "contracts/RewardsV2.sol";
const ENTRY = `  CloseAccount: {
    domain: "rewards",
    purpose: "A wallet gives its scorebank up. Signed by the wallet.",
    types: { CloseAccount: parseFields("address wallet,uint256 deadline") },
    typeHashView: "CLOSE_ACCOUNT_TYPEHASH",
    example: { wallet: WALLET, deadline: DEADLINE },
  },
`;
const CONSTANT = `    bytes32 public constant CLOSE_ACCOUNT_TYPEHASH = keccak256("CloseAccount(address wallet,uint256 deadline)");
`;

function insertBefore(path: string, marker: string, text: string): void {
  const source = readFileSync(path, "utf8");
  expect(source, `${path} no longer holds the line that the text goes before`).to.include(marker);
  writeFileSync(path, source.replace(marker, text + marker));
}

describe("the table of signed messages", () => {
  const copy = useShared(copyRepository);

  it("takes a new message as one entry, with the constant in Solidity, and documents it", async () => {
    insertBefore(copy.path(TABLE), "  Vote: {\n", ENTRY);
    const changed = (await import(pathToFileURL(copy.path(TABLE)).href)) as Messages;
    expect(findDifferences(changed, copy.path()), "the contract does not state it yet").to.deep.equal(["CloseAccount"]);
    insertBefore(copy.path(CONTRACT), "    bytes32 public constant ITEM_TYPEHASH", CONSTANT);
    expect(findDifferences(changed, copy.path())).to.deep.equal([]);

    await copy.npm("docs");
    expect(readFileSync(copy.path("docs/signing.md"), "utf8"))
      .to.include("## CloseAccount")
      .and.include("CloseAccount(address wallet,uint256 deadline)");
    const include = ["backend", "domain", "games", "scripts"];
    writeFileSync(copy.path("tsconfig.probe.json"), JSON.stringify({ extends: "./tsconfig.json", include }));
    await copy.node("node_modules/typescript/bin/tsc", "--noEmit", "-p", "tsconfig.probe.json");
    expect(copy.getChangedFiles()).to.have.members([TABLE, CONTRACT, "docs/signing.md"]);
  });
});
