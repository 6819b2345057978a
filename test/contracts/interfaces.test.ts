import { expect } from "chai";
import { useArcade } from "./helpers/arcade.ts";
import { interfaceIdOf } from "./helpers/interface-id.ts";

/** ERC-165 and AccessControl with default admin rules. */
const COMMON = ["0x01ffc9a7", "0x31498786"];
/** ERC-721, its metadata, ERC-4906. */
const TOKENS = ["0x80ac58cd", "0x5b5e139f", "0x49064906"];
/** ERC-2981, ERC-7572. */
const COLLECTION = ["0x2a55205a", "0xe8a3d485"];

const CASES = [
  ["identity", [...COMMON, ...TOKENS], ["IAgentIdentity", "IERC8004IdentityRegistry"], "IGameNFT"],
  ["nft", [...COMMON, ...TOKENS, ...COLLECTION], ["IGameNFT", "ICollection"], "IAgentIdentity"],
  ["rewards", COMMON, ["IRewardsV2"], "IGameNFT"],
] as const;

describe("ERC-165", () => {
  const arcade = useArcade();

  for (const [contract, ids, names, foreign] of CASES) {
    it(`names the interfaces of the ${contract} contract, and no other`, async () => {
      const supports = (id: string) => arcade[contract].supportsInterface(id);
      for (const id of [...ids, ...(await Promise.all(names.map(interfaceIdOf)))])
        expect(await supports(id), id).to.equal(true);
      for (const id of [await interfaceIdOf(foreign), "0xffffffff"]) expect(await supports(id), id).to.equal(false);
    });
  }
});
