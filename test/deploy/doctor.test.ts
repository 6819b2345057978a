import { expect } from "chai";
import { keccak256, parseAbi, zeroAddress } from "viem";
import { developmentAccount } from "../../backend/config/dev-keys.ts";
import { checkHandOver } from "../../deploy/public/hand-over.ts";
import type { DeploymentRecord } from "../../deploy/record.ts";
import { examine } from "../../scripts/doctor/examine.ts";
import { findPatient, type Patient } from "../../scripts/doctor/patient.ts";
import { deployJob, GAS_MONEY, makeJob, openTestnet, type Testnet } from "./job.ts";
import { makePeople, secretsOf } from "./stand-in.ts";

const ACTS = parseAbi([
  "function setCaps(uint256 dailyCap, uint256 weeklyCap)",
  "function withdraw(address to, uint256 amount)",
  "function revokeSigner(address account)",
  "function revokeRole(bytes32 role, address account)",
  "function GUARDIAN_ROLE() view returns (bytes32)",
  "function OPERATOR_ROLE() view returns (bytes32)",
  "function transfer(address to, uint256 amount) returns (bool)",
]);

describe("examine a deployment", function () {
  this.timeout(60_000);
  const { people, roles } = makePeople();
  let testnet: Testnet;
  let chain: Testnet["chain"];
  let place: Testnet["place"];
  let job: ReturnType<typeof makeJob>;
  let record: DeploymentRecord;
  let snapshot: `0x${string}`;

  before(async () => {
    testnet = await openTestnet({ people, roles }, [
      people.deployer,
      people.admin,
      people.guardian,
      people.operator,
      people.treasury,
    ]);
    ({ chain, place } = testnet);
    job = makeJob(chain, people.deployer, roles, place.folder);
    record = await deployJob(job);
  });
  after(() => testnet.close());
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
    const hash = await chain.client.writeContract({ account, address: to, abi: ACTS, functionName, args } as never);
    expect((await chain.client.waitForTransactionReceipt({ hash })).status).to.equal("success");
  };
  const read = (functionName: "GUARDIAN_ROLE" | "OPERATOR_ROLE") =>
    chain.client.readContract({ address: record.rewards, abi: ACTS, functionName });
  /** Ids of what is not well, but for the admin that is a plain key. */
  const consult = async (change: (patient: Patient) => Partial<Patient> = () => ({}), env: NodeJS.ProcessEnv = {}) => {
    const secrets = { ...secretsOf(people), ...env };
    const patient = await findPatient({ network: job.network, rpcUrl: chain.rpcUrl }, job.recordPath, secrets);
    const now = Number((await chain.client.getBlock()).timestamp) * 1000;
    const still = { ...patient, nowMs: () => now };
    const findings = await examine({ ...still, ...change(still) });
    const ill = findings.filter(({ id, status }) => status !== "ok" && !/^admin\.[\w.]+$/.test(id));
    expect(ill.every(({ next }) => next !== null)).to.equal(true);
    return ill.map(({ id, status }) => `${status} ${id}`);
  };

  it("finds nothing where all is well", async () => expect(await consult()).to.deep.equal([]));

  it("finds other code and none", async () => {
    await chain.client.setCode({ address: record.token, bytecode: "0x00" });
    await chain.client.setCode({ address: record.identity, bytecode: "0x" });
    expect(await consult()).to.deep.equal(["fault code.Token.RewardToken", "fault code.Identity.AgentIdentity"]);
  });

  it("finds an addresses file that contradicts itself", async () => {
    const swap = ({ record: one }: Patient) => ({ record: { ...one, rewards: one.identity, identity: one.rewards } });
    expect(await consult(swap)).to.deep.equal(["fault address.identity", "fault address.rewards"]);
  });

  it("finds domains that are not the backend's", async () => {
    const found = await consult(({ record: one }) => ({ record: { ...one, chainId: 1 } }));
    const names = ["identity", "nft.shellrunners", "nft.flappybots", "rewards"];
    expect(found).to.have.members(names.map((name) => `fault domain.${name}`));
  });

  it("finds keys that everybody knows, do not count, or are missing", async () => {
    const known = { ARCADE_SCORE_SIGNER_KEY: developmentAccount(0).privateKey };
    expect(await consult(undefined, known)).to.deep.equal(["fault signer.rewards.known", "fault signer.rewards"]);
    expect(await consult(undefined, { ARCADE_IDENTITY_SIGNER_KEY: "" })).to.deep.equal(["skipped signer.identity"]);
    await send("guardian", "revokeSigner", [people.score.address]);
    expect(await consult()).to.deep.equal(["fault signer.rewards.none", "fault signer.rewards"]);
  });

  it("finds an operator and a guardian without their roles", async () => {
    await send("admin", "revokeRole", [await read("OPERATOR_ROLE"), people.operator.address]);
    await send("admin", "revokeRole", [await read("GUARDIAN_ROLE"), people.guardian.address]);
    expect(await consult()).to.deep.equal(["fault operator", "warning guardian.rewards"]);
  });

  it("finds caps and a float that pay nobody", async () => {
    await send("guardian", "setCaps", [10n ** 18n, 10n ** 18n]);
    expect(await consult()).to.deep.equal(["fault caps", "warning caps.today"]);
    await send("guardian", "setCaps", [0n, 0n]);
    expect(await consult()).to.include("fault caps");
    await send("admin", "withdraw", [people.treasury.address, job.parameters.float]);
    expect(await consult()).to.include("fault float");
  });

  it("finds an operator that runs out of gas money or whose transactions wait", async () => {
    await chain.client.setBalance({ address: people.operator.address, value: 10n ** 15n });
    expect(await consult()).to.deep.equal(["fault balance.operator"]);
    await chain.client.setBalance({ address: people.operator.address, value: GAS_MONEY });
    await chain.client.setAutomine(false);
    await chain.client.sendTransaction({ account: people.operator, to: zeroAddress, value: 0n, gas: 21_000n });
    expect(await consult()).to.deep.equal(["warning pending"]);
    await chain.client.setAutomine(true);
    await chain.client.mine({ blocks: 1 });
  });

  it("finds clocks that do not agree", async () => {
    const shifted = (seconds: number) => consult(({ nowMs }) => ({ nowMs: () => nowMs() + seconds * 1000 }));
    expect(await shifted(-30)).to.deep.equal(["warning clock"]);
    expect(await shifted(-90)).to.deep.equal(["fault clock"]);
    expect(await shifted(100)).to.deep.equal([]);
    expect(await shifted(150)).to.deep.equal(["fault clock"]);
  });

  it("sees a hand-over that is not complete", async () => {
    const deployer = people.deployer.address;
    const open = async (changed = job.parameters) =>
      (await checkHandOver(chain.client as never, changed, record, deployer)).filter(({ holds }) => !holds);
    expect(await open()).to.deep.equal([]);
    await send("treasury", "transfer", [deployer, 1n], record.token);
    expect((await open()).map(({ what }) => what)).to.deep.equal(["token: the deployer holds none"]);
    const other = { ...job.parameters, admin: people.treasury.address, operator: people.treasury.address };
    expect(await open(other)).to.have.length(4 + 1 + 1);
    expect(keccak256(await chain.client.getCode({ address: record.rewards }).then((code) => code!))).to.equal(
      record.contracts["Rewards.RewardsV2"]!.codeHash,
    );
  });
});
