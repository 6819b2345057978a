import { expect } from "chai";
import type { ChainEventRow } from "../../../../backend/ports/store/chain.ts";
import {
  ALICE,
  appendEvents,
  BOB,
  createBlockHash,
  createChainEvent,
  createSessionHasher,
  createSnapshotEvent,
  storeEndedSession,
} from "../rows.ts";
import { describeStore, getRejection } from "../suite.ts";

describeStore("chain store", (store, { runConcurrently }) => {
  it("moves the cursor with the blocks it stores, with or without events", async () => {
    const { chain } = store;
    expect(await chain.getCursor()).to.equal(null);
    const blocks = [1, 2, 3].map((number) => ({ number, hash: createBlockHash(number) }));
    await chain.append(blocks, []);
    expect(await chain.getCursor()).to.deep.equal(blocks[2]);
    expect(await chain.findBlock(2)).to.deep.equal(blocks[1]);
    expect(await chain.findBlock(4)).to.equal(null);
    await chain.rewind(1);
    expect(await chain.getCursor()).to.deep.equal(blocks[0]);
    await chain.rewind(0);
    expect(await chain.getCursor()).to.equal(null);
  });

  it("finds the last stored block up to a number", async () => {
    const { chain } = store;
    const blocks = [3, 7, 8].map((number) => ({ number, hash: createBlockHash(number) }));
    await chain.append(blocks, []);
    expect(await chain.findLastBlock(6)).to.deep.equal(blocks[0]);
    expect(await chain.findLastBlock(7)).to.deep.equal(blocks[1]);
    expect(await chain.findLastBlock(2)).to.equal(null);
  });

  it("forgets blocks far below the last one, but for one in 10,000, and keeps their events", async () => {
    const { chain } = store;
    const toBlock = (number: number) => ({ number, hash: createBlockHash(number) });
    const event = createSnapshotEvent(await storeEndedSession(store), {
      block: 9_999,
      blockHash: createBlockHash(9_999),
    });
    await chain.append([9_998, 9_999, 10_000, 10_001, 11_999, 12_000, 12_001].map(toBlock), [event]);
    await chain.append([toBlock(111_999)], []);
    expect(await chain.findBlock(9_998)).to.deep.equal(toBlock(9_998));
    await chain.append([toBlock(112_000)], []);
    const isKept = async (number: number): Promise<boolean> => (await chain.findBlock(number)) !== null;
    for (const number of [9_998, 9_999, 10_001, 11_999, 12_000])
      expect(await isKept(number), `${number}`).to.equal(false);
    for (const number of [10_000, 12_001, 111_999, 112_000]) expect(await isKept(number), `${number}`).to.equal(true);
    expect(await chain.findSnapshot(event.wallet, event.gameSessionHash!)).to.deep.equal(event);
  });

  it("returns an event as it was stored", async () => {
    const { chain } = store;
    const event = createChainEvent("ScoreSnapshot", {
      slug: "shellrunners",
      gameSessionHash: createSessionHasher("session")(7n),
      sequence: 2n ** 64n - 1n,
      score: 2n ** 53n + 1n,
      scorebank: 2n ** 256n - 1n,
    });
    await appendEvents(store, event);
    expect(await chain.findSnapshot(event.wallet, event.gameSessionHash!)).to.deep.equal(event);
    expect(await chain.findSnapshot(event.wallet, createSessionHasher("another")(7n))).to.equal(null);
  });

  it("stores an event once when one or many callers append it again", async () => {
    const row = await storeEndedSession(store);
    const event = createSnapshotEvent(row);
    await runConcurrently((store) => appendEvents(store, event));
    expect((await store.chain.getScorebank(ALICE)).snapshots).to.equal(1);
  });

  it("rejects another block of the same number, and stores nothing of that range", async () => {
    await appendEvents(store, createChainEvent("Registered", { block: 10 }));
    const forked = createSnapshotEvent(await storeEndedSession(store), { block: 11, blockHash: createBlockHash(11) });
    const range = [
      { number: 10, hash: createBlockHash(10, "'") },
      { number: 11, hash: createBlockHash(11) },
    ];
    expect((await getRejection(store.chain.append(range, [forked]))).message).to.match(/another hash; rewind first/);
    expect(await store.chain.getCursor()).to.deep.equal({ number: 10, hash: createBlockHash(10) });
    expect(await store.chain.findSnapshot(forked.wallet, forked.gameSessionHash!)).to.equal(null);
  });

  it("append stores nothing where the cursor is not the expected one", async () => {
    const { chain } = store;
    const blocks = [1, 2, 3].map((number) => ({ number, hash: createBlockHash(number) }));
    expect(await chain.append(blocks.slice(0, 1), [], null)).to.equal(true);
    expect(await chain.append(blocks.slice(1, 2), [], blocks[0])).to.equal(true);
    await chain.rewind(1);
    expect(await chain.append(blocks.slice(2), [], blocks[1])).to.equal(false);
    expect(await chain.append(blocks.slice(2), [], null)).to.equal(false);
    expect(await chain.getCursor()).to.deep.equal(blocks[0]);
  });

  it("keeps another wallet's snapshot of the same hash apart: only a stolen key could sign it", async () => {
    const row = await storeEndedSession(store);
    await appendEvents(store, createSnapshotEvent(row, { block: 10, wallet: BOB }));
    expect(await store.sessions.find(row.sessionId)).to.include({ snapshotBlock: null });
    await appendEvents(store, createSnapshotEvent(row, { block: 11 }));
    expect(await store.sessions.find(row.sessionId)).to.include({ snapshotBlock: 11 });
  });

  it("never holds two snapshots of one session", async () => {
    const row = await storeEndedSession(store);
    await appendEvents(store, createSnapshotEvent(row, { block: 10 }));
    expect((await getRejection(appendEvents(store, createSnapshotEvent(row, { block: 11 })))).message).to.match(
      /unique/i,
    );
    expect(await store.chain.getCursor()).to.include({ number: 10 });
  });

  it("stores long ranges", async () => {
    const { chain } = store;
    const blocks = Array.from({ length: 1_201 }, (_, number) => ({ number, hash: createBlockHash(number) }));
    const events = blocks.map(({ number: block }) => createChainEvent("Registered", { block, tokenId: BigInt(block) }));
    await chain.append(blocks, events);
    expect(await chain.getCursor()).to.deep.equal(blocks.at(-1));
    expect(await chain.findBlock(700)).to.deep.equal(blocks[700]);
  });

  it("lists the events of a game's token, latest first", async () => {
    const nft = (name: ChainEventRow["name"], block: number, change: Partial<ChainEventRow> = {}) =>
      createChainEvent(name, { block, slug: "shellrunners", tokenId: 3n, score: 10n, tier: 1, ...change });
    const minted = nft("GameNftMinted", 10);
    const upgraded = nft("GameNftUpgraded", 12, { score: 90n, tier: 2, logIndex: 4 });
    const sold = nft("GameNftUpgraded", 12, { score: 99n, tier: 3, logIndex: 5, wallet: BOB });
    await appendEvents(
      store,
      upgraded,
      sold,
      minted,
      nft("GameNftMinted", 11, { tokenId: 4n }),
      nft("GameNftMinted", 11, { slug: "flappybots" }),
    );
    expect(await store.chain.listNftEvents("shellrunners", 3n)).to.deep.equal([sold, upgraded, minted]);
    await store.chain.rewind(11);
    expect(await store.chain.listNftEvents("shellrunners", 3n)).to.deep.equal([minted]);
  });

  it("rejects positions that it cannot order", async () => {
    const error = await getRejection(appendEvents(store, createChainEvent("Registered", { logIndex: 1_000_000 })));
    expect(error).to.be.instanceOf(RangeError);
  });
});
