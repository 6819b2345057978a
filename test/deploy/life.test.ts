import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { numberToHex, type PrivateKeyAccount, stringToHex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { makeTypedData } from "../../backend/domain/typed-data.ts";
import { GUARDED_ABI } from "../../deploy/abi.ts";
import { baseSepolia } from "../../deploy/parameters/base-sepolia.ts";
import type { DeploymentRecord } from "../../deploy/record.ts";
import { examine } from "../../scripts/doctor/examine.ts";
import { findPatient } from "../../scripts/doctor/patient.ts";
import { ACTS } from "./acts.ts";
import { GAS_MONEY, makeFolder } from "./job.ts";
import { type CommandOutcome, makePeople, root, runTool, type StandIn, secretsOf, startStandIn } from "./stand-in.ts";

type Hex = `0x${string}`;

const DAY_SECONDS = 86_400;

/** Deployment, hand-over, rotation, pause and recovery on a chain that plays Base Sepolia, looked at by the doctor. */
describe("live on a testnet", function () {
  this.timeout(60_000);
  const { people, roles } = makePeople();
  const safe = privateKeyToAccount(generatePrivateKey());
  const newScore = generatePrivateKey();
  const wallet = privateKeyToAccount(generatePrivateKey()).address;
  let chain: StandIn;
  let place: Awaited<ReturnType<typeof makeFolder>>;
  let record: DeploymentRecord;
  let deployed: CommandOutcome;

  const recordPath = (): string => join(place.folder, "84532.json");
  const send = async (
    from: PrivateKeyAccount,
    functionName: string,
    args: readonly unknown[] = [],
    to = record.rewards,
  ) => {
    const hash = await chain.client.writeContract({
      account: from,
      address: to,
      abi: ACTS,
      functionName,
      args,
    } as never);
    expect((await chain.client.waitForTransactionReceipt({ hash })).status).to.equal("success");
  };
  /** The error's name where a call would revert, else "sent" after it was. */
  const trySend = async (
    from: PrivateKeyAccount,
    functionName: string,
    args: readonly unknown[] = [],
  ): Promise<string> => {
    try {
      await send(from, functionName, args);
      return "sent";
    } catch (error) {
      return (error as Error).message;
    }
  };
  const travel = async (seconds: number): Promise<void> => {
    await chain.client.increaseTime({ seconds });
    await chain.client.mine({ blocks: 1 });
  };
  let sequence = 0;
  const snapshot = async (signerKey: Hex): Promise<string> => {
    sequence++;
    const deadline = (await chain.client.getBlock()).timestamp + 600n;
    const [gameId, hash] = [stringToHex("flappybots", { size: 32 }), `0x${sequence.toString(16).padStart(64, "0")}`];
    const message = { wallet, gameId, score: "120", gameSessionHash: hash, deadline: String(deadline) };
    const data = makeTypedData("Snapshot", { chainId: 84_532, verifyingContract: record.rewards }, message);
    const signature = await privateKeyToAccount(signerKey).signTypedData(data as never);
    return await trySend(people.operator, "snapshotScoreSigned", [wallet, gameId, 120n, hash, deadline, signature]);
  };
  /** What the doctor finds with these keys in the environment, by id; the clock is the chain's. */
  const consult = async (env: NodeJS.ProcessEnv = {}) => {
    const patient = await findPatient({ network: baseSepolia, rpcUrl: chain.rpcUrl }, recordPath(), {
      ...secretsOf(people),
      ...env,
    });
    const now = Number((await chain.client.getBlock()).timestamp) * 1000;
    const findings = await examine({ ...patient, nowMs: () => now });
    const byId = new Map(findings.map((finding) => [finding.id, finding]));
    return {
      status: (id: string) => byId.get(id)?.status,
      next: (id: string) => byId.get(id)?.next,
      faults: findings.filter(({ status }) => status === "fault").map(({ id }) => id),
    };
  };

  before(async () => {
    chain = await startStandIn();
    place = await makeFolder(roles);
    for (const { address } of [people.deployer, people.admin, people.guardian, people.operator, safe]) {
      await chain.client.setBalance({ address, value: GAS_MONEY });
    }
    const args = ["--network", "baseSepolia", "--rpc-url", chain.rpcUrl, "--roles", place.rolesPath];
    const more = ["--out", place.folder, "--confirmations", "1", "--no-verify", "--yes", "--json"];
    deployed = await runTool("deploy", [...args, ...more], { ARCADE_DEPLOYER_KEY: people.deployer.key });
    expect(deployed.code, deployed.stderr).to.equal(0);
    record = JSON.parse(await readFile(recordPath(), "utf8"));
  });
  after(async () => {
    await chain.close();
    await place.remove();
  });

  it("deploys at the addresses of the plan and writes what the backend reads", async () => {
    const { plan, record: told } = deployed.answer as unknown as {
      plan: { steps: { name: string; address: string }[] };
      record: DeploymentRecord;
    };
    expect(record).to.deep.equal(told);
    expect(record.chainId).to.equal(84_532);
    expect(Object.keys(record.nft)).to.deep.equal(Object.keys(people.nft));
    for (const { name, address } of plan.steps.slice(0, 5)) expect(record.contracts[name]!.address).to.equal(address);
    expect(deployed.stdout).to.not.include(people.deployer.key);
  });

  it("hands everything over: the deployer keeps no role and no token", async () => {
    const facts = deployed.answer!.handOver as { what: string; holds: boolean }[];
    expect(facts.filter(({ holds }) => !holds)).to.deep.equal([]);
    expect(facts.filter(({ what }) => /the deployer/.test(what))).to.have.length(6);
    for (const address of [record.identity, record.rewards, ...Object.values(record.nft)]) {
      const contract = { address, abi: GUARDED_ABI } as const;
      expect(await chain.client.readContract({ ...contract, functionName: "defaultAdmin" })).to.equal(
        people.admin.address,
      );
      const role = await chain.client.readContract({ ...contract, functionName: "DEFAULT_ADMIN_ROLE" });
      const args = [role, people.deployer.address] as const;
      expect(await chain.client.readContract({ ...contract, functionName: "hasRole", args })).to.equal(false);
    }
  });

  it("keeps signers and caps in the slots that docs/contracts.md shows", async () => {
    const words = readFileSync(join(root, "docs/contracts.md"), "utf8");
    const signers: [string, Hex, Hex][] = [
      ["RewardsV2", record.rewards, people.score.address],
      ["GameNFT", record.nft.flappybots!, people.nft.flappybots!.address],
      ["AgentIdentity", record.identity, people.identity.address],
    ];
    for (const [name, address, signer] of signers) {
      const slot = Number(words.match(new RegExp(`${name}: gate (\\d+)`))![1]);
      const word = BigInt((await chain.client.getStorageAt({ address, slot: numberToHex(slot) }))!);
      expect(word & (2n ** 160n - 1n), name).to.equal(BigInt(signer));
    }
    const slot = Number(words.match(/^ *(\d+) window/m)![1]);
    const window = BigInt((await chain.client.getStorageAt({ address: record.rewards, slot: numberToHex(slot) }))!);
    const { dailyCap, scoreToTokenRate } = baseSepolia.makeParameters(roles).rewards;
    expect((window >> 96n) & (2n ** 48n - 1n)).to.equal(dailyCap / scoreToTokenRate);
  });

  it("is found well by the doctor, whose exit codes tell well, ill and unreachable", async () => {
    const args = ["--rpc-url", chain.rpcUrl, "--deployment", recordPath(), "--json"];
    const well = await runTool("doctor", args, secretsOf(people));
    expect(well.code, well.stderr).to.equal(0);
    const stranger = generatePrivateKey();
    const ill = await runTool("doctor", args, { ...secretsOf(people), ARCADE_SCORE_SIGNER_KEY: stranger });
    expect(ill.code).to.equal(1);
    const findings = ill.answer!.findings as { id: string; status: string; next: string }[];
    const [fault, ...others] = findings.filter(({ status }) => status === "fault");
    expect(others).to.deep.equal([]);
    expect(fault).to.include({ id: "signer.rewards" });
    expect(fault!.next).to.include(people.score.address);
    expect(ill.stdout + ill.stderr).to.not.include(stranger);
    const away = await runTool("doctor", ["--network", "baseSepolia", "--rpc-url", "http://127.0.0.1:1", "--json"]);
    expect(away.code).to.equal(3);
  });

  it("rotates the score signer without downtime: a day's wait to add, at once to revoke", async () => {
    expect(await snapshot(people.score.key)).to.equal("sent");
    const next = privateKeyToAccount(newScore);
    await send(people.admin, "scheduleSigner", [next.address, false]);
    expect((await consult()).status("signer.rewards.alternate")).to.equal("warning");
    expect((await consult({ ARCADE_SCORE_SIGNER_KEY: newScore })).faults).to.deep.equal(["signer.rewards"]);
    expect(await snapshot(newScore)).to.include("reverted");
    await travel(DAY_SECONDS + 1);
    expect(await snapshot(newScore)).to.equal("sent");
    expect(await snapshot(people.score.key)).to.equal("sent");
    await send(people.admin, "promoteSigner");
    await send(people.guardian, "revokeSigner", [people.score.address]);
    expect(await snapshot(people.score.key)).to.include("reverted");
    expect(await snapshot(newScore)).to.equal("sent");
    const old = await consult();
    expect(old.faults).to.deep.equal(["signer.rewards"]);
    expect(old.next("signer.rewards")).to.include("a revoked one never counts again");
    const well = await consult({ ARCADE_SCORE_SIGNER_KEY: newScore });
    expect(well.faults).to.deep.equal([]);
    expect(well.status("signer.rewards.alternate")).to.equal(undefined);
    const args = [wallet] as const;
    const bank = { address: record.rewards, abi: ACTS, functionName: "getScorebank", args } as const;
    expect(await chain.client.readContract(bank)).to.equal(480n);
  });

  it("is paused by the guardian and recovered by the admin alone", async () => {
    await send(people.guardian, "pause");
    expect(await snapshot(newScore)).to.include("reverted");
    expect((await consult({ ARCADE_SCORE_SIGNER_KEY: newScore })).faults).to.deep.equal(["pause.rewards"]);
    expect(await trySend(people.guardian, "unpause")).to.include("reverted");
    expect(await trySend(people.operator, "unpause")).to.include("reverted");
    await send(people.admin, "unpause");
    expect(await snapshot(newScore)).to.equal("sent");
    expect((await consult({ ARCADE_SCORE_SIGNER_KEY: newScore })).faults).to.deep.equal([]);
  });

  it("hands the admin's role on in two steps with a delay", async () => {
    await send(people.admin, "beginDefaultAdminTransfer", [safe.address]);
    expect((await consult()).status("admin.rewards.pending")).to.equal("warning");
    expect(await trySend(safe, "acceptDefaultAdminTransfer")).to.include("reverted");
    await travel(2 * DAY_SECONDS + 1);
    await send(safe, "acceptDefaultAdminTransfer");
    expect(await trySend(people.admin, "pause")).to.include("reverted");
    await send(safe, "pause");
    await send(safe, "unpause");
    expect((await consult()).status("admin.rewards.pending")).to.equal(undefined);
  });
});
