import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { keccak256, parseAbi } from "viem";
import { type LocalChain, startLocalChain } from "../../../backend/adapters/chain/local-chain.ts";
import { developmentAccount } from "../../../backend/config/dev-keys.ts";
import { games } from "../../../backend/games/index.ts";
import { deployLocal } from "../../../deploy/deploy.ts";
import { readDeployment } from "../../../deploy/record.ts";
import { ABI_FILE, renderAbi } from "../../../scripts/abi/render.ts";
import { testAccounts } from "./accounts.ts";
import { clientOf, testKeys } from "./world.ts";

const VIEWS = parseAbi([
  "function floatBalance() view returns (uint256)",
  "function hasRole(bytes32 role, address account) view returns (bool)",
  "function OPERATOR_ROLE() view returns (bytes32)",
  "function isSigner(address account) view returns (bool)",
  "function slug() view returns (string)",
  "function baseURI() view returns (string)",
]);

describe("deploying to the local chain", function () {
  this.timeout(30_000);
  let dataDir: string;
  let chain: LocalChain;
  const start = (fresh = false) =>
    startLocalChain({ dataDir, port: 0, whenBusy: "fail", accounts: testAccounts, fresh });
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

  it("puts every contract on chain and says the truth about it", async () => {
    const { deployment, reused } = await deploy();
    const client = clientOf(chain.rpcUrl);
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

  it("funds the float and gives each duty its own key", async () => {
    const { deployment } = await deploy();
    const client = clientOf(chain.rpcUrl);
    const read = (address: `0x${string}`, functionName: "floatBalance" | "OPERATOR_ROLE" | "slug") =>
      client.readContract({ address, abi: VIEWS, functionName });
    expect(await read(deployment.rewards, "floatBalance")).to.equal(500_000_000n * 10n ** 18n);
    const [operator, score] = [developmentAccount(102).address, developmentAccount(104).address];
    const role = (await read(deployment.rewards, "OPERATOR_ROLE")) as `0x${string}`;
    const holds = { address: deployment.rewards, abi: VIEWS, functionName: "hasRole", args: [role, operator] } as const;
    expect(await client.readContract(holds)).to.equal(true);
    const signs = { address: deployment.rewards, abi: VIEWS, functionName: "isSigner", args: [score] } as const;
    expect(await client.readContract(signs)).to.equal(true);
    for (const { slug } of games) expect(await read(deployment.nft[slug]!, "slug")).to.equal(slug);
    expect(await client.getBalance({ address: operator })).to.equal(10_000n * 10n ** 18n);
  });

  it("finds everything again after a restart, and sends nothing", async () => {
    const first = await deploy();
    await chain.close();
    chain = await start();
    const before = await chain.request("eth_blockNumber");
    const again = await deploy();
    expect(again).to.deep.equal({ deployment: first.deployment, reused: true });
    expect(await chain.request("eth_blockNumber")).to.equal(before);
  });

  it("moves the metadata when the service has another address", async () => {
    const first = await deploy();
    const moved = await deploy("http://127.0.0.1:2");
    expect(moved.reused).to.equal(true);
    expect(moved.deployment).to.deep.equal({ ...first.deployment, publicUrl: "http://127.0.0.1:2" });
    const client = clientOf(chain.rpcUrl);
    const baseURI = { address: moved.deployment.identity, abi: VIEWS, functionName: "baseURI" } as const;
    expect(await client.readContract(baseURI)).to.equal("http://127.0.0.1:2/api/metadata/identity/");
  });

  it("deploys again on a fresh chain and for other keys", async () => {
    const first = await deploy();
    const other = { ...testKeys, score: developmentAccount(150).privateKey };
    const rekeyed = await deploy("http://127.0.0.1:1", other);
    expect(rekeyed.reused).to.equal(false);
    expect(rekeyed.deployment.rewards).not.to.equal(first.deployment.rewards);
    await chain.close();
    chain = await start(true);
    expect((await deploy()).reused).to.equal(false);
  });
});

describe("the ABI of the backend", () => {
  it("is what the compiled contracts say (npm run abi)", async () => {
    expect(await readFile(ABI_FILE, "utf8")).to.equal(renderAbi());
  });
});
