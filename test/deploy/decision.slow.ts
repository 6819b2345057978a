import { rm } from "node:fs/promises";
import { expect } from "chai";
import { type Address, getAddress, type Hex, keccak256, parseAbi, stringToHex } from "viem";
import { DifferentDeploymentError, prepareDeployment } from "../../deploy/execute-public.ts";
import type { ArcadeParameters } from "../../deploy/modules/parameters.ts";
import { CREATE_X } from "../../deploy/public/create2.ts";
import { type DeploymentRecord, writeDeployment } from "../../deploy/record.ts";
import { createDifferenceFinder } from "../../scripts/deploy/current-state.ts";
import { checkDecision } from "../../scripts/doctor/decided.ts";
import { listRolesChanges } from "../../scripts/doctor/roles-changes.ts";
import { type CheckResult, loadTarget } from "../../scripts/doctor/target.ts";
import { useShared } from "../helpers/fixture.ts";
import { createDeployOptions, FUNDED_BALANCE_WEI, openTestnet, runDeployment } from "./job.ts";
import { createTestAccounts, toSecretsEnv } from "./testnet.ts";

const ADMIN_ABI = parseAbi([
  "function setCaps(uint256 dailyCap, uint256 weeklyCap)",
  "function grantRole(bytes32 role, address account)",
  "function revokeRole(bytes32 role, address account)",
  "function changeDefaultAdminDelay(uint48 newDelay)",
  "function beginDefaultAdminTransfer(address newAdmin)",
  "function setMaxPayout(uint256 newMax)",
  "function setMaxScorePerSession(uint256 newMax)",
  "function setOpenRegistration(bool open)",
  "function setBaseURI(string newBaseURI)",
  "function setRoyalty(address receiver, uint96 basisPoints)",
  "function setContractURI(string newContractURI)",
  "function revokeSigner(address account)",
  "function scheduleSigner(address account, bool isContract)",
  "function hasRole(bytes32 role, address account) view returns (bool)",
]);
const TOKEN = 10n ** 18n;
const THIEF: Address = getAddress("0x00000000000000000000000000000000000000f1");
const OPERATOR_ROLE = keccak256(stringToHex("OPERATOR_ROLE"));
const GUARDIAN_ROLE = keccak256(stringToHex("GUARDIAN_ROLE"));

interface Change {
  readonly title: string;
  readonly contract: "identity" | "rewards" | "nft";
  readonly functionName: string;
  readonly args: readonly unknown[];
  readonly faults: readonly string[];
}

const NEW_URL = "https://new.example";
const NEW_GAME = { slug: "ping-pong", nft: { name: "Ping Pong", symbol: "PING", tiers: [{ minScore: 10 }] } };
const elsewhere = "http://127.0.0.1:1/";
/** Changes that the holder of the admin's key can make without a trace in the addresses file. */
const CHANGES: readonly Change[] = [
  {
    title: "a changed weekly cap",
    contract: "rewards",
    functionName: "setCaps",
    args: [20_000n * TOKEN, 20_000n * TOKEN],
    faults: ["limit.weeklyCap"],
  },
  {
    title: "an extra operator",
    contract: "rewards",
    functionName: "grantRole",
    args: [OPERATOR_ROLE, THIEF],
    faults: ["role.operator.rewards"],
  },
  {
    title: "an extra guardian",
    contract: "identity",
    functionName: "grantRole",
    args: [GUARDIAN_ROLE, THIEF],
    faults: ["role.guardian.identity"],
  },
  {
    title: "a pending admin delay of 0",
    contract: "rewards",
    functionName: "changeDefaultAdminDelay",
    args: [0],
    faults: ["pendingDelay.rewards"],
  },
  {
    title: "a pending admin",
    contract: "nft",
    functionName: "beginDefaultAdminTransfer",
    args: [THIEF],
    faults: ["pendingAdmin.nft.flappybots"],
  },
  {
    title: "open registration",
    contract: "identity",
    functionName: "setOpenRegistration",
    args: [true],
    faults: ["openRegistration"],
  },
  {
    title: "another base URI of the identity",
    contract: "identity",
    functionName: "setBaseURI",
    args: [elsewhere],
    faults: ["baseUri.identity"],
  },
  {
    title: "another base URI of a game",
    contract: "nft",
    functionName: "setBaseURI",
    args: [elsewhere],
    faults: ["baseUri.nft.flappybots"],
  },
  {
    title: "another royalty",
    contract: "nft",
    functionName: "setRoyalty",
    args: [THIEF, 1_000n],
    faults: ["royalty.nft.flappybots", "royalty.nft.flappybots.receiver"],
  },
  {
    title: "another contract URI",
    contract: "nft",
    functionName: "setContractURI",
    args: [elsewhere],
    faults: ["contractUri.nft.flappybots"],
  },
];

describe("compare a deployment with what was decided", () => {
  const { people, roles } = createTestAccounts();
  let options: ReturnType<typeof createDeployOptions>;
  let record: DeploymentRecord;
  let snapshot: Hex;

  const testnet = useShared(() => openTestnet({ people, roles }, [people.deployer, people.admin]));
  before(async () => {
    options = createDeployOptions(testnet.chain, people.deployer, roles, testnet.place.folder);
    record = await runDeployment(options);
  });
  beforeEach(async () => {
    snapshot = await testnet.chain.client.snapshot();
  });
  afterEach(() => testnet.chain.client.revert({ id: snapshot }));

  const getContext = () => ({ network: options.network, rpcUrl: testnet.chain.rpcUrl });
  async function compare(
    changed: Partial<DeploymentRecord> = {},
    parameters: ArcadeParameters = options.parameters,
  ): Promise<readonly CheckResult[]> {
    const target = await loadTarget(getContext(), options.recordPath, toSecretsEnv(people));
    const decision = { parameters, saltLabel: options.saltLabel };
    const results = await checkDecision({ ...target, record: { ...record, ...changed } }, decision);
    expect(results.length).to.be.greaterThan(40);
    return results.filter(({ status }) => status === "fault");
  }
  /** Ids of the faults, without their prefix. */
  const findFaults = async (changed: Partial<DeploymentRecord> = {}): Promise<readonly string[]> =>
    (await compare(changed)).map(({ id }) => id.replace("decided.", ""));

  async function sendTo(address: Address, functionName: string, args: readonly unknown[]): Promise<void> {
    const call = { account: people.admin, address, abi: ADMIN_ABI, functionName, args };
    const hash = await testnet.chain.client.writeContract(call as never);
    expect((await testnet.chain.client.waitForTransactionReceipt({ hash })).status).to.equal("success");
  }
  const sendAsAdmin = ({ contract, functionName, args }: Omit<Change, "title" | "faults">): Promise<void> =>
    sendTo(contract === "nft" ? record.nft.flappybots! : record[contract], functionName, args);

  it("finds no fault in a deployment as decided", async () => expect(await findFaults()).to.deep.equal([]));

  for (const { title, faults, ...call } of CHANGES) {
    it(`finds ${title}`, async () => {
      await sendAsAdmin(call);
      expect(await findFaults()).to.deep.equal(faults);
    });
  }

  it("reports the needed changes to the file of roles, except where contracts disagree", async () => {
    const { score, operator } = people;
    await sendAsAdmin({ contract: "rewards", functionName: "setCaps", args: [10_000n * TOKEN, 20_000n * TOKEN] });
    await sendAsAdmin({ contract: "rewards", functionName: "setMaxPayout", args: [2_000n * TOKEN] });
    await sendAsAdmin({ contract: "rewards", functionName: "setMaxScorePerSession", args: [777n] });
    await sendAsAdmin({ contract: "rewards", functionName: "grantRole", args: [OPERATOR_ROLE, THIEF] });
    await sendAsAdmin({ contract: "rewards", functionName: "revokeRole", args: [OPERATOR_ROLE, operator.address] });
    await sendAsAdmin({
      contract: "identity",
      functionName: "setBaseURI",
      args: [`${NEW_URL}/api/metadata/agent/`],
    });
    await sendAsAdmin({ contract: "rewards", functionName: "revokeSigner", args: [score.address] });
    await sendAsAdmin({ contract: "rewards", functionName: "scheduleSigner", args: [THIEF, false] });
    const faults = await compare();
    expect(listRolesChanges(faults)).to.deep.equal([
      { path: "rewards.dailyCap", value: String(10_000n * TOKEN) },
      { path: "rewards.weeklyCap", value: String(20_000n * TOKEN) },
      { path: "rewards.maxPayout", value: String(2_000n * TOKEN) },
      { path: "rewards.maxScorePerSession", value: "777" },
      { path: "publicUrl", value: NEW_URL },
      { path: "signers.score", value: THIEF },
      { path: "operator", value: THIEF },
    ]);
    expect(faults[0]!.finding).to.match(/^rewards: the daily cap is 10000 ARCD, but \d+ ARCD was decided$/);
    expect(faults[0]!.next).to.include(`"rewards.dailyCap": "${10_000n * TOKEN}"`);
    await sendAsAdmin({ contract: "nft", functionName: "setBaseURI", args: [`${elsewhere}api/metadata/flappybots/`] });
    expect(listRolesChanges(await compare()).map(({ path }) => path)).to.not.include("publicUrl");
  });

  it("continues a deployment whose parameters were changed later on chain, and uses them for a new game", async () => {
    const { rewards, signers } = options.parameters;
    const changed: ArcadeParameters = {
      ...options.parameters,
      guardian: THIEF,
      rewards: { ...rewards, weeklyCap: 20_000n * TOKEN },
      games: [...options.parameters.games, NEW_GAME],
      signers: { ...signers, nft: { ...signers.nft, [NEW_GAME.slug]: people.treasury.address } },
    };
    const findDifferences = createDifferenceFinder(getContext(), options.recordPath, changed, options.saltLabel);
    const prepare = () => prepareDeployment({ ...options, parameters: changed, findDifferences });
    const refusal = (await prepare().catch((error: unknown) => error)) as Error;
    expect(refusal).to.be.instanceOf(DifferentDeploymentError);
    expect(refusal.message).to.include("rewards: the weekly cap is").and.include("identity: guardian is");

    await sendAsAdmin({ contract: "rewards", functionName: "setCaps", args: [20_000n * TOKEN, 20_000n * TOKEN] });
    for (const address of [record.rewards, record.identity, ...Object.values(record.nft)]) {
      await sendTo(address, "grantRole", [GUARDIAN_ROLE, THIEF]);
      await sendTo(address, "revokeRole", [GUARDIAN_ROLE, people.guardian.address]);
    }
    const prepared = await prepare();
    expect(prepared.progress).to.equal("growing");
    const open = prepared.plan.steps.filter(({ isDone }) => !isDone).map(({ name }) => name);
    expect(open).to.deep.equal(["GameNFT_ping_pong.GameNFT"]);
    const grown = await prepared.execute(() => {});
    expect(grown).to.deep.include({ rewards: record.rewards, identity: record.identity });
    const role = { abi: ADMIN_ABI, functionName: "hasRole", args: [GUARDIAN_ROLE, THIEF] } as const;
    const address = grown.nft[NEW_GAME.slug]!;
    expect(await testnet.chain.client.readContract({ ...role, address })).to.equal(true);
    expect((await prepare()).progress).to.equal("complete");
    await writeDeployment(options.recordPath, record);
    await rm(options.folder, { recursive: true });
  });

  it("finds a revoked operator", async () => {
    const args = [OPERATOR_ROLE, people.operator.address];
    await sendAsAdmin({ contract: "rewards", functionName: "revokeRole", args });
    expect(await findFaults()).to.deep.equal(["role.operator.rewards"]);
  });

  it("finds a market and a public URL that were replaced in the addresses file", async () => {
    expect(await findFaults({ market: THIEF, publicUrl: elsewhere })).to.deep.equal(["publicUrl", "market"]);
  });

  it("finds an addresses file without its deployer", async () => {
    expect(await findFaults({ deployer: undefined } as unknown as Partial<DeploymentRecord>)).to.deep.equal([
      "deployer",
    ]);
  });

  it("finds constructor arguments in the addresses file that did not create the contract", async () => {
    const name = "Token.RewardToken";
    const token = record.contracts[name]!;
    const contracts = { ...record.contracts, [name]: { ...token, args: ["Other", ...token.args.slice(1)] } };
    expect(await findFaults({ contracts })).to.deep.equal([`address.${name}`]);
  });

  it("finds a signers' delay that differs, which the contracts cannot change", async () => {
    const signerDelaySeconds = options.parameters.signerDelaySeconds + 1;
    const faults = await compare({}, { ...options.parameters, signerDelaySeconds });
    const names = ["identity", ...Object.keys(record.nft).map((slug) => `nft.${slug}`), "rewards"];
    expect(faults.map(({ id }) => id)).to.deep.equal(names.map((name) => `decided.signerDelay.${name}`));
  });

  it("finds a shorter delay of the admin once it counts", async () => {
    await sendAsAdmin({ contract: "rewards", functionName: "changeDefaultAdminDelay", args: [60] });
    await testnet.chain.client.increaseTime({ seconds: options.parameters.adminDelaySeconds });
    await testnet.chain.client.mine({ blocks: 1 });
    expect(await findFaults()).to.deep.equal(["adminDelay.rewards"]);
  });

  it("finds a substitute deployment by another deployer in other hands", async () => {
    const other = createTestAccounts().people.deployer;
    await testnet.chain.client.setBalance({ address: other.address, value: FUNDED_BALANCE_WEI });
    const fakeRoles = { ...roles, admin: CREATE_X, guardian: THIEF, treasury: THIEF };
    const folder = `${testnet.place.folder}/fake`;
    const fake = await runDeployment(createDeployOptions(testnet.chain, other, fakeRoles, folder));
    const faults = await findFaults(fake);
    const names = ["identity", "rewards", ...Object.keys(record.nft).map((slug) => `nft.${slug}`)];
    expect(faults).to.include.members(names.flatMap((name) => [`role.admin.${name}`, `role.guardian.${name}`]));
    expect(faults).to.include("royalty.nft.flappybots.receiver");
  });
});
