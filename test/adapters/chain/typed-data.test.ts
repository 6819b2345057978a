import { expect } from "chai";
import { keccak256, parseAbi, stringToHex } from "viem";
import {
  createTypedData,
  DOMAIN_VERSION,
  encodeMessageType,
  type PrimaryType,
} from "../../../domain/typed-data/messages.ts";
import { games } from "../../../games/index.ts";
import { typedMessages, useChain } from "./chain-fixture.ts";

const DOMAIN_ABI = parseAbi([
  "function eip712Domain() view returns (bytes1 fields, string name, string version, uint256 chainId, address verifyingContract, bytes32 salt, uint256[] extensions)",
]);
/** Bits of ERC-5267: name, version, chain id and verifying contract. */
const FIELDS = "0x0f";

describe("the table of typed messages", () => {
  const fixture = useChain();

  for (const [name, { domain, typeHashView }] of typedMessages) {
    if (typeHashView === null) continue;
    it(`has the type hash of the contract for ${name}`, async () => {
      const { identity, rewards, nft } = fixture.deployment;
      const targets = { identity: [identity], rewards: [rewards], gameNft: Object.values(nft), voting: [] };
      expect(targets[domain]).not.to.be.empty;
      for (const address of targets[domain]) {
        const abi = parseAbi([`function ${typeHashView}() view returns (bytes32)`] as readonly string[]);
        const expected = await fixture.client.readContract({ address, abi, functionName: typeHashView });
        expect(keccak256(stringToHex(encodeMessageType(name as PrimaryType)))).to.equal(expected);
      }
    });
  }

  it("has the domain of each contract", async () => {
    const { identity, rewards, nft } = fixture.deployment;
    const cases: [PrimaryType, `0x${string}`, string][] = [
      ["MintIdentity", identity, ""],
      ["Snapshot", rewards, ""],
      ...games.map(({ slug }): [PrimaryType, `0x${string}`, string] => ["MintGameNft", nft[slug]!, slug]),
    ];
    for (const [type, address, slug] of cases) {
      const { domain } = createTypedData(type, { chainId: 31337, verifyingContract: address, slug }, {});
      const [fields, name, version, chainId, verifyingContract] = await fixture.client.readContract({
        address,
        abi: DOMAIN_ABI,
        functionName: "eip712Domain",
      });
      expect(fields).to.equal(FIELDS);
      expect({ name, version, chainId: Number(chainId), verifyingContract }).to.deep.equal(domain);
      expect(version).to.equal(DOMAIN_VERSION);
    }
  });
});
