import { expect } from "chai";
import { deriveAccount, developmentAccount } from "../../backend/config/dev-keys.ts";

/** Ten players, the service's accounts, and the next of each, which are not stored. */
const INDEXES = [...Array(11).keys(), ...Array.from({ length: 11 }, (_, n) => 100 + n)];

describe("the development accounts", () => {
  it("are those of the development mnemonic, stored or not", () => {
    for (const index of INDEXES) expect(developmentAccount(index), String(index)).to.deep.equal(deriveAccount(index));
  });
});
