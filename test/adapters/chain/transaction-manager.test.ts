import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { encodeErrorResult } from "viem";
import { systemClock } from "../../../backend/adapters/system/clock.ts";
import { ArcadeError } from "../../../domain/errors.ts";
import { createCall } from "../../../domain/typed-data/calls.ts";
import { errorsAbi } from "../../../domain/typed-data/errors-abi.ts";
import { refuseSends, silentLog, waitFor } from "./chain-fixture.ts";
import { operator, recipient, useTransactionManager, WAIT_MS } from "./manager-fixture.ts";

describe("the transaction manager", () => {
  const env = useTransactionManager();

  before(async () => {
    for (const player of env.chain.players) await env.chain.actions.register(player);
  });

  it("a payout is sent and reported when it is in a block", async () => {
    const writer = env.start();
    const request = await env.preparePayout(0);
    const submitted = await writer.submit(request);
    const settled = await writer.waitForTransaction(submitted.id, WAIT_MS);
    expect(settled).to.deep.include({ id: submitted.id, status: "included", kind: "payout", key: "payout-0" });
    const receipt = await env.chain.client.getTransactionReceipt({ hash: settled.txHash! });
    expect(receipt.status).to.equal("success");
    expect(Number(receipt.blockNumber)).to.equal(settled.block);
    expect(await writer.find(submitted.id)).to.deep.equal(settled);
    expect(await writer.find("unknown")).to.equal(null);
  });

  it("leaves no timer behind when it is closed", async () => {
    const timers = new Set<object>();
    const after: typeof systemClock.after = (ms, run) => {
      const timer = {};
      timers.add(timer);
      const cancel = systemClock.after(ms, () => {
        timers.delete(timer);
        run();
      });
      return () => {
        timers.delete(timer);
        cancel();
      };
    };
    const { nowMs, monotonicMs } = systemClock;
    await env.chain.client.setAutomine(false);
    const writer = env.start({ clock: { nowMs, monotonicMs, after }, pollMs: 60_000 });
    await writer.submit(env.transfer("waits"));
    await writer.poll();
    expect(timers.size).to.equal(1);
    await env.stop(writer);
    expect(timers.size).to.equal(0);
  });

  it("fifty concurrent calls with the same key get the same transaction", async () => {
    const writer = env.start();
    const before = await env.nonceOnChain();
    const results = await Promise.all(Array.from({ length: 50 }, () => writer.submit(env.transfer("same"))));
    expect(new Set(results.map(({ id }) => id)).size).to.equal(1);
    await writer.waitForTransaction(results[0]!.id, WAIT_MS);
    await writer.submit(env.transfer("same"));
    expect(await env.nonceOnChain()).to.equal(before + 1);
    expect(await env.balance()).to.equal(1n);
  });

  it("simultaneous calls are signed at once by a remote signer, however long each answer takes", async () => {
    let isHeld = false;
    const waiting: (() => void)[] = [];
    const server = createServer(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      if (isHeld) await new Promise<void>((resolve) => waiting.push(resolve));
      const { id, params } = JSON.parse(text);
      const { to, data, ...quantities } = params[0];
      const read = (name: string): bigint => BigInt(quantities[name]);
      const result = await operator.signTransaction({
        type: "eip1559",
        to,
        data,
        chainId: Number(read("chainId")),
        nonce: Number(read("nonce")),
        value: read("value"),
        gas: read("gas"),
        maxFeePerGas: read("maxFeePerGas"),
        maxPriorityFeePerGas: read("maxPriorityFeePerGas"),
      });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      const writer = env.start({ privateKey: { address: operator.address, url, token: null } });
      await writer.submit(env.transfer("first"));
      isHeld = true;
      const keys = Array.from({ length: 15 }, (_, index) => `slow-${index}`);
      const submitted = Promise.all(keys.map((key) => writer.submit(env.transfer(key))));
      await waitFor(() => waiting.length === keys.length);
      for (const release of waiting) release();
      for (const { id } of await submitted)
        expect((await writer.waitForTransaction(id, WAIT_MS)).status).to.equal("included");
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it("a call that the contract would revert is rejected without a row and a nonce", async () => {
    const writer = env.start();
    const before = await env.nonceOnChain();
    const { to, data } = createCall(31337, env.chain.deployment.rewards, "payout", [recipient]);
    const error = await writer.submit({ kind: "payout", key: "bad", to, data }).catch((cause: unknown) => cause);
    expect(error).to.be.instanceOf(ArcadeError);
    expect(error).to.include({ code: "TX_FAILED" });
    expect((error as ArcadeError).fields).to.deep.equal({ revert: "ScorebankEmpty" });
    expect((error as ArcadeError).message).to.include(`ScorebankEmpty(${recipient})`);
    expect(await env.findRow("payout", "bad")).to.equal(null);
    expect(await env.nonceOnChain()).to.equal(before);
  });

  const empty = encodeErrorResult({ abi: errorsAbi, errorName: "ScorebankEmpty", args: [recipient] });
  const failures = {
    "older Nethermind": [
      { code: -32_015, message: "VM execution error.", data: `Reverted ${empty}` },
      "ScorebankEmpty",
    ],
    "older Nethermind without data": [{ code: -32_015, message: "VM execution error.", data: "Reverted" }, "Reverted"],
    "geth for greedy code": [{ code: -32_000, message: "gas required exceeds allowance (1000000)" }, "OutOfGas"],
    "geth at its own limit": [{ code: -32_000, message: "out of gas" }, "OutOfGas"],
  } as const;
  for (const [node, [error, revert]] of Object.entries(failures))
    it(`a call that would fail is rejected in the words of ${node}`, async () => {
      env.node.intercept(({ method }, response) =>
        method === "eth_estimateGas" ? { id: response.id, error } : response,
      );
      const { to, data } = createCall(31337, env.chain.deployment.rewards, "payout", [recipient]);
      const rejection = await env
        .start()
        .submit({ kind: "payout", key: "failing", to, data })
        .catch((cause: unknown) => cause);
      expect(rejection).to.include({ code: "TX_FAILED" });
      expect((rejection as ArcadeError).fields).to.deep.equal({ revert });
    });

  it("a transaction that reverts in its block is failed", async () => {
    const writer = env.start();
    const request = await env.preparePayout(0);
    await env.chain.client.setAutomine(false);
    const submitted = await writer.submit(request);
    const competingHash = await env.chain.client.sendTransaction({
      account: env.chain.players[0]!,
      to: request.to,
      data: request.data,
      gas: 500_000n,
      maxFeePerGas: 10n ** 12n,
      maxPriorityFeePerGas: 10n ** 11n,
    });
    // First in, first out: the competing transaction must come first.
    await env.chain.client.dropTransaction({ hash: submitted.txHash! });
    await waitFor(async () => (await env.store.transactions.find(submitted.id))?.status === "sent");
    await writer.poll();
    await env.chain.client.mine({ blocks: 1 });
    const settled = await writer.waitForTransaction(submitted.id, WAIT_MS);
    expect(settled.status).to.equal("failed");
    const { lastError } = (await env.store.transactions.find(submitted.id))!;
    expect(lastError, "why it reverted").to.match(/^ScorebankEmpty\(/);
    expect((await env.chain.client.getTransactionReceipt({ hash: competingHash })).status).to.equal("success");
  });

  it("a call throws CHAIN_UNAVAILABLE while the node is down, without a row", async () => {
    const writer = env.start();
    env.node.fail("status 503");
    const error = await writer.submit(env.transfer("away")).catch((cause: unknown) => cause);
    expect(error).to.include({ code: "CHAIN_UNAVAILABLE" });
    expect(await env.findRow("test", "away")).to.equal(null);
  });

  it("reports a node's reason for rejecting a transaction once, and sends it when the node accepts it", async () => {
    const warnings: { readonly reason?: string }[] = [];
    const writer = env.start({ log: { ...silentLog, warn: (fields) => warnings.push(fields) } });
    env.node.fail("error", refuseSends("insufficient funds for gas * price + value"));
    const submitted = await writer.submit(env.transfer("refused"));
    for (let poll = 0; poll < 5; poll++) await writer.poll();
    expect(warnings.map(({ reason }) => reason)).to.deep.equal(["insufficient funds for gas * price + value"]);
    expect((await env.getRow("refused")).lastError).to.equal("insufficient funds for gas * price + value");
    expect(writer.counts().refused).to.equal(1);
    env.node.fail("error", refuseSends("txpool is full"));
    for (let poll = 0; poll < 3; poll++) await writer.poll();
    expect(warnings.map(({ reason }) => reason).at(-1)).to.equal("txpool is full");
    expect(warnings).to.have.length(2);
    env.node.fail(null);
    expect((await writer.waitForTransaction(submitted.id, WAIT_MS)).status).to.equal("included");
    expect((await env.getRow("refused")).lastError).to.equal(null);
  });

  it("waitForTransaction returns the current state after its timeout", async () => {
    const writer = env.start({ pollMs: 60_000 });
    await env.chain.client.setAutomine(false);
    const submitted = await writer.submit(env.transfer("slow"));
    const before = env.node.calls.length;
    expect((await writer.waitForTransaction(submitted.id, 300)).status).to.equal("sent");
    // One poll.
    expect(env.node.calls.length - before).to.be.within(1, 9);
  });
});
