import { expect } from "chai";
import type { ChainEventRow } from "../../../../backend/ports/store/chain.ts";
import type { SessionRow } from "../../../../backend/ports/store/sessions.ts";
import {
  ALICE,
  appendEvents,
  BOB,
  createBlockHash,
  createChainEvent,
  createSnapshotEvent,
  storeEndedSession,
} from "../rows.ts";
import { describeStore, getRejection } from "../suite.ts";

const toBlock = (number: number, fork = "") => ({ number, hash: createBlockHash(number, fork) });

describeStore("chain store", (store, { runConcurrently }) => {
  const append = (...numbers: readonly number[]) =>
    store.chain.append(
      numbers.map((number) => toBlock(number)),
      [],
    );
  const getCursor = () => store.chain.getCursor();
  const findSnapshotBlock = async ({ sessionId }: SessionRow) => (await store.sessions.find(sessionId))?.snapshotBlock;

  it("moves the cursor with the blocks it stores, with or without events", async () => {
    expect(await getCursor()).to.equal(null);
    await append(1, 2, 3);
    expect(await getCursor()).to.deep.equal(toBlock(3));
    expect(await store.chain.findBlock(2)).to.deep.equal(toBlock(2));
    expect(await store.chain.findBlock(4)).to.equal(null);
    expect(await store.chain.rewind(1)).to.deep.equal(toBlock(1));
    expect(await getCursor()).to.deep.equal(toBlock(1));
    expect(await store.chain.rewind(0)).to.equal(null);
    expect(await getCursor()).to.equal(null);
  });

  it("removes no block when the last one is not the expected one", async () => {
    await append(1, 2, 3);
    for (const expected of [toBlock(2), toBlock(3, "other"), null])
      expect(await store.chain.rewind(1, expected)).to.deep.equal(toBlock(3));
    expect(await store.chain.findBlock(2)).to.deep.equal(toBlock(2));
    expect(await store.chain.rewind(1, toBlock(3))).to.deep.equal(toBlock(1));
    expect(await store.chain.rewind(0, toBlock(1))).to.equal(null);
    expect(await store.chain.rewind(0, null)).to.equal(null);
  });

  it("finds the last stored block up to a number", async () => {
    await append(3, 7, 8);
    const found = await Promise.all([6, 7, 2].map((number) => store.chain.findLastBlock(number)));
    expect(found).to.deep.equal([toBlock(3), toBlock(7), null]);
  });

  it("deletes blocks far below the last one, except one in 10,000, and keeps their events", async () => {
    const row = await storeEndedSession(store);
    const event = createSnapshotEvent(row, { block: 9_999 });
    const numbers = [9_998, 9_999, 10_000, 10_001, 11_999, 12_000, 12_001, 111_999];
    await store.chain.append(
      numbers.slice(0, -1).map((number) => toBlock(number)),
      [event],
    );
    await append(111_999);
    expect(await store.chain.findBlock(9_998)).to.deep.equal(toBlock(9_998));
    await append(112_000);
    const blocks = await Promise.all([...numbers, 112_000].map((number) => store.chain.findBlock(number)));
    const kept = blocks.filter((block) => block !== null).map(({ number }) => number);
    expect(kept).to.deep.equal([10_000, 12_001, 111_999, 112_000]);
    expect(await findSnapshotBlock(row)).to.equal(9_999);
  });

  it("returns an event as it was stored", async () => {
    const event = createChainEvent("Payout", { score: 2n ** 53n + 1n, scorebank: 2n ** 256n - 1n, amount: 2n ** 200n });
    await appendEvents(store, event);
    expect(await store.chain.findPayout(ALICE, event.txHash)).to.deep.equal(event);
    expect(await store.chain.findPayout(BOB, event.txHash)).to.equal(null);
    expect(await store.chain.findPayout(ALICE, createBlockHash(1))).to.equal(null);
  });

  it("stores an event once when one or many callers append it again", async () => {
    const event = createSnapshotEvent(await storeEndedSession(store));
    await runConcurrently((each) => appendEvents(each, event));
    expect((await store.chain.getScorebank(ALICE)).snapshots).to.equal(1);
  });

  it("rejects another block of the same number, and stores nothing of that range", async () => {
    await appendEvents(store, createChainEvent("Registered", { block: 10 }));
    const row = await storeEndedSession(store);
    const forked = createSnapshotEvent(row, { block: 11 });
    const error = await getRejection(store.chain.append([toBlock(10, "'"), toBlock(11)], [forked]));
    expect(error.message).to.match(/another hash; rewind first/);
    expect(await getCursor()).to.deep.equal(toBlock(10));
    expect(await findSnapshotBlock(row)).to.equal(null);
  });

  it("stores nothing when the cursor is not the expected one", async () => {
    const { chain } = store;
    expect(await chain.append([toBlock(1)], [], null)).to.equal(true);
    expect(await chain.append([toBlock(2)], [], toBlock(1))).to.equal(true);
    await chain.rewind(1);
    for (const cursor of [toBlock(2), null]) expect(await chain.append([toBlock(3)], [], cursor)).to.equal(false);
    expect(await getCursor()).to.deep.equal(toBlock(1));
  });

  it("separates another wallet's snapshot of the same hash, which only a stolen key could sign", async () => {
    const row = await storeEndedSession(store);
    await appendEvents(store, createSnapshotEvent(row, { block: 10, wallet: BOB }));
    expect(await findSnapshotBlock(row)).to.equal(null);
    await appendEvents(store, createSnapshotEvent(row, { block: 11 }));
    expect(await findSnapshotBlock(row)).to.equal(11);
  });

  it("never holds two snapshots of one session", async () => {
    const row = await storeEndedSession(store);
    await appendEvents(store, createSnapshotEvent(row, { block: 10 }));
    const error = await getRejection(appendEvents(store, createSnapshotEvent(row, { block: 11 })));
    expect(error.message).to.match(/unique/i);
    expect(await getCursor()).to.include({ number: 10 });
  });

  it("stores long ranges", async () => {
    const blocks = Array.from({ length: 1_201 }, (_, number) => toBlock(number));
    const events = blocks.map(({ number: block }) => createChainEvent("Registered", { block, tokenId: BigInt(block) }));
    await store.chain.append(blocks, events);
    expect(await getCursor()).to.deep.equal(blocks.at(-1));
    expect(await store.chain.findBlock(700)).to.deep.equal(blocks[700]);
  });

  it("finds a game's token as its last events left it", async () => {
    const nft = (name: ChainEventRow["name"], block: number, change: Partial<ChainEventRow> = {}) =>
      createChainEvent(name, { block, slug: "shellrunners", tokenId: 3n, ...change });
    const find = () => store.chainFacts.findGameToken("shellrunners", 3n);
    await appendEvents(store, nft("Transfer", 10), nft("GameNftMinted", 10, { logIndex: 1, score: 10n, tier: 1 }));
    const minted = { owner: ALICE, score: 10n, tier: 1 };
    expect(await find()).to.deep.equal(minted);
    await appendEvents(
      store,
      nft("GameNftUpgraded", 12, { score: 90n, tier: 2, logIndex: 4 }),
      nft("GameNftUpgraded", 12, { score: 99n, tier: 3, logIndex: 5 }),
      nft("Transfer", 12, { logIndex: 6, wallet: BOB }),
      nft("GameNftUpgraded", 12, { logIndex: 7, score: 1n, tier: 1, tokenId: 4n }),
      nft("GameNftUpgraded", 12, { logIndex: 8, score: 1n, tier: 1, slug: "flappybots" }),
    );
    expect(await find()).to.deep.equal({ owner: BOB, score: 99n, tier: 3 });
    await store.chain.rewind(11);
    expect(await find()).to.deep.equal(minted);
  });

  it("rejects positions that it cannot order", async () => {
    const event = createChainEvent("Registered", { logIndex: 1_000_000 });
    expect(await getRejection(appendEvents(store, event))).to.be.instanceOf(RangeError);
  });
});
