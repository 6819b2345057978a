import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CROSS_CHAIN_SEAPORT_V1_6_ADDRESS } from "@opensea/seaport-js/lib/constants.js";
import { expect } from "chai";
import { parseAbi } from "viem";
import { deployLocal } from "../../deploy/execute-local.ts";
import { readDeployment, writeDeployment } from "../../deploy/record.ts";
import { CANONICAL_SEAPORT, findSeaport } from "../../deploy/seaport.ts";
import { games } from "../../games/index.ts";
import { type LocalChain, startLocalChain } from "../../local-chain/local-chain.ts";
import { testAccounts } from "../adapters/chain/accounts.ts";
import { createChainClient, testKeys } from "../adapters/chain/chain-fixture.ts";

const ABI = parseAbi([
  "function information() view returns (string version, bytes32 domainSeparator, address conduitController)",
  "function name() view returns (string)",
]);

describe("Seaport", () => {
  let dataDir: string;
  let chain: LocalChain;
  const path = () => join(dataDir, "deployment.json");
  const deploy = () =>
    deployLocal({ rpcUrl: chain.rpcUrl, keys: testKeys, path: path(), publicUrl: "http://127.0.0.1:1", games });
  const start = () => startLocalChain({ dataDir, port: 0, whenBusy: "fail", accounts: testAccounts });

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "arcade-seaport-"));
    chain = await start();
  });
  after(async () => {
    await chain.close();
    await rm(dataDir, { recursive: true });
  });

  it("is deployed on a local chain from its package, with its conduit controller", async () => {
    const { deployment } = await deploy();
    const client = createChainClient(chain.rpcUrl);
    const seaport = { address: deployment.market!, abi: ABI } as const;
    expect(await client.readContract({ ...seaport, functionName: "name" })).to.equal("Seaport");
    const [version, , controller] = await client.readContract({ ...seaport, functionName: "information" });
    expect(version).to.equal("1.6");
    expect(await client.getCode({ address: controller })).to.have.length.greaterThan(1000);
    expect((await readDeployment(path()))?.market).to.equal(deployment.market);
  });

  it("is found again after a restart", async () => {
    const { deployment } = await deploy();
    await chain.close();
    chain = await start();
    const before = await chain.request("eth_blockNumber");
    expect(await deploy()).to.deep.equal({ deployment, reused: true });
    expect(await chain.request("eth_blockNumber")).to.equal(before);
  });

  it("is added to a deployment that has none, or whose market is something else", async () => {
    const { deployment } = await deploy();
    for (const market of [null, deployment.token, "0x00000000000000000000000000000000000000ff"] as const) {
      await writeDeployment(path(), { ...deployment, market });
      const { deployment: updated, reused } = await deploy();
      expect(reused).to.equal(true);
      expect(updated.market).to.not.be.oneOf([market, null]);
      expect(updated).to.deep.equal({ ...deployment, market: updated.market });
      expect(await readDeployment(path())).to.deep.equal(updated);
    }
  });

  it("is looked up at its canonical address on other chains", async () => {
    const { deployment } = await deploy();
    const client = createChainClient(chain.rpcUrl);
    expect(CANONICAL_SEAPORT).to.equal(CROSS_CHAIN_SEAPORT_V1_6_ADDRESS);
    expect(await findSeaport(client)).to.equal(null);
    const copyCode = async (address: `0x${string}`) =>
      chain.request("hardhat_setCode", [CANONICAL_SEAPORT, (await client.getCode({ address }))!]);
    await copyCode(deployment.token);
    expect(await findSeaport(client)).to.equal(null);
    await copyCode(deployment.market!);
    expect(await findSeaport(client)).to.equal(CANONICAL_SEAPORT);
  });
});
