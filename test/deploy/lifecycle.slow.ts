import { readFileSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import type { Hex } from "viem";
import { numberToHex, type PrivateKeyAccount, stringToHex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { ACCESS_CONTROL_ABI } from "../../deploy/abi.ts";
import { NETWORKS } from "../../deploy/networks.ts";
import type { DeploymentRecord } from "../../deploy/record.ts";
import { createTypedData } from "../../domain/typed-data/messages.ts";
import { runChecks } from "../../scripts/doctor/run-checks.ts";
import { loadTarget } from "../../scripts/doctor/target.ts";
import { LIFECYCLE_ABI } from "./actions.ts";
import { createWorkspace, FUNDED_BALANCE_WEI } from "./job.ts";
import {
  type AnvilNode,
  type CommandOutcome,
  createTestAccounts,
  root,
  runCommand,
  startAnvil,
  toSecretsEnv,
} from "./testnet.ts";

const DAY_SECONDS = 86_400;

/** Deployment, hand-over, rotation, pause and recovery on a stand-in for Base Sepolia, checked by the doctor. */
describe("live on a testnet", () => {
  const { people, roles } = createTestAccounts();
  const newScore = generatePrivateKey();
  const wallet = privateKeyToAccount(generatePrivateKey()).address;
  let chain: AnvilNode;
  let workspace: Awaited<ReturnType<typeof createWorkspace>>;
  let record: DeploymentRecord;
  let deployed: CommandOutcome;

  const recordPath = (): string => join(workspace.folder, "84532.json");
  const send = async (
    from: PrivateKeyAccount,
    functionName: string,
    args: readonly unknown[] = [],
    to = record.rewards,
  ) => {
    const hash = await chain.client.writeContract({
      account: from,
      address: to,
      abi: LIFECYCLE_ABI,
      functionName,
      args,
    } as never);
    expect((await chain.client.waitForTransactionReceipt({ hash })).status).to.equal("success");
  };
  /** The error's name if a call would revert; otherwise "sent". */
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
  const advanceTime = async (seconds: number): Promise<void> => {
    await chain.client.increaseTime({ seconds });
    await chain.client.mine({ blocks: 1 });
  };
  let sequence = 0;
  const snapshot = async (signerKey: Hex): Promise<string> => {
    sequence++;
    const deadline = (await chain.client.getBlock()).timestamp + 600n;
    const [gameId, hash] = [stringToHex("flappybots", { size: 32 }), `0x${sequence.toString(16).padStart(64, "0")}`];
    const message = { wallet, gameId, score: "120", gameSessionHash: hash, deadline: String(deadline) };
    const data = createTypedData("Snapshot", { chainId: 84_532, verifyingContract: record.rewards }, message);
    const signature = await privateKeyToAccount(signerKey).signTypedData(data as never);
    return await trySend(people.operator, "snapshotScoreSigned", [wallet, gameId, 120n, hash, deadline, signature]);
  };
  /** The doctor's findings with these keys in the environment, by id. Uses the chain's clock. */
  const runDoctor = async (env: NodeJS.ProcessEnv = {}) => {
    const target = await loadTarget({ network: NETWORKS.baseSepolia, rpcUrl: chain.rpcUrl }, recordPath(), {
      ...toSecretsEnv(people),
      ...env,
    });
    const now = Number((await chain.client.getBlock()).timestamp) * 1000;
    const findings = await runChecks({ ...target, nowMs: () => now });
    const byId = new Map(findings.map((finding) => [finding.id, finding]));
    return {
      status: (id: string) => byId.get(id)?.status,
      next: (id: string) => byId.get(id)?.next,
      faults: findings.filter(({ status }) => status === "fault").map(({ id }) => id),
    };
  };

  before(async () => {
    chain = await startAnvil();
    workspace = await createWorkspace(roles);
    for (const { address } of [people.deployer, people.admin, people.guardian, people.operator]) {
      await chain.client.setBalance({ address, value: FUNDED_BALANCE_WEI });
    }
    const args = ["--network", "baseSepolia", "--rpc", chain.rpcUrl, "--roles", workspace.rolesPath];
    const more = ["--out", workspace.folder, "--confirmations", "1", "--no-verify", "--yes", "--json"];
    deployed = await runCommand("deploy", [...args, ...more], { ARCADE_DEPLOYER_KEY: people.deployer.key });
    expect(deployed.code, deployed.stderr).to.equal(0);
    record = JSON.parse(await readFile(recordPath(), "utf8"));
  });
  after(async () => {
    await chain.close();
    await workspace.remove();
  });

  it("deploys at the addresses of the plan and writes what the backend reads", async () => {
    const { plan, record: reported } = deployed.json as unknown as {
      plan: { steps: { name: string; address: string }[] };
      record: DeploymentRecord;
    };
    expect(record).to.deep.equal(reported);
    expect(record.chainId).to.equal(84_532);
    expect(Object.keys(record.nft)).to.deep.equal(Object.keys(people.nft));
    for (const { name, address } of plan.steps.slice(0, 5)) expect(record.contracts[name]!.address).to.equal(address);
    expect(deployed.stdout).to.not.include(people.deployer.key);
  });

  it("writes the clear-signing descriptors with its addresses", async () => {
    const folder = recordPath().replace(".json", ".clear-signing");
    const read = async (name: string) => JSON.parse(await readFile(join(folder, name), "utf8")).context;
    expect((await read("calldata-RewardsV2.json")).contract.deployments).to.deep.equal([
      { chainId: 84_532, address: record.rewards },
    ]);
    const nfts = Object.values(record.nft).map((address) => ({ chainId: 84_532, address }));
    expect((await read("eip712-GameNFT.json")).eip712.deployments).to.deep.equal(nfts);
  });

  it("writes files that a service of another user can read, unless the deployer's umask forbids it", async () => {
    const descriptor = join(recordPath().replace(".json", ".clear-signing"), "eip712-GameNFT.json");
    for (const path of [recordPath(), descriptor])
      expect((await stat(path)).mode & 0o666, path).to.equal(0o666 & ~process.umask());
  });

  it("hands everything over: the deployer keeps no role and no token", async () => {
    const checks = deployed.json!.handOver as { what: string; holds: boolean }[];
    expect(checks.filter(({ holds }) => !holds)).to.deep.equal([]);
    expect(checks.filter(({ what }) => /the deployer/.test(what))).to.have.length(6);
    for (const address of [record.identity, record.rewards, ...Object.values(record.nft)]) {
      const contract = { address, abi: ACCESS_CONTROL_ABI } as const;
      expect(await chain.client.readContract({ ...contract, functionName: "defaultAdmin" })).to.equal(
        people.admin.address,
      );
      const role = await chain.client.readContract({ ...contract, functionName: "DEFAULT_ADMIN_ROLE" });
      const args = [role, people.deployer.address] as const;
      expect(await chain.client.readContract({ ...contract, functionName: "hasRole", args })).to.equal(false);
    }
  });

  it("keeps signers and caps in the slots that docs/contracts.md shows", async () => {
    const document = readFileSync(join(root, "docs/contracts.md"), "utf8");
    const readSlot = (contract: string, variable: string): number => {
      const block = document.match(new RegExp(`^${contract}\\n(?:[ \\d].*\\n)+`, "m"))![0];
      return Number(block.match(new RegExp(`^ *(\\d+) ${variable} `, "m"))![1]);
    };
    const signers: [string, Hex, Hex][] = [
      ["RewardsV2", record.rewards, people.score.address],
      ["GameNFT", record.nft.flappybots!, people.nft.flappybots!.address],
      ["AgentIdentity", record.identity, people.identity.address],
    ];
    for (const [name, address, signer] of signers) {
      const slot = readSlot(name, "_signerConfig");
      const word = BigInt((await chain.client.getStorageAt({ address, slot: numberToHex(slot) }))!);
      expect(word & (2n ** 160n - 1n), name).to.equal(BigInt(signer));
    }
    const slot = readSlot("RewardsV2", "_window");
    const window = BigInt((await chain.client.getStorageAt({ address: record.rewards, slot: numberToHex(slot) }))!);
    const { dailyCap, scoreToTokenRate } = NETWORKS.baseSepolia.createParameters(roles).rewards;
    expect((window >> 80n) & (2n ** 40n - 1n)).to.equal(dailyCap / scoreToTokenRate);
  });

  it("passes the doctor, whose exit codes distinguish healthy, faulty and unreachable", async () => {
    const decided = ["--deployment", recordPath(), "--roles", workspace.rolesPath];
    const args = ["--rpc", chain.rpcUrl, ...decided, "--json"];
    const healthy = await runCommand("doctor", args, toSecretsEnv(people));
    expect(healthy.code, healthy.stderr).to.equal(0);
    const unknownKey = generatePrivateKey();
    const unhealthy = await runCommand("doctor", args, {
      ...toSecretsEnv(people),
      ARCADE_SCORE_SIGNER_KEY: unknownKey,
    });
    expect(unhealthy.code).to.equal(1);
    const findings = unhealthy.json!.findings as { id: string; status: string; next: string }[];
    const [error, ...others] = findings.filter(({ status }) => status === "fault");
    expect(others).to.deep.equal([]);
    expect(error).to.include({ id: "signer.rewards" });
    expect(error!.next).to.include(people.score.address);
    expect(unhealthy.stdout + unhealthy.stderr).to.not.include(unknownKey);
    const unreachable = await runCommand("doctor", [
      "--network",
      "baseSepolia",
      "--rpc",
      "http://127.0.0.1:1",
      "--json",
    ]);
    expect(unreachable.code).to.equal(3);
  });

  it("rotates the score signer without downtime: adding takes a day, revoking is immediate", async () => {
    expect(await snapshot(people.score.key)).to.equal("sent");
    const next = privateKeyToAccount(newScore);
    await send(people.admin, "scheduleSigner", [next.address, false]);
    expect((await runDoctor()).status("signer.rewards.alternate")).to.equal("warning");
    expect((await runDoctor({ ARCADE_SCORE_SIGNER_KEY: newScore })).faults).to.deep.equal(["signer.rewards"]);
    expect(await snapshot(newScore)).to.include("reverted");
    await advanceTime(DAY_SECONDS + 1);
    expect(await snapshot(newScore)).to.equal("sent");
    expect(await snapshot(people.score.key)).to.equal("sent");
    await send(people.admin, "promoteSigner");
    await send(people.guardian, "revokeSigner", [people.score.address]);
    expect(await snapshot(people.score.key)).to.include("reverted");
    expect(await snapshot(newScore)).to.equal("sent");
    const old = await runDoctor();
    expect(old.faults).to.deep.equal(["signer.rewards"]);
    expect(old.next("signer.rewards")).to.include("schedule it with npm run admin");
    const healthy = await runDoctor({ ARCADE_SCORE_SIGNER_KEY: newScore });
    expect(healthy.faults).to.deep.equal([]);
    expect(healthy.status("signer.rewards.alternate")).to.equal(undefined);
    const args = [wallet] as const;
    const bank = { address: record.rewards, abi: LIFECYCLE_ABI, functionName: "getScorebank", args } as const;
    expect(await chain.client.readContract(bank)).to.equal(480n);
  });

  it("is paused by the guardian and recovered by the admin", async () => {
    await send(people.guardian, "pause");
    expect(await snapshot(newScore)).to.include("reverted");
    expect((await runDoctor({ ARCADE_SCORE_SIGNER_KEY: newScore })).faults).to.deep.equal(["pause.rewards"]);
    expect(await trySend(people.guardian, "unpause")).to.include("reverted");
    expect(await trySend(people.operator, "unpause")).to.include("reverted");
    await send(people.admin, "unpause");
    expect(await snapshot(newScore)).to.equal("sent");
    expect((await runDoctor({ ARCADE_SCORE_SIGNER_KEY: newScore })).faults).to.deep.equal([]);
  });
});
