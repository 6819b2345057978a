import { createRequire } from "node:module";
import { expect } from "chai";
import { loadArtifact } from "../../deploy/artifacts.ts";
import { rejectCoverageBuild } from "../../scripts/dev/contracts/files.ts";

describe("npm run contracts:generate", () => {
  it("rejects code that was compiled for coverage and accepts the deployed code", async () => {
    const fromHardhat = createRequire(import.meta.resolve("hardhat"));
    const library = fromHardhat("@nomicfoundation/edr/coverage") as { getCoverageLibrary(): { content: string } };
    const [address] = /0x[0-9a-fA-F]{40}/.exec(library.getCoverageLibrary().content)!;
    const artifact = { ...(await loadArtifact("RewardToken")) };
    const counting = { ...artifact, bytecode: `${artifact.bytecode}73${address.slice(2)}` as const };
    expect(() => rejectCoverageBuild(counting as never)).to.throw("npx hardhat build --force");
    expect(rejectCoverageBuild(artifact as never)).to.equal(artifact);
  });
});
