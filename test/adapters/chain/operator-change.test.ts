/** The operator's key is replaced while transactions of the old one are open. */
import { expect } from "chai";
import { encodeFunctionData, erc20Abi, type Hex, keccak256, parseAbi, stringToHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { createOperatorPolicy } from "../../../domain/operator-policy.ts";
import { AGAINST_POLICY } from "../../../domain/operator-transactions.ts";
import { SENDS, testKeys, waitFor } from "./chain-fixture.ts";
import { operator, recipient, useTransactionManager, WAIT_MS } from "./manager-fixture.ts";

const ROLES = parseAbi([
  "function grantRole(bytes32 role, address account)",
  "function revokeRole(bytes32 role, address account)",
]);
const OPERATOR_ROLE = keccak256(stringToHex("OPERATOR_ROLE"));
const next = privateKeyToAccount(testKeys.guardian);
/** More polls than until a transaction counts as lost, and than between two checks of mined ones. */
const POLLS = 12;

describe("transactions of an operator that was replaced", () => {
  const env = useTransactionManager();
  before(async () => {
    for (const player of env.chain.players.slice(0, 3)) await env.chain.actions.register(player);
  });

  const startNext = (more = {}) => env.start({ privateKey: testKeys.guardian, ...more });
  const setRole = async (functionName: "grantRole" | "revokeRole", account: Hex) => {
    const data = encodeFunctionData({ abi: ROLES, functionName, args: [OPERATOR_ROLE, account] });
    const admin = privateKeyToAccount(testKeys.admin);
    await env.chain.client.sendTransaction({ account: admin, to: env.chain.deployment.rewards, data });
  };
  const replaceRole = async () => {
    await setRole("revokeRole", operator.address);
    await setRole("grantRole", next.address);
  };
  /** The reward tokens of a player. */
  const tokensOf = (index: number): Promise<bigint> =>
    env.chain.client.readContract({
      address: env.chain.deployment.token,
      abi: erc20Abi,
      functionName: "balanceOf",
      args: [env.chain.players[index]!.address],
    });
  const find = async ({ kind, key }: { readonly kind: string; readonly key: string }) =>
    (await env.findRow(kind, key))!;
  /** A call that the old operator has stored but not sent. */
  async function leave(request: Parameters<ReturnType<typeof env.start>["submit"]>[0]) {
    const old = env.start();
    env.node.fail("cut", SENDS);
    await old.submit(request);
    await env.stop(old);
    env.node.fail(null);
    return await find(request);
  }
  /** An order that the old operator has carried out but not sent. */
  async function orderOnly(id: string, order: "bump" | "cancel") {
    env.node.fail("cut", SENDS);
    const old = env.start({ pollMs: 60_000 });
    await old.order(id, order).catch(() => null);
    await env.stop(old);
    env.node.fail(null);
  }
  async function pollOften(manager: ReturnType<typeof env.start>): Promise<void> {
    for (let polls = 0; polls < POLLS; polls++) await manager.poll();
  }

  it("reach the chain as they are while they can", async () => {
    const left = await leave(env.transfer("left over"));
    const manager = startNext();
    expect(manager.counts()).to.include({ included: 0, failed: 0, reorganized: 0 });
    const { id } = await manager.submit(env.transfer("left over"));
    expect(await manager.waitForTransaction(id, WAIT_MS)).to.include({ status: "included", txHash: left.txHash });
    await pollOften(manager);
    expect(manager.counts()).to.include({ included: 1, failed: 0, reorganized: 0 });
    expect(await env.balance()).to.equal(1n);
  });

  it("count as sent when a node has them although their process ended before it stored that", async () => {
    const left = await leave(env.transfer("sent"));
    await env.chain.client.setAutomine(false);
    await env.chain.client.sendRawTransaction({ serializedTransaction: left.raw });
    const manager = startNext();
    await manager.poll();
    expect(await find(left)).to.include({ status: "sent", from: operator.address, raw: left.raw });
    expect((await find(left)).sentAtMs).to.not.equal(null);
    await env.chain.client.mine({ blocks: 1 });
    expect((await manager.waitForTransaction(left.id, WAIT_MS)).status).to.equal("included");
  });

  it("are signed by the new operator when their nonces were used otherwise", async () => {
    const left = await leave(env.transfer("nonce used"));
    await env.chain.client.sendTransaction({ account: operator, to: recipient, value: 5n });
    const manager = startNext();
    expect((await manager.waitForTransaction(left.id, WAIT_MS)).status).to.equal("included");
    expect(await find(left)).to.include({ id: left.id, from: next.address, to: left.to });
    expect(await env.balance()).to.equal(6n);
  });

  it("pay once by the new operator when the old one has lost its role", async () => {
    const request = await env.preparePayout(0);
    const left = await leave(request);
    const before = await tokensOf(0);
    await replaceRole();
    const manager = startNext();
    const { id } = await manager.submit(request);
    expect((await manager.waitForTransaction(id, WAIT_MS)).status).to.equal("included");
    const paid = await find(left);
    expect(paid).to.include({ id: left.id, from: next.address });
    expect(await tokensOf(0)).to.equal(before + 10n * 10n ** 18n);
    // The old transaction is mined after all: it pays nothing, and changes no stored row.
    const hash = await env.chain.client.sendRawTransaction({ serializedTransaction: left.raw });
    expect((await env.chain.client.waitForTransactionReceipt({ hash })).status).to.equal("reverted");
    await pollOften(manager);
    expect(await tokensOf(0)).to.equal(before + 10n * 10n ** 18n);
    expect(await find(left)).to.include({ status: "included", txHash: paid.txHash });
  });

  it("pay once when the old transaction waits in a pool beside the new one", async () => {
    const request = await env.preparePayout(1);
    const left = await leave(request);
    const before = await tokensOf(1);
    await replaceRole();
    await env.chain.client.setAutomine(false);
    await env.chain.client.sendRawTransaction({ serializedTransaction: left.raw });
    const manager = startNext();
    await waitFor(async () => (await find(left)).from === next.address && (await find(left)).status === "sent");
    await env.chain.client.mine({ blocks: 1 });
    expect((await manager.waitForTransaction(left.id, WAIT_MS)).status).to.equal("included");
    expect(await env.chain.client.getTransactionReceipt({ hash: left.txHash })).to.include({ status: "reverted" });
    expect(await tokensOf(1)).to.equal(before + 10n * 10n ** 18n);
  });

  it("wait while the contract accepts neither operator", async () => {
    const left = await leave(await env.preparePayout(0));
    await setRole("revokeRole", operator.address);
    const manager = startNext();
    await pollOften(manager);
    expect((await find(left)).status).to.equal("queued");
    await setRole("grantRole", next.address);
    expect((await manager.waitForTransaction(left.id, WAIT_MS)).status).to.equal("included");
  });

  it("fail when the contract rejects the call from the new operator too", async () => {
    const left = await leave(await env.preparePayout(2));
    await env.chain.actions.payout(env.chain.players[2]!);
    const paid = await tokensOf(2);
    await replaceRole();
    const manager = startNext();
    expect((await manager.waitForTransaction(left.id, WAIT_MS)).status).to.equal("failed");
    expect(manager.counts().failed).to.equal(1);
    expect(await tokensOf(2)).to.equal(paid);
  });

  it("are followed when a block has them, until it is final", async () => {
    const left = await leave(await env.preparePayout(0));
    const before = await tokensOf(0);
    await env.chain.client.sendRawTransaction({ serializedTransaction: left.raw });
    await replaceRole();
    let finalBlock = -1;
    const manager = startNext({ readFinalBlock: async () => finalBlock });
    expect(await manager.waitForTransaction(left.id, WAIT_MS)).to.include({ status: "included", txHash: left.txHash });
    await pollOften(manager);
    expect(await find(left)).to.include({ from: operator.address, settledAtMs: null });
    finalBlock = Number(await env.chain.client.getBlockNumber());
    await pollOften(manager);
    expect((await find(left)).settledAtMs).to.not.equal(null);
    expect(await tokensOf(0)).to.equal(before + 10n * 10n ** 18n);
  });

  it("are sent again when a reorganization takes their block", async () => {
    const left = await leave(env.transfer("reorganized"));
    const forkId = await env.chain.client.snapshot();
    const manager = startNext();
    await manager.waitForTransaction(left.id, WAIT_MS);
    await env.chain.client.revert({ id: forkId });
    await env.chain.client.mine({ blocks: 2 });
    await pollOften(manager);
    expect(manager.counts().reorganized).to.equal(1);
    expect(await env.balance()).to.equal(1n);
    expect(await find(left)).to.include({ status: "included", txHash: left.txHash });
  });

  it("are found in the version that was mined, whose fees were raised later", async () => {
    const left = await leave(env.transfer("raised"));
    await orderOnly(left.id, "bump");
    expect((await find(left)).raw).to.not.equal(left.raw);
    await env.chain.client.sendRawTransaction({ serializedTransaction: left.raw });
    await env.chain.client.mine({ blocks: 3 });
    const manager = startNext();
    expect(await manager.waitForTransaction(left.id, WAIT_MS)).to.include({ status: "included", txHash: left.txHash });
    await pollOften(manager);
    expect(await env.balance()).to.equal(1n);
  });

  it("are not signed by the new operator against its policy", async () => {
    const left = await leave(env.transfer("against the policy"));
    await env.chain.client.sendTransaction({ account: operator, to: recipient, value: 5n });
    const manager = startNext({ policy: createOperatorPolicy(env.chain.deployment, 10) });
    expect((await manager.waitForTransaction(left.id, WAIT_MS)).status).to.equal("failed");
    expect((await find(left)).lastError).to.equal(AGAINST_POLICY);
    expect(await env.balance()).to.equal(5n);
  });

  it("fail when they were cancelled and their nonces are used", async () => {
    const left = await leave(env.transfer("cancelled"));
    await orderOnly(left.id, "cancel");
    await env.chain.client.sendTransaction({ account: operator, to: recipient, value: 5n });
    expect((await startNext().waitForTransaction(left.id, WAIT_MS)).status).to.equal("failed");
    expect((await find(left)).lastError).to.equal("REPLACED");
    expect(await env.balance()).to.equal(5n);
  });
});
