import { setImmediate as nextTurn } from "node:timers/promises";
import { expect } from "chai";
import { keccak256, stringToHex } from "viem";
import { createReader } from "../../../backend/adapters/chain/reader/reader.ts";
import type { Head } from "../../../backend/ports/chain.ts";
import { type ChainFixture, createTestRpc, startChainFixture } from "./chain-fixture.ts";
import { startFaultyNode } from "./faulty-node.ts";

const SLUG = "flappybots";
const HASH = keccak256(stringToHex("a session"));

describe("fresh reads", () => {
  let fixture: ChainFixture;
  let node: Awaited<ReturnType<typeof startFaultyNode>>;
  let head: Head;
  const createHeadReader = () =>
    createReader({
      rpc: createTestRpc(node.url),
      deployment: fixture.deployment,
      getConfirmedHead: () => head,
    });
  const listCalls = () => node.calls().filter(({ method }) => method === "eth_call");
  const readLatest = async (): Promise<Head> => {
    const { number, hash, timestamp } = await fixture.client.getBlock();
    return { number: Number(number), hash, timestamp: Number(timestamp) };
  };

  before(async function () {
    this.timeout(60_000);
    fixture = await startChainFixture();
    const [alice] = fixture.players;
    await fixture.actions.register(alice!);
    await fixture.actions.nft("mint", alice!, SLUG, 1n, 800);
  });
  beforeEach(async () => {
    node = await startFaultyNode(fixture.rpcUrl);
    head = await readLatest();
  });
  afterEach(() => node.close());
  after(() => fixture.close());

  it("share one request to the node, at one block by its hash, when many are asked at one moment", async () => {
    const [alice, bob] = fixture.players;
    const reader = createHeadReader();
    const all = await Promise.all([reader.openFreshReads(), reader.openFreshReads(), reader.openFreshReads()]);
    const [a, b, c] = all;
    const facts = await Promise.all([
      a.getPrimaryIdentity(alice!.address),
      b.getPrimaryIdentity(bob!.address),
      b.getMintNonce(alice!.address),
      c.isSessionConsumed(alice!.address, HASH),
      c.getGameNft(SLUG, 1n),
      c.getGameNft(SLUG, 99n),
    ]);
    expect(facts.map(({ value }) => value)).to.deep.equal([
      1n,
      null,
      1n,
      false,
      { owner: alice!.address, score: 800n, tier: 2 },
      null,
    ]);
    for (const { at } of facts) expect(at).to.include({ number: head.number, hash: head.hash });
    expect(listCalls()).to.have.length(1);
    expect(listCalls()[0]!.params![1]).to.deep.equal({ blockHash: head.hash });
  });

  it("share one request when they are asked in consecutive turns, and none waits for all that follow", async () => {
    const [alice] = fixture.players;
    const askInTurns = async (turns: number): Promise<number> => {
      const reads = await createHeadReader().openFreshReads();
      const before = listCalls().length;
      const asked: ReturnType<typeof reads.getMintNonce>[] = [];
      for (let turn = 0; turn < turns; turn++) {
        asked.push(reads.getMintNonce(alice!.address));
        await nextTurn();
      }
      expect((await Promise.all(asked)).map(({ value }) => value)).to.deep.equal(asked.map(() => 1n));
      return listCalls().length - before;
    };
    expect(await askInTurns(12)).to.equal(1);
    expect(await askInTurns(40)).to.be.greaterThan(1);
  });

  it("tell what was true at the confirmed head, not what is true since", async () => {
    const [, , carol] = fixture.players;
    const reads = await createHeadReader().openFreshReads();
    await fixture.actions.register(carol!);
    expect((await reads.getPrimaryIdentity(carol!.address)).value).to.equal(null);
    head = await readLatest();
    const later = await createHeadReader().openFreshReads();
    expect((await later.getPrimaryIdentity(carol!.address)).value).to.be.a("bigint");
  });

  it("are asked again, once, when the node has failed, and fail for all of the moment then", async () => {
    const [alice, bob] = fixture.players;
    const reads = await createHeadReader().openFreshReads();
    node.failNext(1);
    expect((await reads.getMintNonce(alice!.address)).value).to.equal(1n);
    node.failNext(2);
    const failed = await Promise.allSettled([reads.getMintNonce(alice!.address), reads.getMintNonce(bob!.address)]);
    for (const outcome of failed) {
      expect(outcome.status).to.equal("rejected");
      expect((outcome as PromiseRejectedResult).reason).to.include({ code: "CHAIN_UNAVAILABLE" });
    }
  });

  it("fail where the node rejects the whole call, instead of showing wallets without an identity", async () => {
    const [alice] = fixture.players;
    const reads = await createHeadReader().openFreshReads();
    for (const answer of [{ error: { code: 3, message: "execution reverted" } }, { result: "0x" }]) {
      node.intercept(({ method }, response) => (method === "eth_call" ? { id: response.id, ...answer } : response));
      const outcome = await reads.getPrimaryIdentity(alice!.address).catch((error: unknown) => error);
      expect(outcome, JSON.stringify(answer)).to.include({ code: "CHAIN_UNAVAILABLE" });
    }
    node.intercept(null);
  });
});
