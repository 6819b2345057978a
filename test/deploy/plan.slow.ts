import { expect } from "chai";
import { type Hex, size } from "viem";
import { prepareDeployment } from "../../deploy/execute-public.ts";
import { CREATE_X, createSalt, encodeDeployCreate2 } from "../../deploy/public/create2.ts";
import { createRpcRequest, type RpcRequest } from "../../deploy/public/rpc.ts";
import { useShared } from "../helpers/fixture.ts";
import { createDeployOptions, openTestnet, type Testnet } from "./job.ts";
import { createTestAccounts, runCommand } from "./testnet.ts";

const GAS_PRICE_ORACLE = "0x420000000000000000000000000000000000000F";
const WEI_A_BYTE = 10n ** 9n;
/** Returns 10^9 for each byte of a call's data: CALLDATASIZE PUSH4 MUL, stored and returned. */
const FEE_BY_SIZE = "0x36633b9aca00025f5260205ff3";

describe("plan a deployment", () => {
  const { people, roles } = createTestAccounts();
  let chain: Testnet["chain"];
  let workspace: Testnet["place"];
  let snapshot: Hex;

  const testnet = useShared(() => openTestnet({ people, roles }));
  before(async () => {
    ({ chain, place: workspace } = testnet);
  });
  beforeEach(async () => {
    snapshot = await chain.client.snapshot();
  });
  afterEach(() => chain.client.revert({ id: snapshot }));

  const job = () => createDeployOptions(chain, people.deployer, roles, workspace.folder);
  const getPlan = async () => (await prepareDeployment(job())).plan;
  /** Sends the creation of the token, like an interrupted deployment. */
  async function sendFirstStep(): Promise<void> {
    const [token] = (await getPlan()).steps;
    if (token?.kind !== "create") throw new Error("the first step creates the token");
    const data = encodeDeployCreate2(createSalt(people.deployer.address, job().saltLabel), token.initCode);
    await chain.client.sendTransaction({ account: people.deployer, to: CREATE_X, data, gas: 3_000_000n });
  }

  it("plans at a node that has pruned the first block", async () => {
    const node = createRpcRequest(chain.rpcUrl);
    const request: RpcRequest = async (call) =>
      call.method === "eth_getBlockByNumber" && call.params?.[0] === "0x0" ? null : node(call);
    expect(await prepareDeployment({ ...job(), request })).to.include({ progress: "fresh" });
  });

  it("plans while a creation of an earlier run waits for its block", async () => {
    await chain.client.setAutomine(false);
    await sendFirstStep();
    const [waiting] = (await getPlan()).steps;
    expect(waiting).to.include({ name: "Token.RewardToken", isDone: false });
    await chain.client.setAutomine(true);
    await chain.client.mine({ blocks: 1 });
    expect((await getPlan()).steps[0]).to.include({ isDone: true, gas: 0n });
  });

  it("plans while the block of an earlier run's creation is mined between two requests", async () => {
    await chain.client.setAutomine(false);
    await sendFirstStep();
    const node = createRpcRequest(chain.rpcUrl);
    const request: RpcRequest = async (call) => {
      if (call.method === "eth_estimateGas") await chain.client.mine({ blocks: 1 });
      return node(call);
    };
    const [mined, ...others] = (await prepareDeployment({ ...job(), request })).plan.steps;
    await chain.client.setAutomine(true);
    expect(mined).to.include({ name: "Token.RewardToken", isDone: true, gas: 0n });
    expect(others.every(({ isDone, gas }) => !isDone && gas > 0n)).to.equal(true);
  });

  it("includes a rollup's data fee in the deployer's required balance", async () => {
    const without = await getPlan();
    expect(without.dataFeeWei).to.equal(0n);
    await chain.client.setCode({ address: GAS_PRICE_ORACLE, bytecode: FEE_BY_SIZE });
    const plan = await getPlan();
    const bytes = plan.steps.map((step) => size(step.kind === "create" ? step.initCode : step.data));
    const least = WEI_A_BYTE * BigInt(bytes.reduce((sum, one) => sum + one, 0));
    // Addresses, salt, lengths and padding of a transaction stay below 500 bytes.
    expect(plan.dataFeeWei)
      .to.be.greaterThan(least)
      .and.lessThan(least + WEI_A_BYTE * 500n * BigInt(bytes.length));
    expect(plan.costWei).to.equal(plan.gas * plan.gasPrice + plan.dataFeeWei);
    expect(plan.requiredWei).to.equal(2n * plan.costWei);

    const args = ["--network", "baseSepolia", "--rpc", chain.rpcUrl, "--roles", workspace.rolesPath];
    const deploy = () =>
      runCommand("deploy", [...args, "--out", workspace.folder, "--yes", "--json"], {
        ARCADE_DEPLOYER_KEY: people.deployer.key,
      });
    // Enough for gas, but not for data.
    await chain.client.setBalance({ address: people.deployer.address, value: 2n * plan.gas * plan.gasPrice });
    const rejected = await deploy();
    expect(rejected.code, rejected.stderr).to.equal(3);
    expect(rejected.stderr).to.match(/and [\d.]+ ETH for data/);
    expect(rejected.json!.error).to.include("but needs");
  });
});
