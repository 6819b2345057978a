import { readFile } from "node:fs/promises";
import { expect } from "chai";
import { artifacts } from "hardhat";
import { findStaleContractFiles } from "../../scripts/dev/contracts/files.ts";

/** EIP-170: what a chain accepts as a contract's code. */
const MAX_CODE_BYTES = 24_576;

/** EIP-3860: what a transaction may bring to create a contract. */
const MAX_INIT_CODE_BYTES = 2 * MAX_CODE_BYTES;

interface CompilerMessage {
  readonly severity: string;
  readonly formattedMessage: string;
}

describe("artifacts", () => {
  it("were compiled without a warning, tests and mocks included", async () => {
    const ids = [...(await artifacts.getAllBuildInfoIds())];
    expect(ids).to.not.deep.equal([]);
    const messages: string[] = [];
    for (const id of ids) {
      const { output } = JSON.parse(await readFile((await artifacts.getBuildInfoOutputPath(id))!, "utf8")) as {
        output: { errors?: readonly CompilerMessage[] };
      };
      messages.push(...(output.errors ?? []).map(({ formattedMessage }) => formattedMessage));
    }
    expect(messages).to.deep.equal([]);
  });

  for (const name of ["RewardToken", "AgentIdentity", "GameNFT", "RewardsV2"]) {
    it(`${name} fits on chain, and nothing is linked into it`, async () => {
      const { bytecode, deployedBytecode, linkReferences } = await artifacts.readArtifact(name);
      expect((deployedBytecode.length - 2) / 2).to.be.at.most(MAX_CODE_BYTES);
      expect((bytecode.length - 2) / 2).to.be.at.most(MAX_INIT_CODE_BYTES);
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

  it("are, byte for byte, what git holds of the contracts' compiled code", () => {
    expect(findStaleContractFiles(), "run npm run contracts:generate").to.deep.equal([]);
  });
});
