import { expect } from "chai";
import { parseAbi, zeroAddress } from "viem";
import { developmentAccount } from "../../backend/config/dev-keys.ts";
import { checkHandOver } from "../../deploy/public/hand-over.ts";
import type { DeploymentRecord } from "../../deploy/record.ts";
import { runChecks } from "../../scripts/doctor/run-checks.ts";
import { type DoctorTarget, loadTarget } from "../../scripts/doctor/target.ts";
import { useShared } from "../helpers/fixture.ts";
import { createDeployOptions, FUNDED_BALANCE_WEI, openTestnet, runDeployment, type Testnet } from "./job.ts";
import { createTestAccounts, toSecretsEnv } from "./testnet.ts";

const ADMIN_ABI = parseAbi([
  "function setCaps(uint256 dailyCap, uint256 weeklyCap)",
  "function withdraw(address to, uint256 amount)",
  "function revokeSigner(address account)",
  "function revokeRole(bytes32 role, address account)",
  "function GUARDIAN_ROLE() view returns (bytes32)",
  "function OPERATOR_ROLE() view returns (bytes32)",
  "function maxPayout() view returns (uint256)",
  "function transfer(address to, uint256 amount) returns (bool)",
]);

describe("examine a deployment", () => {
  const { people, roles } = createTestAccounts();
  let chain: Testnet["chain"];
  let workspace: Testnet["place"];
  let job: ReturnType<typeof createDeployOptions>;
  let record: DeploymentRecord;
  let snapshot: `0x${string}`;

  const testnet = useShared(() =>
    openTestnet({ people, roles }, [people.deployer, people.admin, people.guardian, people.operator, people.treasury]),
  );
  before(async () => {
    ({ chain, place: workspace } = testnet);
    job = createDeployOptions(chain, people.deployer, roles, workspace.folder);
    record = await runDeployment(job);
  });
  beforeEach(async () => {
    snapshot = await chain.client.snapshot();
  });
  afterEach(() => chain.client.revert({ id: snapshot }));

  const send = async (
    from: keyof typeof people,
    functionName: string,
    args: readonly unknown[],
    to = record.rewards,
  ) => {
    const account = people[from] as typeof people.admin;
    const hash = await chain.client.writeContract({
      account,
      address: to,
      abi: ADMIN_ABI,
      functionName,
      args,
    } as never);
    expect((await chain.client.waitForTransactionReceipt({ hash })).status).to.equal("success");
  };
  const read = (functionName: "GUARDIAN_ROLE" | "OPERATOR_ROLE" | "maxPayout") =>
    chain.client.readContract({ address: record.rewards, abi: ADMIN_ABI, functionName });
  /** Ids of the problems, except for the admin being a plain key and the comparison with the file of roles. */
  const runDoctor = async (
    change: (target: DoctorTarget) => Partial<DoctorTarget> = () => ({}),
    env: NodeJS.ProcessEnv = {},
  ) => {
    const secrets = { ...toSecretsEnv(people), ...env };
    const target = await loadTarget({ network: job.network, rpcUrl: chain.rpcUrl }, job.recordPath, secrets);
    const now = Number((await chain.client.getBlock()).timestamp) * 1000;
    const targetAtBlockTime = { ...target, nowMs: () => now };
    const findings = await runChecks({ ...targetAtBlockTime, ...change(targetAtBlockTime) });
    const problems = findings.filter(({ id, status }) => status !== "ok" && !/^(admin\.[\w.]+|decided)$/.test(id));
    expect(problems.every(({ next }) => next !== null)).to.equal(true);
    return problems.map(({ id, status }) => `${status} ${id}`);
  };

  it("finds nothing in a healthy deployment", async () => expect(await runDoctor()).to.deep.equal([]));

  it("finds wrong and missing code", async () => {
    await chain.client.setCode({ address: record.token, bytecode: "0x00" });
    await chain.client.setCode({ address: record.identity, bytecode: "0x" });
    expect(await runDoctor()).to.deep.equal(["fault code.Token.RewardToken", "fault code.Identity.AgentIdentity"]);
  });

  it("finds an addresses file that contradicts itself", async () => {
    const swap = ({ record: one }: DoctorTarget) => ({
      record: { ...one, rewards: one.identity, identity: one.rewards },
    });
    expect(await runDoctor(swap)).to.deep.equal(["fault address.identity", "fault address.rewards"]);
  });

  it("finds domains that are not the backend's", async () => {
    const found = await runDoctor(({ record: one }) => ({ record: { ...one, chainId: 1 } }));
    const names = ["identity", "nft.shellrunners", "nft.flappybots", "rewards"];
    expect(found).to.have.members(names.map((name) => `fault domain.${name}`));
  });

  it("finds keys that are public, not accepted, or missing", async () => {
    const known = { ARCADE_SCORE_SIGNER_KEY: developmentAccount(0).privateKey };
    expect(await runDoctor(undefined, known)).to.deep.equal(["fault signer.rewards.known", "fault signer.rewards"]);
    expect(await runDoctor(undefined, { ARCADE_IDENTITY_SIGNER_KEY: "" })).to.deep.equal(["skipped signer.identity"]);
    await send("guardian", "revokeSigner", [people.score.address]);
    expect(await runDoctor()).to.deep.equal(["fault signer.rewards.none", "fault signer.rewards"]);
  });

  it("finds an operator and a guardian without their roles", async () => {
    await send("admin", "revokeRole", [await read("OPERATOR_ROLE"), people.operator.address]);
    await send("admin", "revokeRole", [await read("GUARDIAN_ROLE"), people.guardian.address]);
    expect(await runDoctor()).to.deep.equal(["fault operator", "warning guardian.rewards"]);
  });

  it("finds caps and a float that allow no payout", async () => {
    // The minimum score earns one token, and a payout takes at most 50.
    const tokens = (amount: bigint) => amount * 10n ** 18n;
    await send("guardian", "setCaps", [tokens(5_000n), tokens(5_000n)]);
    expect(await runDoctor()).to.deep.equal([]);
    await send("guardian", "setCaps", [tokens(1n), tokens(5_000n)]);
    expect(await runDoctor()).to.deep.equal(["warning caps"]);
    await send("guardian", "setCaps", [0n, tokens(5_000n)]);
    expect(await runDoctor()).to.deep.equal(["fault caps", "warning caps.today"]);
    await send("admin", "setCaps", [tokens(5_000n), tokens(5_000n)]);
    const most = (await read("maxPayout")) as bigint;
    let float = job.parameters.float;
    for (const [left, finding] of [
      [tokens(5_000n), []],
      [tokens(5_000n) - 1n, ["warning float"]],
      [most, ["warning float"]],
      [most - 1n, ["fault float"]],
    ] as const) {
      await send("admin", "withdraw", [people.treasury.address, float - left]);
      float = left;
      expect(await runDoctor(), `${left}`).to.deep.equal(finding);
    }
  });

  it("finds an operator that runs out of gas money or has waiting transactions", async () => {
    await chain.client.setBalance({ address: people.operator.address, value: 10n ** 15n });
    expect(await runDoctor()).to.deep.equal(["fault balance.operator"]);
    await chain.client.setBalance({ address: people.operator.address, value: FUNDED_BALANCE_WEI });
    await chain.client.setAutomine(false);
    await chain.client.sendTransaction({ account: people.operator, to: zeroAddress, value: 0n, gas: 21_000n });
    expect(await runDoctor()).to.deep.equal(["warning pending"]);
    await chain.client.setAutomine(true);
    await chain.client.mine({ blocks: 1 });
  });

  it("finds clocks that do not agree", async () => {
    const shifted = (seconds: number) => runDoctor(({ nowMs }) => ({ nowMs: () => nowMs() + seconds * 1000 }));
    expect(await shifted(-30)).to.deep.equal(["warning clock"]);
    expect(await shifted(-90)).to.deep.equal(["fault clock"]);
    expect(await shifted(100)).to.deep.equal([]);
    expect(await shifted(150)).to.deep.equal(["fault clock"]);
  });

  it("sees a hand-over that is not complete", async () => {
    const deployer = people.deployer.address;
    const findOpen = async (changed = job.parameters) => {
      const checks = await checkHandOver(chain.client as never, changed, record, deployer);
      return checks.filter(({ holds }) => !holds).map(({ what }) => what.split(/ (?:is|has) /)[0]);
    };
    expect(await findOpen()).to.deep.equal([]);
    const { rewards, signers } = job.parameters;
    const other = people.treasury.address;
    const changes: readonly (readonly [Partial<typeof job.parameters>, readonly string[]])[] = [
      [{ operator: other }, ["rewards: the operator"]],
      [{ signers: { ...signers, score: other } }, ["rewards: the signer"]],
      [{ signers: { ...signers, nft: { ...signers.nft, flappybots: other } } }, ["nft.flappybots: the signer"]],
      [{ rewards: { ...rewards, dailyCap: 1n } }, ["rewards: the daily cap"]],
      [{ rewards: { ...rewards, maxPayout: 1n } }, ["rewards: the maximum of one payout"]],
      [{ rewards: { ...rewards, payoutCooldownSeconds: 1 } }, ["rewards: the cooldown in seconds"]],
      [{ royaltyBasisPoints: 1 }, Object.keys(record.nft).map((slug) => `nft.${slug}: the royalty (basis points)`)],
    ];
    for (const [changed, expected] of changes)
      expect(await findOpen({ ...job.parameters, ...changed })).to.deep.equal(expected);
    await send("treasury", "transfer", [deployer, 1n], record.token);
    expect(await findOpen()).to.deep.equal(["token: the treasury", "token: the deployer holds none"]);
    expect(await findOpen({ ...job.parameters, admin: other })).to.have.length(4 + 2);
  });
});
