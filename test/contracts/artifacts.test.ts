import { expect } from "chai";
import { artifacts } from "hardhat";

/** EIP-170: what a chain accepts as a contract's code. */
const MAX_CODE_BYTES = 24_576;

describe("artifacts", () => {
  for (const name of ["RewardToken", "AgentIdentity", "GameNFT", "RewardsV2"]) {
    it(`${name} fits on chain, and nothing is linked into it`, async () => {
      const { deployedBytecode, linkReferences } = await artifacts.readArtifact(name);
      expect((deployedBytecode.length - 2) / 2).to.be.at.most(MAX_CODE_BYTES);
      expect(linkReferences).to.deep.equal({});
    });

    it(`${name} takes no native money`, async () => {
      const { abi } = await artifacts.readArtifact(name);
      const payable = (abi as readonly { stateMutability?: string }[]).filter(
        ({ stateMutability }) => stateMutability === "payable",
      );
      expect(payable).to.deep.equal([]);
    });
  }
});
