import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { type Abi, type Address, keccak256, parseAbi } from "viem";
import { developmentAccount } from "../../../backend/config/dev-keys.ts";
import { deployLocal } from "../../../deploy/execute-local.ts";
import { readDeployment } from "../../../deploy/record.ts";
import { games } from "../../../games/index.ts";
import { type LocalChain, startLocalChain } from "../../../local-chain/local-chain.ts";
import { testAccounts } from "./accounts.ts";
import { createChainClient, testKeys } from "./chain-fixture.ts";

const VIEWS = parseAbi([
  "function floatBalance() view returns (uint256)",
  "function hasRole(bytes32 role, address account) view returns (bool)",
  "function OPERATOR_ROLE() view returns (bytes32)",
  "function isSigner(address account) view returns (bool)",
  "function slug() view returns (string)",
  "function baseURI() view returns (string)",
]);

describe("deploying to the local chain", () => {
  let dataDir: string;
  let chain: LocalChain;
  const start = (fresh = false) =>
    startLocalChain({ dataDir, port: 0, whenBusy: "fail", accounts: testAccounts, fresh });
  const read = (address: Address, functionName: string, ...args: readonly unknown[]) =>
    createChainClient(chain.rpcUrl).readContract({ address, abi: VIEWS as Abi, functionName, args });
  const deploy = (publicUrl = "http://127.0.0.1:1", keys = testKeys) =>
    deployLocal({ rpcUrl: chain.rpcUrl, keys, path: join(dataDir, "deployment.json"), publicUrl, games });

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "arcade-deploy-"));
    chain = await start();
  });
  afterEach(async () => {
    await chain.close();
    await rm(dataDir, { recursive: true });
  });

  it("the deployment puts every contract on chain and records its address", async () => {
    const { deployment, reused } = await deploy();
    const client = createChainClient(chain.rpcUrl);
    expect(reused).to.equal(false);
    expect(Object.keys(deployment.nft)).to.deep.equal(games.map(({ slug }) => slug));
    expect(Object.keys(deployment.contracts)).to.have.length(3 + games.length);
    for (const { address, block, txHash, codeHash } of Object.values(deployment.contracts)) {
      expect(keccak256((await client.getCode({ address }))!)).to.equal(codeHash);
      const receipt = await client.getTransactionReceipt({ hash: txHash });
      expect(receipt.contractAddress?.toLowerCase()).to.equal(address.toLowerCase());
      expect(Number(receipt.blockNumber)).to.equal(block).and.to.be.at.least(deployment.startBlock);
    }
    expect(await readDeployment(join(dataDir, "deployment.json"))).to.deep.equal(deployment);
  });

  it("the deployment funds the float and gives each role its own key", async () => {
    const { deployment } = await deploy();
    expect(await read(deployment.rewards, "floatBalance")).to.equal(500_000_000n * 10n ** 18n);
    const [operator, score] = [developmentAccount(102).address, developmentAccount(104).address];
    const role = await read(deployment.rewards, "OPERATOR_ROLE");
    expect(await read(deployment.rewards, "hasRole", role, operator)).to.equal(true);
    expect(await read(deployment.rewards, "isSigner", score)).to.equal(true);
    for (const { slug } of games) expect(await read(deployment.nft[slug]!, "slug")).to.equal(slug);
    const client = createChainClient(chain.rpcUrl);
    expect(await client.getBalance({ address: operator })).to.equal(10_000n * 10n ** 18n);
  });

  it("a second run finds every contract and sends nothing", async () => {
    const first = await deploy();
    await chain.close();
    chain = await start();
    const before = await chain.request("eth_blockNumber");
    const again = await deploy();
    expect(again).to.deep.equal({ deployment: first.deployment, reused: true });
    expect(await chain.request("eth_blockNumber")).to.equal(before);
  });

  it("a run with another service URL changes the metadata URLs", async () => {
    const first = await deploy();
    const moved = await deploy("http://127.0.0.1:2");
    expect(moved.reused).to.equal(true);
    expect(moved.deployment).to.deep.equal({ ...first.deployment, publicUrl: "http://127.0.0.1:2" });
    expect(await read(moved.deployment.identity, "baseURI")).to.equal("http://127.0.0.1:2/api/metadata/agent/");
  });

  it("a run on a new chain or with other keys deploys again", async () => {
    const first = await deploy();
    const other = { ...testKeys, score: developmentAccount(150).privateKey };
    const rekeyed = await deploy("http://127.0.0.1:1", other);
    expect(rekeyed.reused).to.equal(false);
    expect(rekeyed.deployment.rewards).not.to.equal(first.deployment.rewards);
    await chain.close();
    chain = await start(true);
    expect((await deploy()).reused).to.equal(false);
  });

  it("adds the contract of a new game to a used chain and changes nothing else", async () => {
    const first = await deploy();
    const game = { slug: "ping-pong", nft: { name: "Ping Pong", symbol: "PING", tiers: [{ minScore: 10 }] } };
    const options = { path: join(dataDir, "deployment.json"), publicUrl: "http://127.0.0.1:1" };
    const keys = { ...testKeys, nft: { ...testKeys.nft, [game.slug]: developmentAccount(151).privateKey } };
    const grow = () =>
      deployLocal({ ...options, whenChanged: "fail", rpcUrl: chain.rpcUrl, keys, games: [...games, game] });
    const { deployment, reused } = await grow();
    expect(reused).to.equal(true);
    const address = deployment.nft[game.slug]!;
    expect(deployment).to.deep.equal({
      ...first.deployment,
      fingerprint: deployment.fingerprint,
      nft: { ...first.deployment.nft, [game.slug]: address },
      contracts: {
        ...first.deployment.contracts,
        "GameNFT_ping_pong.GameNFT": deployment.contracts["GameNFT_ping_pong.GameNFT"],
      },
    });
    expect(await read(address, "slug")).to.equal(game.slug);
    expect(await grow()).to.deep.equal({ deployment, reused: true });
  });
});
