import { expect } from "chai";
import { network } from "hardhat";
import { games } from "../../backend/games/index.ts";
import { makeArcadeModule } from "../../deploy/modules/arcade.ts";
import { makeGameNftModuleId } from "../../deploy/modules/game-nft.ts";
import { findParameterFaults, makeLocalParameters, makePublicParameters } from "../../deploy/modules/parameters.ts";

const address = (n: number): `0x${string}` => `0x${n.toString(16).padStart(40, "0")}`;

const roles = {
  admin: address(0xa1),
  guardian: address(0xa2),
  operator: address(0xa3),
  treasury: address(0xa4),
  signers: {
    identity: address(0xb1),
    score: address(0xb2),
    nft: { shellrunners: address(0xb3), flappybots: address(0xb4) },
  },
  publicUrl: "http://127.0.0.1:4100",
};

describe("deploy the modules", () => {
  it("deploys, funds the float and leaves the deployer without power or tokens", async () => {
    const { ethers, ignition } = await network.create();
    const parameters = makeLocalParameters(roles);
    const deployed = await ignition.deploy(makeArcadeModule(parameters));
    const [deployer] = await ethers.getSigners();
    const token = await ethers.getContractAt("RewardToken", await deployed.token.getAddress());
    const rewards = await ethers.getContractAt("RewardsV2", await deployed.rewards.getAddress());
    expect(await token.balanceOf(rewards)).to.equal(parameters.float);
    expect(await token.balanceOf(roles.treasury)).to.equal(parameters.token.supply - parameters.float);
    expect(await token.balanceOf(deployer!)).to.equal(0n);
    const admin = await rewards.DEFAULT_ADMIN_ROLE();
    for (const name of ["rewards", "identity", "GameNFT_shellrunners", "GameNFT_flappybots"]) {
      const guarded = await ethers.getContractAt("RewardsV2", await deployed[name]!.getAddress());
      expect(await guarded.defaultAdmin(), name).to.equal(ethers.getAddress(roles.admin));
      expect(await guarded.hasRole(admin, deployer!), name).to.equal(false);
      expect(await guarded.hasRole(await guarded.GUARDIAN_ROLE(), roles.guardian), name).to.equal(true);
    }
    expect(await rewards.hasRole(await rewards.OPERATOR_ROLE(), roles.operator)).to.equal(true);
  });

  it("gives every contract its own signer, domain and metadata address", async () => {
    const { ethers, ignition } = await network.create();
    const deployed = await ignition.deploy(makeArcadeModule(makeLocalParameters(roles)));
    const identity = await ethers.getContractAt("AgentIdentity", await deployed.identity.getAddress());
    expect((await identity.signer()).account).to.equal(ethers.getAddress(roles.signers.identity));
    expect(await identity.baseURI()).to.equal("http://127.0.0.1:4100/api/metadata/identity/");
    for (const { slug, nft } of games) {
      const contract = await ethers.getContractAt("GameNFT", await deployed[makeGameNftModuleId(slug)]!.getAddress());
      expect((await contract.eip712Domain()).name).to.equal(`GameNFT:${slug}`);
      expect((await contract.signer()).account).to.equal(ethers.getAddress(roles.signers.nft[slug as "flappybots"]));
      expect(await contract.thresholds()).to.deep.equal(nft.tiers.map(({ minScore }) => BigInt(minScore)));
      expect(await contract.name()).to.equal(nft.name);
      expect((await contract.royaltyInfo(1n, 10_000n))[0]).to.equal(ethers.getAddress(roles.treasury));
    }
  });
});

describe("check deployment parameters", () => {
  const local = makeLocalParameters(roles);
  const production = makePublicParameters(roles);

  it("accepts the parameters for local and public chains", () => {
    expect(findParameterFaults(local, 31337)).to.deep.equal([]);
    expect(findParameterFaults(production, 84532)).to.deep.equal([]);
  });

  it("names every fault at once", () => {
    expect(findParameterFaults(local, 84532)).to.have.length(2);
    const faults = findParameterFaults(
      {
        ...local,
        float: local.token.supply + 1n,
        signers: { identity: roles.operator, score: roles.signers.score, nft: {} },
        rewards: { ...local.rewards, dailyCap: 2n, weeklyCap: 1n },
      },
      31337,
    );
    expect(faults.map((fault) => fault.split(":")[0])).to.deep.equal([
      "float",
      "dailyCap",
      "dailyCap",
      ...games.map(() => "signers.nft"),
      "signers",
    ]);
  });
});
