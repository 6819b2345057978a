import { expect } from "chai";
import { keccak256 } from "viem";
import { prepareDeployment } from "../../deploy/execute-public.ts";
import { CREATE_X, CREATE_X_CODE_HASH } from "../../deploy/public/create2.ts";
import { useEach } from "../helpers/fixture.ts";
import { createDeployOptions, createWorkspace } from "./job.ts";
import { createTestAccounts, runCommand, startAnvil } from "./testnet.ts";

const FACTORY_WEI = 3n * 10n ** 17n;
const CREATE_X_DEPLOYER = "0xeD456e05CaAb11d66C4c797dD6c1D6f9A7F352b5";

describe("place the factory on a testnet that lacks it", () => {
  const { people, roles } = createTestAccounts();
  const place = useEach(async () => {
    const chain = await startAnvil({ createX: false });
    const workspace = await createWorkspace(roles);
    const job = createDeployOptions(chain, people.deployer, roles, workspace.folder);
    return { chain, workspace, job, close: () => Promise.all([chain.close(), workspace.remove()]) };
  });
  const fund = (value: bigint) => place.chain.client.setBalance({ address: people.deployer.address, value });

  it("is part of the plan, and of the deployer's required balance", async () => {
    const { plan, preflight } = await prepareDeployment(place.job);
    expect(preflight.faults).to.deep.equal([]);
    expect(plan.factoryWei).to.equal(FACTORY_WEI);
    expect(plan.requiredWei - plan.costWei).to.equal(plan.costWei - FACTORY_WEI);
    await fund(plan.requiredWei - 1n);
    const args = ["--network", "baseSepolia", "--rpc", place.chain.rpcUrl, "--roles", place.workspace.rolesPath];
    const env = { ARCADE_DEPLOYER_KEY: people.deployer.key };
    const run = () =>
      runCommand("deploy", [...args, "--out", place.workspace.folder, "--salt", "test", "--plan", "--json"], env);
    const missing = await run();
    expect(missing.code, missing.stderr).to.equal(1);
    expect(missing.stderr)
      .to.include("0.3 ETH to place the factory CreateX")
      .and.match(/✗ deployer: has 0\.\d+ ETH/);
    await fund(plan.requiredWei);
    const enough = await run();
    expect(enough.code, enough.stderr).to.equal(0);
  });

  it("pays its signer the missing amount, and continues after an interruption without paying twice", async () => {
    const { chain, job } = place;
    await fund(10n ** 19n);
    await chain.client.setBalance({ address: CREATE_X_DEPLOYER, value: FACTORY_WEI / 3n });
    const { request: node } = chain.client;
    let sends = 0;
    const request = async (call: { readonly method: string }) => {
      if (call.method === "eth_sendRawTransaction" && ++sends === 2) throw new Error("away");
      return node(call as never);
    };
    const failed = await (await prepareDeployment({ ...job, request }))
      .execute(() => {})
      .catch((error: Error) => error);
    expect((failed as Error).message).to.include("rejects CreateX's presigned transaction (away)");
    expect(await chain.client.getBalance({ address: CREATE_X_DEPLOYER })).to.equal(FACTORY_WEI);
    await (await prepareDeployment(job)).execute(() => {});
    expect(keccak256((await chain.client.getCode({ address: CREATE_X }))!)).to.equal(CREATE_X_CODE_HASH);
    expect((await prepareDeployment(job)).progress).to.equal("complete");
    // One transfer, and the eight steps.
    expect(await chain.client.getTransactionCount({ address: people.deployer.address })).to.equal(9);
  });

  it("rejects a chain whose fees exceed those of the presigned transaction, or that has already used it", async () => {
    const { chain, job } = place;
    await chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 101n * 10n ** 9n });
    await chain.client.mine({ blocks: 1 });
    const { faults } = (await prepareDeployment(job)).preflight;
    expect(faults).to.have.length(1);
    expect(faults[0]).to.include("pays 100 gwei for gas, but chain 84532 requires 101; wait until fees fall");
    await chain.client.setNonce({ address: CREATE_X_DEPLOYER, nonce: 1 });
    const used = (await prepareDeployment(job)).preflight.faults;
    expect(used).to.have.length(1);
    expect(used[0]).to.include("has failed on chain 84532");
  });
});
