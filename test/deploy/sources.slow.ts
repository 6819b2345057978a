import { join } from "node:path";
import { expect } from "chai";
import { createRuntime } from "../../deploy/public/hardhat.ts";
import { findSilence, verifySources } from "../../deploy/public/verify.ts";
import type { DeploymentRecord } from "../../deploy/record.ts";
import { compileContracts } from "../../scripts/start/build.ts";
import { startExplorer } from "./explorer.ts";
import { createDeployOptions, openTestnet, runDeployment, type Testnet } from "./job.ts";
import { createTestAccounts, runCommand } from "./testnet.ts";

describe("publish the sources", () => {
  const { people, roles } = createTestAccounts();
  let testnet: Testnet;
  let chain: Testnet["chain"];
  let place: Testnet["place"];
  let job: ReturnType<typeof createDeployOptions>;
  let record: DeploymentRecord;

  before(async () => {
    await compileContracts();
    testnet = await openTestnet({ people, roles });
    ({ chain, place } = testnet);
    job = createDeployOptions(chain, people.deployer, roles, place.folder);
    record = await runDeployment(job);
  });
  after(() => testnet.close());

  let explorer: Awaited<ReturnType<typeof startExplorer>>;
  afterEach(() => explorer.close());

  const listUrls = (): readonly string[] => [
    ...["--etherscan-url", explorer.etherscanUrl, "--blockscout-url", explorer.blockscoutUrl],
    ...["--sourcify-url", explorer.sourcifyUrl],
  ];
  const publish = async (only: string, attempts: number, maxMs = 60_000) => {
    const { etherscanUrl: etherscan, blockscoutUrl: blockscout, sourcifyUrl: sourcify } = explorer;
    const place = { network: job.network, rpcUrl: chain.rpcUrl, explorers: { etherscan, blockscout, sourcify } };
    const runtime = await createRuntime({ ...place, etherscanKey: "test-key" });
    const contracts = Object.fromEntries(Object.entries(record.contracts).filter(([name]) => name.includes(only)));
    return await verifySources({
      runtime,
      attempts,
      initialDelayMs: 1,
      maxMs,
      onOutcome: () => {},
      contracts,
      explorers: ["sourcify", "etherscan", "blockscout"],
    });
  };

  it("submits every contract to all explorers, retries a busy one, and then finds it published", async () => {
    explorer = await startExplorer(1);
    const first = await publish("", 3);
    expect(first.map(({ verified, attempts, reason }) => ({ verified, attempts, reason }))).to.deep.equal(
      Array.from({ length: 15 }, () => ({ verified: true, attempts: 2, reason: null })),
    );
    for (const name of ["etherscan", "blockscout"]) {
      const rewards = explorer.submissions.find((one) => one.explorer === name && one.contract.endsWith("RewardsV2"))!;
      expect(rewards.address).to.equal(record.rewards.toLowerCase());
      expect(rewards.constructorArguments).to.include(people.score.address.slice(2).toLowerCase());
      expect(rewards.sources.join()).to.include("PayoutRule.sol").and.to.not.include("GameNFT.sol");
    }
    const submitted = explorer.submissions.length;
    expect((await publish("Rewards", 1)).every(({ verified }) => verified)).to.equal(true);
    expect(explorer.submissions).to.have.length(submitted);
  });

  it("reports why an explorer rejected it, without throwing", async () => {
    explorer = await startExplorer(9);
    const outcomes = await publish("Token", 2);
    expect(outcomes.map(({ verified, attempts }) => [verified, attempts])).to.deep.equal([
      [false, 2],
      [false, 2],
      [false, 2],
    ]);
    expect(outcomes[0]!.reason).to.include("busy");
    expect(outcomes[1]!.reason).to.include("Max rate limit reached");
  });

  it("gives up an explorer that takes the request and never answers", async () => {
    explorer = await startExplorer(0, { isSilent: true });
    expect(await findSilence(explorer.sourcifyUrl, 500)).to.equal("no answer within 0.5 s");
    const outcomes = await publish("Token", 5, 500);
    expect(outcomes.map(({ verified, attempts, reason }) => ({ verified, attempts, reason }))).to.deep.equal(
      Array.from({ length: 3 }, () => ({ verified: false, attempts: 1, reason: "no answer within 0.5 s" })),
    );
    expect(explorer.submissions).to.deep.equal([]);
  });

  it("publishes an existing deployment with the command, without a key or transactions", async () => {
    explorer = await startExplorer(0);
    const sent = () => chain.client.getTransactionCount({ address: people.deployer.address });
    const before = await sent();
    const args = ["--network", "baseSepolia", "--rpc", chain.rpcUrl, "--verify-only", "--json"];
    const urls = listUrls();
    const env = { ETHERSCAN_API_KEY: "test-key" };
    const outcome = await runCommand("deploy", [...args, ...urls, "--out", place.folder], env);
    expect(outcome.code, outcome.stderr).to.equal(0);
    const { ok, verification } = outcome.json as { ok: boolean; verification: { verified: boolean }[] };
    expect(ok).to.equal(true);
    expect(verification.map(({ verified }) => verified)).to.deep.equal(Array.from({ length: 15 }, () => true));
    expect(explorer.submissions).to.have.length(15);
    expect(await sent()).to.equal(before);

    const missing = await runCommand("deploy", [...args, ...urls, "--out", join(place.folder, "elsewhere")], env);
    expect(missing.code).to.equal(2);
    expect(missing.json!.error).to.include("there is no");
  });

  it("publishes a timelock with its arguments, including an existing one", async () => {
    explorer = await startExplorer(0);
    const common = ["timelock", "--network", "baseSepolia", "--rpc", chain.rpcUrl, "--confirmations", "1", "--json"];
    const urls = [...listUrls(), "--out", place.folder];
    const env = { ETHERSCAN_API_KEY: "test-key", ARCADE_DEPLOYER_KEY: people.deployer.key };
    const publishTimelock = async () => {
      const proposers = ["--proposers", people.admin.address, "--yes"];
      const outcome = await runCommand("deploy", [...common, ...urls, ...proposers], env);
      expect(outcome.code, outcome.stderr).to.equal(0);
      return outcome.json as { address: string; verification: { name: string; verified: boolean }[] };
    };
    const { address, verification } = await publishTimelock();
    expect(verification.map(({ name, verified }) => [name, verified])).to.deep.equal([
      ["TimelockController", true],
      ["TimelockController", true],
      ["TimelockController", true],
    ]);
    const atEtherscan = explorer.submissions.find((one) => one.explorer === "etherscan")!;
    expect(atEtherscan).to.include({ address: address.toLowerCase() });
    expect(atEtherscan.contract).to.include("TimelockController");
    expect(atEtherscan.constructorArguments).to.include(people.admin.address.slice(2).toLowerCase());
    expect((await publishTimelock()).verification.every(({ verified }) => verified)).to.equal(true);
    expect(explorer.submissions).to.have.length(3);
  });
});
