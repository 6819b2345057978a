import { setImmediate as nextTurn } from "node:timers/promises";
import { expect } from "chai";
import { encodeFunctionResult, type Hex, keccak256, maxUint256, multicall3Abi, numberToHex, stringToHex } from "viem";
import { createReader } from "../../../backend/adapters/chain/reader/reader.ts";
import type { Head } from "../../../backend/ports/chain.ts";
import { type ChaosNode, startChaosNode } from "../../../testing/chaos/node.ts";
import { createTestRpc, useChain } from "./chain-fixture.ts";

const SLUG = "flappybots";
const HASH = keccak256(stringToHex("a session"));

describe("fresh reads", () => {
  const fixture = useChain(async ({ actions, players: [alice] }) => {
    await actions.register(alice!);
    await actions.nft("mint", alice!, SLUG, 1n, 800);
  });
  let node: ChaosNode;
  let head: Head;
  const createHeadReader = () =>
    createReader({
      rpc: createTestRpc(node.url),
      deployment: fixture.deployment,
      getConfirmedHead: () => head,
    });
  const listCalls = () => node.calls.filter(({ method }) => method === "eth_call");
  const readLatest = async (): Promise<Head> => {
    const { number, hash, timestamp } = await fixture.client.getBlock();
    return { number: Number(number), hash, timestamp: Number(timestamp) };
  };

  beforeEach(async () => {
    node = await startChaosNode({ to: fixture.rpcUrl });
    head = await readLatest();
  });
  afterEach(() => node.close());

  it("share one request to the node, at one block by its hash, when they are simultaneous", async () => {
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

  it("share one request when they start in consecutive turns, and none waits for all later ones", async () => {
    const [alice] = fixture.players;
    const readInTurns = async (turns: number): Promise<number> => {
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
    expect(await readInTurns(12)).to.equal(1);
    expect(await readInTurns(40)).to.be.greaterThan(1);
  });

  it("return the state at the confirmed head, not a later one", async () => {
    const [, , carol] = fixture.players;
    const reads = await createHeadReader().openFreshReads();
    await fixture.actions.register(carol!);
    expect((await reads.getPrimaryIdentity(carol!.address)).value).to.equal(null);
    head = await readLatest();
    const later = await createHeadReader().openFreshReads();
    expect((await later.getPrimaryIdentity(carol!.address)).value).to.be.a("bigint");
  });

  it("are retried once when the node has failed, and then fail for all that share them", async () => {
    const [alice, bob] = fixture.players;
    const reads = await createHeadReader().openFreshReads();
    node.fail("status 503", { times: 1 });
    expect((await reads.getMintNonce(alice!.address)).value).to.equal(1n);
    node.fail("status 503", { times: 2 });
    const failed = await Promise.allSettled([reads.getMintNonce(alice!.address), reads.getMintNonce(bob!.address)]);
    for (const outcome of failed) {
      expect(outcome.status).to.equal("rejected");
      expect((outcome as PromiseRejectedResult).reason).to.include({ code: "CHAIN_UNAVAILABLE" });
    }
  });

  /** The result that `aggregate3` of Multicall3 would return. */
  const encodeResults = (...values: readonly bigint[]): Hex => {
    const result = values.map((value) => ({ success: true, returnData: numberToHex(value, { size: 32 }) }));
    return encodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", result });
  };
  const replaceWord = (word: number, value: bigint): Hex => {
    const digits = encodeResults(7n).slice(2);
    return `0x${digits.slice(0, 64 * word)}${numberToHex(value, { size: 32 }).slice(2)}${digits.slice(64 * (word + 1))}`;
  };
  const wrongAnswers: readonly (readonly [string, object])[] = [
    ["a revert", { error: { code: 3, message: "execution reverted" } }],
    ["its own error", { error: { code: -32_603, message: "internal error" } }],
    ["nothing", { result: "0x" }],
    ["something else than hex", { result: "0xzz" }],
    ["no text", { result: 7 }],
    ["no values", { result: encodeResults() }],
    ["more values than views", { result: encodeResults(7n, 8n) }],
    ["an endless list", { result: replaceWord(1, maxUint256) }],
    ["an offset beyond the end", { result: replaceWord(2, maxUint256) }],
    ["a success that is not a boolean", { result: replaceWord(3, 2n) }],
    ["a length beyond the end", { result: replaceWord(5, 0xffffn) }],
    ...[0, 31, 32, 64, 100, 150, 191].map(
      (bytes) => [`only ${bytes} bytes`, { result: encodeResults(7n).slice(0, 2 + 2 * bytes) }] as const,
    ),
  ];
  for (const [name, answer] of wrongAnswers)
    it(`fail when the node answers the whole call with ${name}, instead of showing a wallet without an identity`, async () => {
      const reads = await createHeadReader().openFreshReads();
      const answerWith = (response: object) =>
        node.intercept(({ method }, { id }) =>
          method === "eth_call" ? { id, ...response } : { id, result: "0x7a69" },
        );
      answerWith({ result: encodeResults(7n) });
      expect((await reads.getPrimaryIdentity(fixture.players[0]!.address)).value, "a right answer").to.equal(7n);
      answerWith(answer);
      const outcome = await reads.getPrimaryIdentity(fixture.players[0]!.address).catch((error: unknown) => error);
      expect(outcome).to.include({ code: "CHAIN_UNAVAILABLE" });
    });
});
