import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { privateKeyToAccount } from "viem/accounts";
import { developmentAccount } from "../../backend/config/dev-keys.ts";
import { DifferentDeploymentError, prepareDeployment } from "../../deploy/execute-public.ts";
import type { ArcadeParameters } from "../../deploy/modules/parameters.ts";
import { getNetworkByChainId } from "../../deploy/networks.ts";
import { CREATE_X } from "../../deploy/public/create2.ts";
import { createRpcRequest, type RpcRequest } from "../../deploy/public/rpc.ts";
import { readRoles } from "../../deploy/roles.ts";
import { createDeployOptions, createWorkspace, FUNDED_BALANCE_WEI } from "./job.ts";
import { type AnvilNode, createTestAccounts, runCommand, startAnvil } from "./testnet.ts";

describe("refuse a deployment", () => {
  const { people, roles } = createTestAccounts();
  let chain: AnvilNode;
  let bare: AnvilNode;
  let workspace: Awaited<ReturnType<typeof createWorkspace>>;

  const findErrors = async (target: AnvilNode, account = privateKeyToAccount(people.deployer.key), changed = roles) =>
    (await prepareDeployment(createDeployOptions(target, account, changed, workspace.folder))).preflight.faults;
  const deploy = (args: readonly string[], key: string) => {
    const common = ["--rpc", chain.rpcUrl, "--roles", workspace.rolesPath, "--out", workspace.folder, "--json"];
    return runCommand("deploy", [...common, ...args], { ARCADE_DEPLOYER_KEY: key });
  };

  before(async () => {
    chain = await startAnvil();
    bare = await startAnvil({ chainId: 8_453, createX: false });
    workspace = await createWorkspace(roles);
    await chain.client.setBalance({ address: people.deployer.address, value: FUNDED_BALANCE_WEI });
  });
  after(async () => {
    await Promise.all([chain.close(), bare.close()]);
    await workspace.remove();
  });

  it("sends nothing without confirmation, and reports how to confirm", async () => {
    const outcome = await deploy(["--network", "baseSepolia"], people.deployer.key);
    expect(outcome.code).to.equal(2);
    expect(outcome.stderr).to.include("--yes").and.to.include("8 transactions");
    expect(await chain.client.getTransactionCount({ address: people.deployer.address })).to.equal(0);
    expect(await stat(join(workspace.folder, "84532")).catch(() => null)).to.equal(null);
  });

  it("refuses a development key as the deployer", async () => {
    const outcome = await deploy(["--network", "baseSepolia", "--yes"], developmentAccount(3).privateKey);
    expect(outcome.code).to.equal(4);
    expect(outcome.json!.error).to.include("well-known or guessable key");
  });

  it("reports the sources of a key when there is none", async () => {
    const outcome = await deploy(["--network", "baseSepolia", "--yes"], "");
    expect(outcome.code).to.equal(4);
    expect(outcome.json!.next).to.include("npx hardhat keystore set ARCADE_DEPLOYER_KEY");
  });

  it("rejects a chain other than the stated one", async () => {
    const { code, json: answer } = await deploy(["--network", "sepolia", "--plan"], people.deployer.key);
    expect(code).to.equal(3);
    expect(answer!.error).to.include("11155111").and.to.include("84532");
  });

  it("refuses a deployer that cannot pay, in ether, in the plan and in a rehearsal too", async () => {
    const unfunded = createTestAccounts().people.deployer;
    for (const flag of ["--plan", "--rehearse"]) {
      const planned = await deploy(["--network", "baseSepolia", flag], unfunded.key);
      expect(planned.code, planned.stderr).to.equal(1);
      expect(planned.stderr).to.match(/✗ deployer: has 0 ETH, but needs [\d.]+ ETH/);
      expect(planned.json).to.include({ ok: false });
    }
    const { code, json: answer } = await deploy(["--network", "baseSepolia", "--yes"], unfunded.key);
    expect(code).to.equal(3);
    expect(answer!.error).to.match(/the deployer has 0 ETH, but needs [\d.]+ ETH/);
  });

  it("rejects development accounts and the deployer in any role", async () => {
    const known = developmentAccount(0).address;
    const changed = { ...roles, guardian: people.deployer.address, signers: { ...roles.signers, score: known } };
    const errors = await findErrors(chain, undefined, changed);
    expect(errors.map((error) => error.split(":")[0])).to.deep.equal(["guardian", "signers.score"]);
  });

  it("refuses one address for two powers", async () => {
    const { guardian, operator, signers } = roles;
    const pairs = [
      [{ ...roles, operator: guardian }, "operator"],
      [{ ...roles, signers: { ...signers, score: guardian } }, "signers.score"],
      [{ ...roles, admin: operator }, "operator"],
      [{ ...roles, treasury: signers.score }, "signers.score"],
    ] as const;
    for (const [changed, name] of pairs) {
      const errors = await findErrors(chain, undefined, changed);
      expect(errors.filter((error) => error.startsWith(`${name}: is the same address as`))).to.have.length(1);
    }
    expect(await findErrors(chain, undefined, { ...roles, treasury: roles.admin })).to.deep.equal([]);
  });

  it("warns in the plan of a day's cap above the float", async () => {
    const change = (parameters: ArcadeParameters) => ({ ...parameters, float: parameters.rewards.dailyCap / 5n });
    const { preflight } = await prepareDeployment(
      createDeployOptions(chain, people.deployer, roles, workspace.folder, change),
    );
    expect(preflight.warnings.filter((warning) => warning.startsWith("float:"))).to.deep.equal([
      "float: 4,000 ARCD is less than the daily cap of 20,000 ARCD: payouts can stop before the cap is reached",
    ]);
  });

  it("refuses a contract that can never act as the admin", async () => {
    const errors = await findErrors(chain, undefined, { ...roles, admin: CREATE_X });
    expect(errors).to.have.length(1);
    expect(errors[0]).to.include("it could never act");
  });

  it("refuses a chain without EIP-1559", async () => {
    const request: RpcRequest = async (call) => {
      const answer = await createRpcRequest(chain.rpcUrl)(call);
      return call.method === "eth_getBlockByNumber" ? { ...(answer as object), baseFeePerGas: undefined } : answer;
    };
    const job = createDeployOptions(chain, people.deployer, roles, workspace.folder);
    const { faults } = (await prepareDeployment({ ...job, request })).preflight;
    expect(faults).to.deep.equal(["chain 84532: its blocks have no base fee; the service needs a chain with EIP-1559"]);
  });

  it("takes an unknown chain id and chain id 1 for a mainnet, also where only the node is given", () => {
    const stages = [1, 999_999, 17_000, 84_532].map((chainId) => getNetworkByChainId(chainId, "http://node").stage);
    expect(stages).to.deep.equal(["mainnet", "mainnet", "testnet", "testnet"]);
  });

  it("names errors of the parameters in words before anything is estimated or sent", async () => {
    const { folder, rolesPath, remove } = await createWorkspace({
      ...roles,
      publicUrl: `https://${"a".repeat(80)}.example`,
    });
    const args = ["--rpc", chain.rpcUrl, "--roles", rolesPath, "--out", folder, "--yes", "--json"];
    const outcome = await runCommand("deploy", args, { ARCADE_DEPLOYER_KEY: people.deployer.key });
    expect(outcome.code).to.equal(1);
    expect(outcome.json!.error).to.include("publicUrl: at most 96 bytes");
    await remove();
  });

  it("rejects a plain key as the admin where tokens have a price, and a chain without the factory", async () => {
    await bare.client.setBalance({ address: people.deployer.address, value: FUNDED_BALANCE_WEI });
    const errors = await findErrors(bare).catch((error: Error) => [error.message]);
    expect(errors.map((error) => error.split(":")[0])).to.deep.equal(["admin", "CreateX"]);
  });

  it("does not continue with a deployment other than the one that was started", async () => {
    const { folder, remove } = await createWorkspace(roles);
    const job = createDeployOptions(chain, people.deployer, roles, folder);
    await (await prepareDeployment(job)).execute(() => {});
    expect((await prepareDeployment(job)).progress).to.equal("complete");
    const other = { ...job, parameters: { ...job.parameters, signerDelaySeconds: 200_000 } };
    const message = (error: unknown): string => (error as Error).message;
    const rejected = await prepareDeployment(other).catch((error: unknown) => error);
    expect(rejected).to.be.instanceOf(DifferentDeploymentError);
    expect(message(rejected)).to.include("parameters, deployer or salt have changed");
    const salted = await prepareDeployment({ ...job, saltLabel: "other" }).catch(message);
    expect(salted).to.include("salt");
    const state = join(job.folder, "state.json");
    const saved = JSON.parse(await readFile(state, "utf8"));
    await writeFile(state, JSON.stringify({ ...saved, genesisHash: `0x${"0".repeat(64)}` }));
    expect(await prepareDeployment(job).catch(message)).to.include("another chain with the same id");
    await remove();
  });
});

describe("read a file of roles", () => {
  it("reports all errors of the file at once, and accepts limits", async () => {
    const { roles } = createTestAccounts();
    const { folder, remove } = await createWorkspace(roles);
    const path = join(folder, "other.json");
    const bad = { ...roles, admin: "0x12", treasury: undefined, publicUrl: "ftp://x", float: 1.5, extra: 1 };
    await writeFile(path, JSON.stringify(bad));
    const { message } = (await readRoles(path).catch((error: unknown) => error)) as Error;
    for (const name of ["admin:", "treasury:", "publicUrl:", "float:", "extra"]) expect(message).to.include(name);
    // With quotes and without.
    for (const write of [String, Number]) {
      const rewards = { minScore: write(5), payoutCooldownSeconds: write(9) };
      await writeFile(path, JSON.stringify({ ...roles, float: write(7), signerDelaySeconds: write(60), rewards }));
      const { applyLimits: override } = await readRoles(path);
      const changed = override({ float: 1n, rewards: { minScore: 1n, dailyCap: 3n } } as never);
      const limits = { minScore: 5n, payoutCooldownSeconds: 9, dailyCap: 3n };
      expect(changed).to.deep.equal({ float: 7n, next: {}, signerDelaySeconds: 60, rewards: limits });
    }
    await writeFile(path, `${JSON.stringify(roles).slice(0, -1)}, "float": ${2 ** 53}}`);
    const large = (await readRoles(path).catch((error: unknown) => error)) as Error;
    expect(large.message).to.include("float: expected a whole number, in quotes if it has more than 15 digits");
    await remove();
  });
});
