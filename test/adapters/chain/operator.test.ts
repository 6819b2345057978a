import { expect } from "chai";
import { parseTransaction } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { type Operator, startOperator } from "../../../backend/adapters/chain/operator/operator.ts";
import { systemClock } from "../../../backend/adapters/clock.ts";
import { makeCall } from "../../../backend/domain/calls.ts";
import { ArcadeError } from "../../../backend/domain/errors.ts";
import type { Store, TransactionRow } from "../../../backend/ports.ts";
import { startFaultyNode } from "./faulty-node.ts";
import { connect, eventually, openMemoryStore, silentLog, startWorld, testKeys, type World } from "./world.ts";

const operator = privateKeyToAccount(testKeys.operator);
const stranger = "0x00000000000000000000000000000000000A11cE";
const WAIT_MS = 10_000;

describe("the operator's ledger", function () {
  this.timeout(30_000);
  let world: World;
  let node: Awaited<ReturnType<typeof startFaultyNode>>;
  let store: Store;
  let open: Operator[];
  let snapshotId: `0x${string}`;

  before(async () => {
    world = await startWorld();
    for (const player of world.players) await world.act.register(player);
  });
  after(() => world.close());
  beforeEach(async () => {
    snapshotId = await world.client.snapshot();
    node = await startFaultyNode(world.rpcUrl);
    store = await openMemoryStore();
    open = [];
  });
  afterEach(async () => {
    for (const writer of open) await writer.close();
    node.close();
    await store.close();
    await world.client.setAutomine(true);
    await world.client.revert({ id: snapshotId });
  });

  const start = (more: Partial<Parameters<typeof startOperator>[0]> = {}): Operator => {
    const writer = startOperator({
      rpc: connect(node.url),
      store: store.transactions,
      clock: systemClock,
      log: silentLog,
      privateKey: testKeys.operator,
      confirmations: 2,
      pollMs: 20,
      stuckMs: 60_000,
      ...more,
    });
    open.push(writer);
    return writer;
  };
  const stop = async (writer: Operator) => {
    open = open.filter((other) => other !== writer);
    await writer.close();
  };
  const transfer = (key: string, value = 1n) => ({ kind: "test", key, to: stranger, data: "0x", value }) as const;
  const balance = () => world.client.getBalance({ address: stranger });
  const nonceOnChain = () => world.client.getTransactionCount({ address: operator.address });
  const rowOf = async (key: string): Promise<TransactionRow> => (await store.transactions.findByKey("test", key))!;
  /** A payout that the contract accepts, for player `index`. */
  const preparePayout = async (index: number) => {
    const player = world.players[index]!;
    await world.act.snapshot(player, "flappybots", 10, 1);
    await world.client.increaseTime({ seconds: 10 });
    const { to, data } = makeCall(31337, world.deployment.rewards, "payout", [player.address]);
    return { kind: "payout", key: `payout-${index}`, to, data };
  };

  it("sends a payout and tells when it is in a block", async () => {
    const writer = start();
    const request = await preparePayout(0);
    const submitted = await writer.submit(request);
    const settled = await writer.settled(submitted.id, WAIT_MS);
    expect(settled).to.deep.include({ id: submitted.id, status: "included", kind: "payout", key: "payout-0" });
    const receipt = await world.client.getTransactionReceipt({ hash: settled.txHash! });
    expect(receipt.status).to.equal("success");
    expect(Number(receipt.blockNumber)).to.equal(settled.block);
    expect(await writer.find(submitted.id)).to.deep.equal(settled);
    expect(await writer.find("unknown")).to.equal(null);
  });

  it("answers the same transaction for the same key, also when asked fifty times at once", async () => {
    const writer = start();
    const before = await nonceOnChain();
    const answers = await Promise.all(Array.from({ length: 50 }, () => writer.submit(transfer("same"))));
    expect(new Set(answers.map(({ id }) => id)).size).to.equal(1);
    await writer.settled(answers[0]!.id, WAIT_MS);
    await writer.submit(transfer("same"));
    expect(await nonceOnChain()).to.equal(before + 1);
    expect(await balance()).to.equal(1n);
  });

  it("sends many at once with nonces in a row", async () => {
    const writer = start();
    const before = await nonceOnChain();
    const submitted = await Promise.all(
      Array.from({ length: 20 }, (_, index) => writer.submit(transfer(`many-${index}`))),
    );
    for (const { id } of submitted) expect((await writer.settled(id, WAIT_MS)).status).to.equal("included");
    expect(await nonceOnChain()).to.equal(before + 20);
    expect(await balance()).to.equal(20n);
  });

  it("shares its nonces with another backend of the same operator", async () => {
    const writers = [start(), start()];
    const submitted = await Promise.all(
      Array.from({ length: 16 }, (_, index) => writers[index % 2]!.submit(transfer(`shared-${index}`))),
    );
    const settled = await Promise.all(submitted.map(({ id }) => writers[0]!.settled(id, WAIT_MS)));
    expect(new Set(settled.map(({ status }) => status))).to.deep.equal(new Set(["included"]));
    const rows = await Promise.all(submitted.map(({ id }) => store.transactions.find(id)));
    expect(new Set(rows.map((row) => row!.nonce)).size).to.equal(16);
  });

  it("refuses what the contract would revert, without a row and without a nonce", async () => {
    const writer = start();
    const before = await nonceOnChain();
    const { to, data } = makeCall(31337, world.deployment.rewards, "payout", [stranger]);
    const error = await writer.submit({ kind: "payout", key: "bad", to, data }).catch((cause: unknown) => cause);
    expect(error).to.be.instanceOf(ArcadeError);
    expect(error).to.include({ code: "TX_FAILED" });
    expect((error as ArcadeError).fields).to.deep.equal({ revert: "ScorebankEmpty" });
    expect((error as ArcadeError).message).to.include(`ScorebankEmpty(${stranger})`);
    expect(await store.transactions.findByKey("payout", "bad")).to.equal(null);
    expect(await nonceOnChain()).to.equal(before);
  });

  it("calls a transaction that reverts in its block failed", async () => {
    const writer = start();
    const request = await preparePayout(0);
    await world.client.setAutomine(false);
    const submitted = await writer.submit(request);
    const rival = await world.client.sendTransaction({
      account: world.players[0]!,
      to: request.to,
      data: request.data,
      gas: 500_000n,
      maxFeePerGas: 10n ** 12n,
      maxPriorityFeePerGas: 10n ** 11n,
    });
    // First in, first out: the rival must come first.
    await world.client.dropTransaction({ hash: submitted.txHash! });
    await eventually(async () => (await store.transactions.find(submitted.id))?.status === "sent");
    await writer.look();
    await world.client.mine({ blocks: 1 });
    const settled = await writer.settled(submitted.id, WAIT_MS);
    expect(settled.status).to.equal("failed");
    expect((await world.client.getTransactionReceipt({ hash: rival })).status).to.equal("success");
  });

  it("stores a transaction before the node sees it", async () => {
    const writer = start();
    const seen: unknown[] = [];
    node.onSend(async () => {
      seen.push(await store.transactions.findByKey("test", "first"));
    });
    const submitted = await writer.submit(transfer("first"));
    expect(seen).to.have.length(1);
    expect(seen[0]).to.include({ id: submitted.id, txHash: submitted.txHash, status: "queued" });
  });

  it("sends after a restart what was stored and never sent", async () => {
    const writer = start();
    node.dropSends(true);
    const submitted = await Promise.all([writer.submit(transfer("crash-1")), writer.submit(transfer("crash-2"))]);
    expect(submitted.map(({ status }) => status)).to.deep.equal(["queued", "queued"]);
    await stop(writer);
    expect(await balance()).to.equal(0n);
    node.dropSends(false);
    const again = start();
    for (const { id, txHash } of submitted) {
      const settled = await again.settled(id, WAIT_MS);
      expect(settled).to.include({ status: "included", txHash });
    }
    expect(await balance()).to.equal(2n);
  });

  it("knows after a restart what reached the chain without its knowledge", async () => {
    const writer = start();
    node.dropSends(true);
    const submitted = await writer.submit(transfer("landed"));
    await stop(writer);
    await world.client.sendRawTransaction({ serializedTransaction: (await rowOf("landed")).raw });
    node.dropSends(false);
    expect((await start().settled(submitted.id, WAIT_MS)).status).to.equal("included");
    expect(await balance()).to.equal(1n);
  });

  it("goes on above a nonce that was used by hand", async () => {
    const writer = start();
    await writer.settled((await writer.submit(transfer("before"))).id, WAIT_MS);
    await world.client.sendTransaction({ account: operator, to: stranger, value: 5n });
    const after = await writer.submit(transfer("after"));
    // The very transaction that was submitted: nothing had to be healed.
    expect(await writer.settled(after.id, WAIT_MS)).to.include({ status: "included", txHash: after.txHash });
    expect(await balance()).to.equal(7n);
  });

  it("gives a transaction a new nonce when its own was used by hand", async () => {
    const writer = start();
    node.dropSends(true);
    const submitted = await writer.submit(transfer("replaced"));
    await world.client.sendTransaction({ account: operator, to: stranger, value: 5n });
    node.dropSends(false);
    expect((await writer.settled(submitted.id, WAIT_MS)).status).to.equal("included");
    expect(await balance()).to.equal(6n);
  });

  it("fills a gap in the nonces that would hold everything", async () => {
    const writer = start();
    const first = await writer.submit(transfer("gone"));
    await writer.settled(first.id, WAIT_MS);
    await stop(writer);
    await store.transactions.update(first.id, { status: "included" });
    // The chain forgets the transaction; the ledger is sure of it.
    await world.client.revert({ id: snapshotId });
    snapshotId = await world.client.snapshot();
    const again = start();
    const next = await again.submit(transfer("next"));
    expect((await rowOf("next")).nonce).to.equal((await nonceOnChain()) + 1);
    expect((await again.settled(next.id, WAIT_MS)).status).to.equal("included");
    expect(await balance()).to.equal(1n);
  });

  it("sends again what a reorganization took out of its block", async () => {
    const writer = start();
    const forkId = await world.client.snapshot();
    const submitted = await writer.submit(transfer("reorged"));
    const settled = await writer.settled(submitted.id, WAIT_MS);
    await world.client.revert({ id: forkId });
    expect(await balance()).to.equal(0n);
    await world.client.mine({ blocks: 1 });
    await eventually(async () => (await balance()) === 1n);
    const again = await eventually(async () => {
      const found = await writer.find(submitted.id);
      return found?.block !== settled.block && found?.status === "included" ? found : null;
    });
    expect(again.txHash).to.equal(settled.txHash);
  });

  it("pays more for a transaction that is stuck, and knows every version of it", async () => {
    const writer = start({ stuckMs: 0 });
    await world.client.setAutomine(false);
    const submitted = await writer.submit(transfer("stuck"));
    const first = parseTransaction((await rowOf("stuck")).raw as `0x02${string}`);
    const second = await eventually(async () => {
      const raw = parseTransaction((await rowOf("stuck")).raw as `0x02${string}`);
      return raw.maxFeePerGas! > first.maxFeePerGas! ? raw : null;
    });
    expect(second.nonce).to.equal(first.nonce);
    expect(second.maxFeePerGas! * 8n >= first.maxFeePerGas! * 9n).to.equal(true);
    expect(second.maxPriorityFeePerGas! * 8n >= first.maxPriorityFeePerGas! * 9n).to.equal(true);
    await world.client.mine({ blocks: 1 });
    const settled = await writer.settled(submitted.id, WAIT_MS);
    expect(settled.status).to.equal("included");
    expect((await world.client.getTransactionReceipt({ hash: settled.txHash! })).status).to.equal("success");
    expect(await balance()).to.equal(1n);
  });

  it("recognizes an earlier version in a block although a dearer one was sent later", async () => {
    const writer = start({ stuckMs: 0 });
    node.dropSends(true);
    const submitted = await writer.submit(transfer("version"));
    const original = await rowOf("version");
    // As if it was sent, bumped, and a miner took the first one.
    await store.transactions.update(submitted.id, { status: "sent", sentAtMs: 0 });
    await stop(writer);
    await world.client.sendRawTransaction({ serializedTransaction: original.raw });
    const { nextVersion } = await import("../../../backend/adapters/chain/operator/fees.ts");
    const bumped = (await nextVersion(operator, original, 0n))!;
    await store.transactions.update(submitted.id, { raw: bumped.raw, txHash: bumped.txHash });
    node.dropSends(false);
    const settled = await start().settled(submitted.id, WAIT_MS);
    expect(settled).to.include({ status: "included", txHash: original.txHash });
    expect(await balance()).to.equal(1n);
  });

  it("raises its price at once where the first one is below the block's", async () => {
    const writer = start();
    node.dropSends(true);
    const submitted = await writer.submit(transfer("cheap"));
    await stop(writer);
    await world.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 10n ** 10n });
    await world.client.mine({ blocks: 1 });
    await world.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 10n ** 10n });
    node.dropSends(false);
    const settled = await start().settled(submitted.id, WAIT_MS);
    expect(settled.status).to.equal("included");
    expect(await balance()).to.equal(1n);
  });

  it("answers CHAIN_UNAVAILABLE while the node is away, without a row", async () => {
    const writer = start();
    node.setFault("error-502");
    const error = await writer.submit(transfer("away")).catch((cause: unknown) => cause);
    expect(error).to.include({ code: "CHAIN_UNAVAILABLE" });
    expect(await store.transactions.findByKey("test", "away")).to.equal(null);
  });

  it("answers the present state when the time is up", async () => {
    const writer = start();
    await world.client.setAutomine(false);
    const submitted = await writer.submit(transfer("slow"));
    expect((await writer.settled(submitted.id, 30)).status).to.equal("sent");
  });
});
