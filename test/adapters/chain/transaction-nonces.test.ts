import { expect } from "chai";
import { numberToHex, parseTransaction } from "viem";
import type { OperatorPolicy } from "../../../domain/operator-policy.ts";
import type { Intercept } from "../../../testing/chaos/node.ts";
import { isSend, SENDS, waitFor } from "./chain-fixture.ts";
import { operator, recipient, useTransactionManager, WAIT_MS } from "./manager-fixture.ts";

/** Counts down from 20,000. */
const GREEDY = "0x614e205b8015601057600190036003565b00";

describe("nonces of the operator's transactions", () => {
  const env = useTransactionManager();

  it("many concurrent transactions get consecutive nonces", async () => {
    const writer = env.start();
    const before = await env.nonceOnChain();
    const submitted = await Promise.all(
      Array.from({ length: 20 }, (_, index) => writer.submit(env.transfer(`many-${index}`))),
    );
    for (const { id } of submitted) expect((await writer.waitForTransaction(id, WAIT_MS)).status).to.equal("included");
    expect(await env.nonceOnChain()).to.equal(before + 20);
    expect(await env.balance()).to.equal(20n);
  });

  it("two backends of the same operator share their nonces", async () => {
    const writers = [env.start(), env.start()];
    const submitted = await Promise.all(
      Array.from({ length: 16 }, (_, index) => writers[index % 2]!.submit(env.transfer(`shared-${index}`))),
    );
    const settled = await Promise.all(submitted.map(({ id }) => writers[0]!.waitForTransaction(id, WAIT_MS)));
    expect(new Set(settled.map(({ status }) => status))).to.deep.equal(new Set(["included"]));
    const rows = await Promise.all(submitted.map(({ id }) => env.store.transactions.find(id)));
    expect(new Set(rows.map((row) => row!.nonce)).size).to.equal(16);
  });

  it("a transaction is stored before it is sent to the node", async () => {
    const writer = env.start();
    const seen: unknown[] = [];
    env.node.before(async (calls) => {
      if (!calls.some(isSend)) return;
      seen.push(await env.findRow("test", "first"));
    });
    const submitted = await writer.submit(env.transfer("first"));
    expect(seen).to.have.length(1);
    expect(seen[0]).to.include({ id: submitted.id, txHash: submitted.txHash, status: "queued" });
  });

  it("a restart sends a transaction that was stored and never sent", async () => {
    const writer = env.start();
    env.node.fail("cut", SENDS);
    const submitted = await Promise.all([
      writer.submit(env.transfer("crash-1")),
      writer.submit(env.transfer("crash-2")),
    ]);
    expect(submitted.map(({ status }) => status)).to.deep.equal(["queued", "queued"]);
    await env.stop(writer);
    expect(await env.balance()).to.equal(0n);
    env.node.fail(null);
    const again = env.start();
    for (const { id, txHash } of submitted) {
      const settled = await again.waitForTransaction(id, WAIT_MS);
      expect(settled).to.include({ status: "included", txHash });
    }
    expect(await env.balance()).to.equal(2n);
  });

  it("a restart finds a transaction that reached the chain before the crash", async () => {
    const writer = env.start();
    env.node.fail("cut", SENDS);
    const submitted = await writer.submit(env.transfer("landed"));
    await env.stop(writer);
    await env.chain.client.sendRawTransaction({ serializedTransaction: (await env.getRow("landed")).raw });
    env.node.fail(null);
    expect((await env.start().waitForTransaction(submitted.id, WAIT_MS)).status).to.equal("included");
    expect(await env.balance()).to.equal(1n);
  });

  it("the next nonce is above one that was used without the store", async () => {
    const writer = env.start();
    await writer.waitForTransaction((await writer.submit(env.transfer("before"))).id, WAIT_MS);
    await env.chain.client.sendTransaction({ account: operator, to: recipient, value: 5n });
    const after = await writer.submit(env.transfer("after"));
    // The transaction is the submitted one: nothing had to be reconciled.
    expect(await writer.waitForTransaction(after.id, WAIT_MS)).to.include({ status: "included", txHash: after.txHash });
    expect(await env.balance()).to.equal(7n);
  });

  it("a transaction gets a new nonce when its nonce was used without the store", async () => {
    const writer = env.start();
    env.node.fail("cut", SENDS);
    const submitted = await writer.submit(env.transfer("replaced"));
    await env.chain.client.sendTransaction({ account: operator, to: recipient, value: 5n });
    env.node.fail(null);
    expect((await writer.waitForTransaction(submitted.id, WAIT_MS)).status).to.equal("included");
    expect(await env.balance()).to.equal(6n);
  });

  it("a transaction keeps its nonce unless several polls in a row report the nonce as used", async () => {
    await env.chain.client.setAutomine(false);
    const writer = env.start({ pollMs: 60_000 });
    const { id } = await writer.submit(env.transfer("flapping"));
    const { nonce } = (await env.store.transactions.find(id))!;
    let isAhead = false;
    env.node.intercept(({ method, params }, response) =>
      isAhead && method === "eth_getTransactionCount" && params?.[1] !== "pending"
        ? { ...response, result: numberToHex(nonce + 1) }
        : response,
    );
    for (const ahead of [true, true, false, true, true, false]) {
      isAhead = ahead;
      await writer.poll();
    }
    expect(await env.store.transactions.find(id)).to.include({ nonce, status: "sent" });
  });

  /** Stores a call whose nonce is then used by hand. Returns its id. */
  const loseNonce = async (request: Parameters<ReturnType<typeof env.start>["submit"]>[0], policy: OperatorPolicy) => {
    const writer = env.start({ policy });
    env.node.fail("cut", SENDS);
    const { id } = await writer.submit(request);
    await env.stop(writer);
    await env.chain.client.sendTransaction({ account: operator, to: recipient, value: 5n });
    env.node.fail(null);
    return id;
  };
  const makeGreedy = () => env.chain.client.setCode({ address: recipient, bytecode: GREEDY });
  const getGas = async (id: string) =>
    parseTransaction((await env.store.transactions.find(id))!.raw as `0x02${string}`).gas!;
  const rule = (kind: string) => ({ kind, to: recipient, selectors: ["0x12345678"] }) as const;
  const createPolicy = (gasPerCall: bigint): OperatorPolicy => ({
    rules: [rule("test"), rule("relay")],
    callsPerDay: 9,
    gasPerCall,
  });
  const call = { key: "again", to: recipient, data: "0x12345678" } as const;

  it("a call with a new nonce is signed with no more gas than the policy allows", async () => {
    const policy = createPolicy(500_000n);
    const id = await loseNonce({ kind: "test", ...call }, policy);
    await makeGreedy();
    const nonce = await env.nonceOnChain();
    expect((await env.start({ policy }).waitForTransaction(id, WAIT_MS)).status).to.equal("failed");
    expect(await env.nonceOnChain()).to.equal(nonce);
    expect(await getGas(id)).to.be.below(50_000n);
  });

  it("a relay with a new nonce is signed with no more gas than its wallet was charged with", async () => {
    const policy = createPolicy(4_000_000n);
    const id = await loseNonce({ kind: "relay", ...call }, policy);
    const charged = await getGas(id);
    await makeGreedy();
    const nonce = await env.nonceOnChain();
    expect((await env.start({ policy }).waitForTransaction(id, WAIT_MS)).status).to.equal("failed");
    expect(await env.nonceOnChain()).to.equal(nonce);
    expect(await getGas(id)).to.equal(charged);
  });

  it("a relay with a new nonce whose gas is the same is sent", async () => {
    const policy = createPolicy(4_000_000n);
    const id = await loseNonce({ kind: "relay", ...call }, policy);
    expect((await env.start({ policy }).waitForTransaction(id, WAIT_MS)).status).to.equal("included");
  });

  it("a call that the policy no longer allows gets no new nonce", async () => {
    const id = await loseNonce({ kind: "test", ...call }, createPolicy(500_000n));
    const { txHash } = (await env.store.transactions.find(id))!;
    const writer = env.start({ policy: { ...createPolicy(500_000n), rules: [] } });
    expect(await writer.waitForTransaction(id, WAIT_MS)).to.include({ status: "failed", txHash });
    // The failure is final, also if the call is allowed again and a request asks about it.
    await env.stop(writer);
    const later = env.start({ pollMs: 60_000, policy: createPolicy(500_000n) });
    await env.chain.client.setAutomine(false);
    await later.submit({ kind: "test", ...call, key: "waiting" });
    for (let polls = 0; polls < 4; polls++) expect(await later.refresh(id)).to.include({ status: "failed", txHash });
    expect(writer.counts().againstPolicy).to.equal(1);
  });

  it("a transaction whose receipt a node has pruned is not sent a second time", async () => {
    const hideReceipts: Intercept = ({ method }, response) =>
      method === "eth_getTransactionReceipt" ? { id: response.id, result: null } : response;
    env.node.intercept(hideReceipts);
    const writer = env.start({ pollMs: 60_000 });
    const { id } = await writer.submit(env.transfer("pruned"));
    // More polls than it takes until the nonce counts as used by another transaction.
    for (let poll = 0; poll < 5; poll++) await writer.poll();
    expect(await env.balance()).to.equal(1n);
    expect((await env.getRow("pruned")).status).to.equal("sent");
    env.node.intercept(null);
    await writer.poll();
    expect((await writer.find(id))?.status).to.equal("included");
    // Its known facts stay, and it does not block other transactions.
    env.node.intercept(hideReceipts);
    await env.stop(writer);
    const next = env.start({ readFinalBlock: async () => Number(await env.chain.client.getBlockNumber()) });
    await waitFor(async () => (await env.getRow("pruned")).settledAtMs !== null);
    expect((await next.find(id))?.status).to.equal("included");
  });

  it("a gap in the nonces is filled with empty transfers", async () => {
    await env.leaveGap();
    const writer = env.start();
    const next = await writer.submit(env.transfer("next"));
    expect((await env.getRow("next")).nonce).to.equal((await env.nonceOnChain()) + 1);
    expect((await writer.waitForTransaction(next.id, WAIT_MS)).status).to.equal("included");
    expect(await env.balance()).to.equal(1n);
  });

  it("a gap above a transaction in a block is filled", async () => {
    const writer = env.start({ pollMs: 60_000 });
    await writer.submit(env.transfer("in a block"));
    await writer.poll();
    const { nonce } = await env.getRow("in a block");
    let isAhead = true;
    env.node.intercept(({ method }, response) =>
      isAhead && method === "eth_getTransactionCount" ? { ...response, result: numberToHex(nonce + 2) } : response,
    );
    const { id } = await writer.submit(env.transfer("above the gap"));
    isAhead = false;
    expect(await env.getRow("above the gap")).to.include({ nonce: nonce + 2 });
    for (let polls = 0; polls < 3; polls++) await writer.poll();
    expect((await writer.find(id))?.status).to.equal("included");
    expect(await env.nonceOnChain()).to.equal(nonce + 3);
  });

  it("a nonce of a stored block does not count as a gap when the node answers with a lower count", async () => {
    const writer = env.start({ pollMs: 60_000 });
    await writer.submit(env.transfer("in a block"));
    await writer.poll();
    const { nonce, status } = await env.getRow("in a block");
    expect(status).to.equal("included");
    await env.chain.client.setAutomine(false);
    await writer.submit(env.transfer("waits"));
    const sends: unknown[] = [];
    env.node.before((calls) => {
      sends.push(...calls.filter(isSend));
    });
    let counts = 0;
    env.node.intercept(({ method }, response) => {
      if (method !== "eth_getTransactionCount") return response;
      counts += 1;
      return { ...response, result: numberToHex(nonce) };
    });
    await writer.poll();
    expect(counts).to.be.greaterThan(0);
    expect(sends).to.deep.equal([]);
  });
});
