import { expect } from "chai";
import type { ChainEventRow } from "../../../backend/ports.ts";
import { ALICE, BOB, blockHash, chainEvent, hashFor, mine, play, snapshotOf } from "./rows.ts";
import { describeStore, race, rejectionOf } from "./suite.ts";

describeStore("chain store", (subject) => {
  it("moves the cursor with the blocks it stores, events or none", async () => {
    const { chain } = subject().store;
    expect(await chain.cursor()).to.equal(null);
    const blocks = [1, 2, 3].map((number) => ({ number, hash: blockHash(number) }));
    await chain.append(blocks, []);
    expect(await chain.cursor()).to.deep.equal(blocks[2]);
    expect(await chain.blockAt(2)).to.deep.equal(blocks[1]);
    expect(await chain.blockAt(4)).to.equal(null);
    await chain.rewind(1);
    expect(await chain.cursor()).to.deep.equal(blocks[0]);
    await chain.rewind(0);
    expect(await chain.cursor()).to.equal(null);
  });

  it("gives an event back as it was", async () => {
    const { chain } = subject().store;
    const event = chainEvent("ScoreSnapshot", {
      slug: "shellrunners",
      gameSessionHash: hashFor("session")(7n),
      sequence: 2n ** 64n - 1n,
      score: 2n ** 53n + 1n,
      scorebank: 2n ** 256n - 1n,
    });
    await mine(subject().store, event);
    expect(await chain.snapshotOf(event.wallet, event.gameSessionHash!)).to.deep.equal(event);
    expect(await chain.snapshotOf(event.wallet, hashFor("another")(7n))).to.equal(null);
  });

  it("stores what it is told twice, or by many, once", async () => {
    const row = await play(subject().store);
    const event = snapshotOf(row);
    await race(subject(), (store) => mine(store, event));
    expect((await subject().store.chain.scorebank(ALICE)).snapshots).to.equal(1);
  });

  it("refuses another block of the same number, and stores nothing of that range", async () => {
    const { store } = subject();
    await mine(store, chainEvent("Registered", { block: 10 }));
    const forked = snapshotOf(await play(store), { block: 11, blockHash: blockHash(11) });
    const range = [
      { number: 10, hash: blockHash(10, "'") },
      { number: 11, hash: blockHash(11) },
    ];
    expect((await rejectionOf(store.chain.append(range, [forked]))).message).to.match(/another hash; rewind first/);
    expect(await store.chain.cursor()).to.deep.equal({ number: 10, hash: blockHash(10) });
    expect(await store.chain.snapshotOf(forked.wallet, forked.gameSessionHash!)).to.equal(null);
  });

  it("keeps another wallet's snapshot of the same hash apart: only a stolen key could sign it", async () => {
    const { store } = subject();
    const row = await play(store);
    await mine(store, snapshotOf(row, { block: 10, wallet: BOB }));
    expect(await store.sessions.find(row.sessionId)).to.include({ snapshotBlock: null });
    await mine(store, snapshotOf(row, { block: 11 }));
    expect(await store.sessions.find(row.sessionId)).to.include({ snapshotBlock: 11 });
  });

  it("never holds two snapshots of one session", async () => {
    const { store } = subject();
    const row = await play(store);
    await mine(store, snapshotOf(row, { block: 10 }));
    expect((await rejectionOf(mine(store, snapshotOf(row, { block: 11 })))).message).to.match(/UNIQUE/);
    expect(await store.chain.cursor()).to.include({ number: 10 });
  });

  it("stores long ranges", async () => {
    const { chain } = subject().store;
    const blocks = Array.from({ length: 1_201 }, (_, number) => ({ number, hash: blockHash(number) }));
    const events = blocks.map(({ number: block }) => chainEvent("Registered", { block, tokenId: BigInt(block) }));
    await chain.append(blocks, events);
    expect(await chain.cursor()).to.deep.equal(blocks.at(-1));
    expect(await chain.blockAt(700)).to.deep.equal(blocks[700]);
  });

  it("lists the events of a game's token, latest first", async () => {
    const { store } = subject();
    const nft = (name: ChainEventRow["name"], block: number, change: Partial<ChainEventRow> = {}) =>
      chainEvent(name, { block, slug: "shellrunners", tokenId: 3n, score: 10n, tier: 1, ...change });
    const minted = nft("GameNftMinted", 10);
    const upgraded = nft("GameNftUpgraded", 12, { score: 90n, tier: 2, logIndex: 4 });
    const sold = nft("GameNftUpgraded", 12, { score: 99n, tier: 3, logIndex: 5, wallet: BOB });
    await mine(
      store,
      upgraded,
      sold,
      minted,
      nft("GameNftMinted", 11, { tokenId: 4n }),
      nft("GameNftMinted", 11, { slug: "flappybots" }),
    );
    expect(await store.chain.nftEvents("shellrunners", 3n)).to.deep.equal([sold, upgraded, minted]);
    await store.chain.rewind(11);
    expect(await store.chain.nftEvents("shellrunners", 3n)).to.deep.equal([minted]);
  });

  it("refuses positions it cannot order", async () => {
    const error = await rejectionOf(mine(subject().store, chainEvent("Registered", { logIndex: 1_000_000 })));
    expect(error).to.be.instanceOf(RangeError);
  });
});
