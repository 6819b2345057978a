import { expect } from "chai";
import { type BaseContract, getAddress } from "ethers";
import { network } from "hardhat";
import { createArcadeModule } from "../../deploy/modules/ignition.ts";
import { toGameNftModuleId } from "../../deploy/modules/names.ts";
import { findParameterErrors, findParameterWarnings } from "../../deploy/modules/parameter-errors.ts";
import {
  createLocalParameters,
  createPublicParameters,
  createTestnetParameters,
} from "../../deploy/modules/parameters.ts";
import { games } from "../../games/index.ts";
import type { Connection } from "./helpers/arcade.ts";
import type { AnyContract } from "./helpers/contract.ts";

const address = (n: number): `0x${string}` => `0x${n.toString(16).padStart(40, "0")}`;

const at = async (connection: Connection, name: string, contract: BaseContract | undefined): Promise<AnyContract> =>
  (await connection.ethers.getContractAt(name, await contract!.getAddress())) as unknown as AnyContract;

/** Deploys with the local parameters; the contracts by their names in the module. */
async function deployLocal(connection: Connection) {
  const parameters = createLocalParameters(roles);
  const deployed = await connection.ignition.deploy(createArcadeModule(parameters));
  return { parameters, deployed: deployed as { [name: string]: BaseContract } };
}

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
const publicRoles = { ...roles, publicUrl: "https://arcade.example" };

describe("deploy the modules", () => {
  it("deploys, funds the float and leaves the deployer without power or tokens", async () => {
    const connection = await network.create();
    const { parameters, deployed } = await deployLocal(connection);
    const [deployer] = await connection.ethers.getSigners();
    const token = await at(connection, "RewardToken", deployed.token);
    const rewards = await at(connection, "RewardsV2", deployed.rewards);
    expect(await token.balanceOf(rewards)).to.equal(parameters.float);
    expect(await token.balanceOf(roles.treasury)).to.equal(parameters.token.supply - parameters.float);
    expect(await token.balanceOf(deployer)).to.equal(0n);
    const admin = await rewards.DEFAULT_ADMIN_ROLE();
    for (const name of ["rewards", "identity", ...games.map(({ slug }) => toGameNftModuleId(slug))]) {
      const guarded = await at(connection, "RewardsV2", deployed[name]);
      expect(await guarded.defaultAdmin(), name).to.equal(getAddress(roles.admin));
      expect(await guarded.hasRole(admin, deployer), name).to.equal(false);
      expect(await guarded.hasRole(await guarded.GUARDIAN_ROLE(), roles.guardian), name).to.equal(true);
    }
    expect(await rewards.hasRole(await rewards.OPERATOR_ROLE(), roles.operator)).to.equal(true);
  });

  it("gives every contract its own signer, domain and metadata address", async () => {
    const connection = await network.create();
    const { deployed } = await deployLocal(connection);
    const identity = await at(connection, "AgentIdentity", deployed.identity);
    expect((await identity.signer()).account).to.equal(getAddress(roles.signers.identity));
    expect(await identity.baseURI()).to.equal("http://127.0.0.1:4100/api/metadata/agent/");
    for (const { slug, nft } of games) {
      const contract = await at(connection, "GameNFT", deployed[toGameNftModuleId(slug)]);
      expect((await contract.eip712Domain()).name).to.equal(`GameNFT:${slug}`);
      expect((await contract.signer()).account).to.equal(getAddress(roles.signers.nft[slug as "flappybots"]));
      expect(await contract.thresholds()).to.deep.equal(nft.tiers.map(({ minScore }) => BigInt(minScore)));
      expect(await contract.name()).to.equal(nft.name);
      expect((await contract.royaltyInfo(1n, 10_000n))[0]).to.equal(getAddress(roles.treasury));
    }
  });
});

describe("check deployment parameters", () => {
  const local = createLocalParameters(roles);
  const production = createPublicParameters(publicRoles);

  it("accepts the parameters for local and public chains", () => {
    expect(findParameterErrors(local, "local")).to.deep.equal([]);
    expect(findParameterErrors(production, "mainnet")).to.deep.equal([]);
  });

  it("accepts the public hosts beside the private ones", () => {
    for (const host of ["172.15.0.1", "172.32.0.1", "169.253.1.1", "9.9.9.9", "[2606:4700::1111]", "local.example"])
      expect(findParameterErrors({ ...production, publicUrl: `https://${host}` }, "mainnet"), host).to.deep.equal([]);
  });

  it("accepts minutes, http and private hosts on a testnet, with a warning, and no shorter delay", () => {
    const testnet = createTestnetParameters({ ...publicRoles, publicUrl: "http://127.0.0.1:4100" });
    expect(findParameterErrors(testnet, "testnet")).to.deep.equal([]);
    expect(findParameterErrors(testnet, "mainnet")).to.have.length(3);
    expect(findParameterWarnings(testnet)[0]).to.include("publicUrl: wallets and explorers cannot load");
    expect(findParameterWarnings({ ...testnet, publicUrl: "https://arcade.example" })).to.deep.equal([]);
    const errors = (seconds: number) => findParameterErrors({ ...testnet, signerDelaySeconds: seconds }, "testnet");
    expect([errors(60).length, errors(59)]).to.deep.equal([
      0,
      ["signerDelaySeconds: at least 60 on a testnet, received 59"],
    ]);
  });

  it("warns of a day's cap above the float, and of nothing in the parameters for public chains", () => {
    expect(findParameterWarnings(production)).to.deep.equal([]);
    const float = production.rewards.dailyCap - 1n;
    expect(findParameterWarnings({ ...production, float })).to.have.length(1);
  });

  it("names every fault at once", () => {
    expect(findParameterErrors(local, "mainnet")).to.have.length(3);
    const errors = findParameterErrors(
      {
        ...local,
        float: local.token.supply + 1n,
        signers: { identity: roles.operator, score: roles.signers.score, nft: {} },
        rewards: { ...local.rewards, dailyCap: 2n, weeklyCap: 1n },
      },
      "local",
    );
    expect(errors.map((error) => error.split(":")[0])).to.deep.equal([
      "dailyCap",
      "dailyCap",
      "float",
      ...games.map(() => "signers.nft"),
      "signers",
    ]);
  });

  const { rewards } = production;
  const cases: readonly [string, object][] = [
    ["publicUrl: at most 96 bytes", { publicUrl: `https://${"a".repeat(80)}.example` }],
    ...[
      ...["127.0.0.1", "0.0.0.0", "10.1.2.3", "100.64.0.1", "169.254.169.254", "172.16.0.1", "172.31.255.254"],
      ...["192.168.1.1", "2130706433", "[::]", "[::1]", "[fd00::1]", "[fe80::1]", "[febf::1]", "[::ffff:10.0.0.1]"],
      ...["localhost", "localhost.", "arcade", "arcade.local", "arcade.localhost", "arcade.internal", "a.home.arpa"],
    ].map((host): [string, object] => ["publicUrl: an https URL", { publicUrl: `https://${host}` }]),
    ["publicUrl: an https URL", { publicUrl: "http://arcade.example" }],
    ["adminDelaySeconds: at most", { adminDelaySeconds: 315_360_000 }],
    ["payoutCooldownSeconds: from 1", { rewards: { ...rewards, payoutCooldownSeconds: 0 } }],
    ["payoutCooldownSeconds: from 1", { rewards: { ...rewards, payoutCooldownSeconds: 2 * 365 * 86_400 } }],
    ["maxPayout: smaller than what the minimum", { rewards: { ...rewards, minScore: 600_000n } }],
    ["weeklyCap: at most", { rewards: { ...rewards, weeklyCap: 2n ** 40n * rewards.scoreToTokenRate } }],
    ["dailyCap: larger than weeklyCap", { rewards: { ...rewards, weeklyCap: rewards.dailyCap - 1n } }],
    ["royaltyBasisPoints: at most 1000", { royaltyBasisPoints: 1_001 }],
  ];
  for (const [message, change] of cases) {
    it(`refuses ${JSON.stringify(change, (_, value) => (typeof value === "bigint" ? `${value}` : value)).slice(0, 60)}: ${message}`, () => {
      const errors = findParameterErrors({ ...production, ...change }, "mainnet");
      expect(errors).to.have.length(1);
      expect(errors[0]).to.include(message);
    });
  }
});
