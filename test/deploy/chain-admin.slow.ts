import { expect } from "chai";
import { type Address, formatUnits, type Hex, parseAbi } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { DeploymentRecord } from "../../deploy/record.ts";
import { startChaosNode } from "../../testing/chaos/node.ts";
import { useShared } from "../helpers/fixture.ts";
import { type ChainKeys, createChainRunner } from "./chain-command.ts";
import { createDeployOptions, openTestnet, runDeployment, type Testnet } from "./job.ts";
import { createTestAccounts } from "./testnet.ts";

const VIEWS = parseAbi([
  "function paused() view returns (bool)",
  "function signer() view returns (address, bool)",
  "function isRevokedSigner(address account) view returns (bool)",
  "function caps() view returns (uint256, uint256)",
  "function maxPayout() view returns (uint256)",
  "function maxScorePerSession() view returns (uint256)",
  "function floatBalance() view returns (uint256)",
  "function balanceOf(address account) view returns (uint256)",
  "function allowance(address owner, address spender) view returns (uint256)",
  "function hasRole(bytes32 role, address account) view returns (bool)",
  "function GUARDIAN_ROLE() view returns (bytes32)",
  "function OPERATOR_ROLE() view returns (bytes32)",
  "function pendingDefaultAdmin() view returns (address, uint48)",
  "function defaultAdmin() view returns (address)",
]);
const TOKEN = 10n ** 18n;
const DAY_SECONDS = 86_400;

describe("change the contracts by npm run admin -- chain", () => {
  const { people, roles } = createTestAccounts();
  const fresh = privateKeyToAccount(generatePrivateKey()).address;
  let chain: Testnet["chain"];
  let record: DeploymentRecord;
  let run: ReturnType<typeof createChainRunner>;
  let recordPath: string;
  let snapshot: Hex;
  const admin: ChainKeys = { admin: people.admin.key };
  const guardian: ChainKeys = { guardian: people.guardian.key };

  const testnet = useShared(() =>
    openTestnet({ people, roles }, [people.deployer, people.admin, people.guardian, people.treasury]),
  );
  before(async () => {
    ({ chain } = testnet);
    const options = createDeployOptions(chain, people.deployer, roles, testnet.place.folder);
    record = await runDeployment(options);
    recordPath = options.recordPath;
    run = createChainRunner(chain, recordPath);
  });
  beforeEach(async () => {
    snapshot = await chain.client.snapshot();
  });
  afterEach(() => chain.client.revert({ id: snapshot }));

  const read = async (functionName: string, address: Address = record.rewards, args: readonly unknown[] = []) =>
    (await chain.client.readContract({ address, abi: VIEWS, functionName, args } as never)) as unknown;
  const succeed = async (keys: ChainKeys, ...args: string[]) => {
    const result = await run(keys, args);
    expect(result.code, result.err).to.equal(0);
    expect(result.json.ok).to.equal(true);
    return result.json;
  };
  const countSent = () => chain.client.getTransactionCount({ address: people.guardian.address });

  it("pauses every contract as the guardian, the one with the money first, and only the admin unpauses", async () => {
    const answer = await succeed(guardian, "pause");
    expect(answer.status).to.equal("sent");
    const names = ["rewards", "identity", ...Object.keys(record.nft).map((slug) => `nft.${slug}`)];
    expect(answer.calls.map(({ contract }: { contract: string }) => contract)).to.deep.equal(names);
    for (const call of answer.calls) {
      expect(call.from).to.equal(people.guardian.address);
      expect(call.change).to.include({ from: "no", to: "yes" });
      expect((await chain.client.getTransactionReceipt({ hash: call.txHash })).status).to.equal("success");
    }
    expect(BigInt(answer.costWei) > 0n).to.equal(true);
    expect(await read("paused")).to.equal(true);
    expect((await succeed(guardian, "pause")).status).to.equal("unchanged");
    const rejected = await run(guardian, ["unpause"]);
    expect(rejected.code).to.equal(4);
    expect(rejected.json.code).to.equal("MISSING_KEY");
    await succeed(admin, "unpause");
    expect(await read("paused")).to.equal(false);
  });

  it("reports no success while the node does not show the effect", async () => {
    const node = await startChaosNode({ to: chain.rpcUrl });
    const seen = new Map<string, unknown>();
    let isSent = false;
    // After the transaction, each call gets the same answer as before.
    node.intercept(({ method, params = [] }, answer) => {
      isSent ||= method === "eth_sendRawTransaction";
      const call = JSON.stringify(params[0]);
      if (method !== "eth_call") return answer;
      if (!isSent) seen.set(call, answer.result);
      return isSent && seen.has(call) ? { ...answer, result: seen.get(call) } : answer;
    });
    try {
      const runBehind = createChainRunner({ ...chain, rpcUrl: node.url }, recordPath);
      const { code, json } = await runBehind(guardian, ["pause", "--contract", "rewards"]);
      expect(code).to.equal(3);
      expect(json.error).to.match(/in blocks, but the chain does not show rewards\.pause/);
    } finally {
      await node.close();
    }
    expect(await read("paused")).to.equal(true);
    expect((await succeed(guardian, "pause", "--contract", "rewards")).status).to.equal("unchanged");
  });

  it("reports the address that has the role when the key lacks it", async () => {
    const keysWithoutRole = { guardian: people.operator.key, admin: people.treasury.key };
    const { code, json } = await run(keysWithoutRole, ["pause", "--contract", "rewards"]);
    expect(code).to.equal(4);
    expect(json.code).to.equal("MISSING_ROLE");
    for (const { address } of [people.guardian, people.admin, people.operator, people.treasury])
      expect(json.error).to.include(address);
    expect(await read("paused")).to.equal(false);
    const raised = await run({ admin: people.guardian.key }, ["unpause"]);
    expect(raised.json.status ?? raised.json.code).to.equal("unchanged");
  });

  it("reports the guardian that replaced the deployment's", async () => {
    await succeed(admin, "grant", "guardian", fresh);
    await succeed(admin, "remove", "guardian", people.guardian.address);
    const { json } = await run(guardian, ["pause"]);
    expect(json.code).to.equal("MISSING_ROLE");
    expect(json.error).to.include(`the guardian ${fresh}`);
  });

  it("sends nothing without confirmation or with --plan, which needs no key and shows the exact calls", async () => {
    const before = await countSent();
    const unasked = await run(guardian, ["pause"], { ask: true });
    expect(unasked.code).to.equal(2);
    expect(unasked.err).to.include("--yes").and.include("4 transactions");
    const planned = await run({}, ["pause", "--contract", "rewards", "--plan"]);
    expect(planned.code, planned.err).to.equal(0);
    expect(planned.json).to.include({ status: "planned" });
    expect(planned.json.calls[0]).to.include({ to: record.rewards, data: "0x8456cb59", call: "rewards.pause()" });
    expect(planned.json.calls[0].senders).to.include(people.guardian.address).and.include(people.admin.address);
    expect(await countSent()).to.equal(before);
    expect(await read("paused")).to.equal(false);
  });

  it("never prints a key", async () => {
    const { out, err } = await run(guardian, ["pause"]);
    expect(out + err).to.not.include(people.guardian.key.slice(2));
  });

  it("rejects a sender without gas money before it asks", async () => {
    await chain.client.setBalance({ address: people.guardian.address, value: 1n });
    const { code, json } = await run(guardian, ["pause"]);
    expect(code).to.equal(3);
    expect(json.error).to.include("in case fees rise");
  });

  it("revokes an active signer, bans a key everywhere, and lifts the ban as the admin", async () => {
    const revoked = await succeed(guardian, "revoke", people.score.address);
    expect(revoked.calls.map(({ contract }: { contract: string }) => contract)).to.deep.equal(["rewards"]);
    expect(revoked.notes[0]).to.include("rewards has no signer afterwards");
    expect((await succeed(guardian, "revoke", people.score.address)).status).to.equal("unchanged");
    expect((await run(guardian, ["revoke", fresh])).json.error).to.include("chain ban");
    const banned = await succeed(guardian, "ban", fresh);
    expect(banned.calls).to.have.length(4);
    const refused = await run(admin, ["rotate", fresh, "--contract", "rewards"]);
    expect(refused.json.error).to.include("was revoked");
    await succeed(admin, "clear-ban", fresh);
    expect(await read("isRevokedSigner", record.rewards, [fresh])).to.equal(false);
    await succeed(admin, "rotate", fresh, "--contract", "rewards");
  });

  it("rotates a signer in two runs of one command, and reports what follows", async () => {
    const rotate = ["rotate", fresh, "--contract", "rewards"];
    const scheduled = await succeed(admin, ...rotate);
    expect(scheduled.calls[0].call).to.equal(`rewards.scheduleSigner(${fresh}, false)`);
    const early = await run(admin, rotate);
    expect(early.code).to.equal(1);
    expect(early.json.error).to.match(/active from 20\d\d-/);
    const second = await run(admin, ["rotate", people.operator.address, "--contract", "rewards"]);
    expect(second.json.error).to.include("there can be only two");
    await chain.client.increaseTime({ seconds: DAY_SECONDS });
    await chain.client.mine({ blocks: 1 });
    const promoted = await succeed(admin, ...rotate);
    expect(promoted.calls[0].call).to.equal("rewards.promoteSigner()");
    expect(promoted.notes[0]).to.include(`chain revoke ${people.score.address} --contract rewards`);
    expect(await read("signer")).to.deep.equal([fresh, false]);
    expect((await succeed(admin, ...rotate)).status).to.equal("unchanged");
  });

  it("lets the guardian lower limits and only the admin raise them", async () => {
    await succeed(guardian, "limits", "--daily-cap", "1000", "--max-payout", "10", "--max-score", "500");
    expect(await read("caps")).to.deep.equal([1_000n * TOKEN, 100_000n * TOKEN]);
    expect(await read("maxPayout")).to.equal(10n * TOKEN);
    expect(await read("maxScorePerSession")).to.equal(500n);
    const raised = ["limits", "--daily-cap", "20000", "--max-payout", "5000"];
    expect((await run(guardian, raised)).json.code).to.equal("MISSING_KEY");
    expect((await run({ admin: people.guardian.key }, raised)).json.code).to.equal("MISSING_ROLE");
    await succeed(admin, ...raised);
    expect(await read("caps")).to.deep.equal([20_000n * TOKEN, 100_000n * TOKEN]);
    const reverted = await run(admin, ["limits", "--daily-cap", "200000"]);
    expect(reverted.json.code).to.equal("REVERTED");
    expect(reverted.json.error).to.include("LimitsContradict");
  });

  it("funds the float from the treasury and withdraws from it as the admin", async () => {
    const float = (await read("floatBalance")) as bigint;
    const funded = await succeed({ treasury: people.treasury.key }, "fund", "7.5");
    expect(funded.calls).to.have.length(2);
    expect(await read("floatBalance")).to.equal(float + (75n * TOKEN) / 10n);
    await succeed(admin, "withdraw", people.treasury.address, "7.5");
    expect(await read("floatBalance")).to.equal(float);
    expect((await run(admin, ["withdraw", people.treasury.address, "999999999"])).code).to.equal(2);
    const treasury = { treasury: people.treasury.key };
    const balance = (await read("balanceOf", record.token, [people.treasury.address])) as bigint;
    const sent = await chain.client.getTransactionCount({ address: people.treasury.address });
    const failed = await run(treasury, ["fund", formatUnits(balance + 1n, 18)]);
    expect(failed.json.error).to.match(/^Nothing was sent, because rewards\.fund\(.* has .* tokens, not .* tokens/);
    expect(await chain.client.getTransactionCount({ address: people.treasury.address })).to.equal(sent);
    expect(await read("allowance", record.token, [people.treasury.address, record.rewards])).to.equal(0n);
    await succeed(treasury, "fund", formatUnits(balance, 18));
    expect(await read("floatBalance")).to.equal(float + balance);
  });

  it("replaces the operator", async () => {
    const role = await read("OPERATOR_ROLE");
    await succeed(admin, "remove", "operator", people.operator.address);
    await succeed(admin, "grant", "operator", fresh);
    expect(await read("hasRole", record.rewards, [role, people.operator.address])).to.equal(false);
    expect(await read("hasRole", record.rewards, [role, fresh])).to.equal(true);
    expect((await run(admin, ["grant", "admin", fresh])).code).to.equal(2);
  });

  it("hands the admin's role to another key in two steps, and cancels a hand-over", async () => {
    const next = privateKeyToAccount(people.treasury.key);
    expect((await run(admin, ["transfer-admin", record.token])).json.error).to.include("could never act");
    await succeed(admin, "transfer-admin", next.address);
    expect((await read("pendingDefaultAdmin")) as readonly unknown[]).to.include(next.address);
    const keys: ChainKeys = { admin: people.treasury.key };
    expect((await run(keys, ["accept-admin"])).json.error).to.match(/can accept the admin's role after 20\d\d-/);
    await succeed(admin, "cancel-transfer", "--contract", "identity");
    await chain.client.increaseTime({ seconds: 2 * DAY_SECONDS + 1 });
    await chain.client.mine({ blocks: 1 });
    expect((await run(admin, ["accept-admin"])).json.code).to.equal("MISSING_ROLE");
    expect((await succeed(keys, "accept-admin")).calls).to.have.length(3);
    expect(await read("defaultAdmin")).to.equal(next.address);
    expect(await read("defaultAdmin", record.identity)).to.equal(people.admin.address);
  });

  it("rejects unknown arguments", async () => {
    const bad: readonly (readonly string[])[] = [
      ["pause", "--contract", "nft.pong"],
      ["revoke", "0x12"],
      ["rotate", fresh],
      ["cancel"],
      ["cancel", `${fresh}:0x12`],
      ["void", fresh],
      ["void", `${fresh}:0`],
      ["void", `${fresh}:1`, `${fresh}:2`],
      ["void", "@/no/such/file"],
      ["annul", "x", "--game", "flappybots"],
      ["annul", "1"],
      ["limits"],
      ["limits", "--daily-cap", "many"],
      ["grant", "operator", "nobody"],
    ];
    for (const args of bad) expect((await run(admin, args)).code, args.join(" ")).to.equal(2);
    expect((await run(admin, ["annul", "1", "--game", "flappybots"])).json.error).to.include("has no token 1");
  });
});
