import { expect } from "chai";
import { type Address, type Hex, parseAbi } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { developmentAccount } from "../../backend/config/dev-keys.ts";
import type { DeploymentRecord } from "../../deploy/record.ts";
import { command } from "../../scripts/deploy.ts";
import { callCommand } from "../helpers/commands.ts";
import { useShared } from "../helpers/fixture.ts";
import { type ChainKeys, createChainRunner } from "./chain-command.ts";
import { createDeployOptions, FUNDED_BALANCE_WEI, openTestnet, runDeployment, type Testnet } from "./job.ts";
import { deploySafe } from "./safe.ts";
import { createTestAccounts } from "./testnet.ts";

const VIEWS = parseAbi([
  "function defaultAdmin() view returns (address)",
  "function paused() view returns (bool)",
  "function getMinDelay() view returns (uint256)",
]);
const DAY_SECONDS = 86_400;

interface PlainCall {
  readonly to: Address;
  readonly data: Hex;
}

describe("a timelock or a Safe as the admin", () => {
  const { people, roles } = createTestAccounts();
  const proposer = privateKeyToAccount(generatePrivateKey());
  let chain: Testnet["chain"];
  let record: DeploymentRecord;
  let run: ReturnType<typeof createChainRunner>;
  let snapshot: Hex;
  const admin: ChainKeys = { admin: people.admin.key };

  const testnet = useShared(() =>
    openTestnet({ people, roles }, [people.deployer, people.admin, people.guardian, proposer]),
  );
  before(async () => {
    ({ chain } = testnet);
    const options = createDeployOptions(chain, people.deployer, roles, testnet.place.folder);
    record = await runDeployment(options);
    run = createChainRunner(chain, options.recordPath);
  });
  beforeEach(async () => {
    snapshot = await chain.client.snapshot();
  });
  afterEach(() => chain.client.revert({ id: snapshot }));

  const deployTimelock = (...args: string[]) => {
    const common = ["timelock", "--rpc", chain.rpcUrl, "--confirmations", "1", "--no-verify", "--json"];
    const env = { ARCADE_DEPLOYER_KEY: people.deployer.key };
    return callCommand(command, [...common, "--out", testnet.place.folder, ...args], env);
  };
  const createTimelock = async (): Promise<Address> => {
    const delay = ["--delay-seconds", String(2 * DAY_SECONDS)];
    const { code, json, err } = await deployTimelock("--proposers", proposer.address, ...delay, "--yes");
    expect(code, err).to.equal(0);
    return json.address;
  };
  const send = async ({ to, data }: PlainCall): Promise<string> => {
    try {
      const hash = await chain.client.sendTransaction({ account: proposer, to, data } as never);
      return (await chain.client.waitForTransactionReceipt({ hash })).status;
    } catch (error) {
      return (error as Error).message;
    }
  };
  const advanceTime = async (seconds: number): Promise<void> => {
    await chain.client.increaseTime({ seconds });
    await chain.client.mine({ blocks: 1 });
  };
  const propose = async (...args: string[]) => {
    const { code, json, err } = await run({}, args);
    expect(code, err).to.equal(0);
    expect(json.status).to.equal("proposed");
    expect(json.proposals).to.have.length(1);
    return json.proposals[0];
  };
  const listAdmins = () =>
    Promise.all(
      [record.rewards, record.identity, ...Object.values(record.nft)].map((address) =>
        chain.client.readContract({ address, abi: VIEWS, functionName: "defaultAdmin" }),
      ),
    );
  const isPaused = () => chain.client.readContract({ address: record.rewards, abi: VIEWS, functionName: "paused" });

  it("plans a timelock with address and cost, deploys it once, and reads its roles from the chain", async () => {
    const planned = await deployTimelock("--proposers", proposer.address, "--plan");
    expect(planned.code, planned.err).to.equal(0);
    expect(BigInt(planned.json.plan.costWei) > 0n).to.equal(true);
    const count = () => chain.client.getTransactionCount({ address: people.deployer.address });
    const sent = await count();
    const deployed = await deployTimelock("--proposers", proposer.address, "--yes");
    expect(deployed.code, deployed.err).to.equal(0);
    expect(deployed.json.address).to.equal(planned.json.plan.address);
    expect(deployed.json.checks.every(({ holds }: { holds: boolean }) => holds)).to.equal(true);
    expect(deployed.json.checks.map(({ what }: { what: string }) => what)).to.include(`${proposer.address} executes`);
    expect(await count()).to.equal(sent + 1);
    const again = await deployTimelock("--proposers", proposer.address);
    expect(again.code, again.err).to.equal(0);
    expect(again.json.plan.isDone).to.equal(true);
    expect(await count()).to.equal(sent + 1);
    const delay = await chain.client.readContract({
      address: deployed.json.address,
      abi: VIEWS,
      functionName: "getMinDelay",
    });
    expect(delay).to.equal(300n);
  });

  it("rejects a timelock that would not protect anything, and sends nothing without confirmation", async () => {
    const known = developmentAccount(0).address;
    const rejections: readonly (readonly [readonly string[], number, string])[] = [
      [["--yes"], 2, "--proposers"],
      [["--proposers", "0x12", "--yes"], 2, "expected addresses"],
      [["--proposers", proposer.address, "--delay-seconds", "59", "--yes"], 2, "from 60"],
      [["--proposers", people.deployer.address, "--yes"], 1, "must not keep a role"],
      [["--proposers", known, "--yes"], 1, "whose key is public"],
      [["--proposers", proposer.address, "--executors", "any"], 2, "--yes"],
    ];
    for (const [args, code, text] of rejections) {
      const rejected = await deployTimelock(...args);
      expect(rejected.code, args.join(" ")).to.equal(code);
      expect(rejected.json.error).to.include(text);
    }
    const misplaced = await callCommand(command, ["--proposers", proposer.address, "--rpc", chain.rpcUrl]);
    expect(misplaced.err).to.include("belongs to npm run deploy -- timelock");
  });

  it("prints the timelock's calls instead of failing, even if the same call was executed before", async () => {
    const timelock = await createTimelock();
    await run(admin, ["transfer-admin", timelock]);
    const { operation } = await propose("accept-admin");
    await send(operation.schedule);
    await advanceTime(2 * DAY_SECONDS + 1);
    await send(operation.execute);
    const ids: string[] = [];
    for (let round = 0; round < 2; round++) {
      expect((await run({ guardian: people.guardian.key }, ["pause", "--contract", "rewards"])).json.status).to.equal(
        "sent",
      );
      const proposal = await propose("unpause");
      expect(proposal.calls[0]).to.include({ to: record.rewards, data: "0x3f4ba83a", call: "rewards.unpause()" });
      ids.push(proposal.operation.id);
      expect(await send(proposal.operation.schedule)).to.equal("success");
      await advanceTime(2 * DAY_SECONDS);
      expect(await send(proposal.operation.execute)).to.equal("success");
      expect(await isPaused()).to.equal(false);
    }
    expect(new Set(ids).size).to.equal(2);
    const refused = await run({}, ["limits", "--daily-cap", "200000"]);
    expect(refused.json.code).to.equal("REVERTED");
  });

  it("prints a Safe's calls, and the Safe's transaction has that effect", async () => {
    const safe = await deploySafe(chain, proposer);
    await run(admin, ["transfer-admin", safe.address]);
    await advanceTime(2 * DAY_SECONDS + 1);
    const acceptance = await propose("accept-admin");
    expect(acceptance).to.deep.include({ holder: { address: safe.address, kind: "safe" }, operation: null });
    for (const call of acceptance.calls) await safe.execute(call);
    expect(new Set(await listAdmins())).to.deep.equal(new Set([safe.address]));
    await chain.client.setBalance({ address: people.guardian.address, value: FUNDED_BALANCE_WEI });
    await run({ guardian: people.guardian.key }, ["pause", "--contract", "rewards"]);
    const [unpause] = (await propose("unpause")).calls;
    await safe.execute(unpause);
    expect(await isPaused()).to.equal(false);
  });
});
