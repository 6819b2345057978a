import { expect } from "chai";
import type { SessionRow } from "../../../backend/ports.ts";
import { ALICE, BOB, blockHash, chainEvent, freshId, mine, newSession, play, snapshotOf, T0 } from "./rows.ts";
import { describeStore } from "./suite.ts";

const idsOf = (rows: readonly SessionRow[]): string[] => rows.map((row) => row.sessionId);

describeStore("session lists", (subject) => {
  it("name pending scores, oldest end first", async () => {
    const { store } = subject();
    const { sessions } = store;
    // Started in one order and ended in the other: the end counts.
    const late = newSession({ sessionId: `z-${freshId()}` });
    const first = await play(store, { slug: "flappybots" }, { endedAtMs: T0 + 9 });
    await sessions.add(late);
    const second = await play(store, { slug: "flappybots" });
    const third = await sessions.end(
      {
        ...first,
        ...late,
        endedAtMs: T0 + 1,
        endReason: "exit",
        tick: 9,
        score: 7,
        inputs: [],
        stateDigests: [],
        replayDigest: first.replayDigest!,
      },
      () => `0x${"ab".repeat(32)}`,
    );
    expect(idsOf(await sessions.listPending(ALICE, null, 100))).to.deep.equal(idsOf([first, second, third]));
    expect(idsOf(await sessions.listPending(ALICE, null, 2))).to.deep.equal(idsOf([first, second]));
    expect(idsOf(await sessions.listPending(ALICE, "shellrunners", 100))).to.deep.equal([third.sessionId]);
    expect(await sessions.listPending(BOB, null, 100)).to.deep.equal([]);
  });

  it("leave out what is not pending", async () => {
    const { store } = subject();
    await play(store, {}, { score: 0 });
    await play(store, { source: "browser_ws" });
    const withheld = await play(store);
    await store.sessions.setVerification(withheld.sessionId, "withheld");
    const givenUp = await play(store);
    await store.sessions.forfeit(givenUp.sessionId, T0);
    const done = await play(store);
    await mine(store, snapshotOf(done));
    await store.sessions.add(newSession());
    const verified = await play(store, { slug: "flappybots" });
    await store.sessions.setVerification(verified.sessionId, "verified");
    expect(idsOf(await store.sessions.listPending(ALICE, null, 100))).to.deep.equal([verified.sessionId]);
  });

  it("follow a reorganization: the snapshot vanishes and comes back in another block", async () => {
    const { store } = subject();
    const row = await play(store);
    const event = snapshotOf(row, { block: 10 });
    await mine(store, chainEvent("Registered", { block: 9 }), event);
    const included = await store.sessions.find(row.sessionId);
    expect(included).to.deep.equal({ ...row, snapshotTxHash: event.txHash, snapshotBlock: 10 });
    expect(await store.sessions.listPending(ALICE, null, 1)).to.deep.equal([]);
    expect(await store.sessions.bestOnChain(ALICE, row.slug)).to.deep.equal(included);

    await store.chain.rewind(9);
    expect(await store.sessions.find(row.sessionId)).to.deep.equal(row);
    expect(await store.sessions.listPending(ALICE, null, 1)).to.deep.equal([row]);
    expect(await store.sessions.bestOnChain(ALICE, row.slug)).to.equal(null);

    await mine(store, { ...event, block: 12, blockHash: blockHash(12, "'") });
    expect(await store.sessions.find(row.sessionId)).to.include({ snapshotTxHash: event.txHash, snapshotBlock: 12 });
    expect(await store.sessions.listPending(ALICE, null, 1)).to.deep.equal([]);
  });

  it("find the best score, and the best on chain", async () => {
    const { store } = subject();
    const { sessions } = store;
    expect(await sessions.best(ALICE, "shellrunners")).to.equal(null);
    const low = await play(store, {}, { score: 50 });
    const high = await play(store, {}, { score: 900 });
    await play(store, {}, { score: 900 });
    await play(store, { slug: "flappybots" }, { score: 5_000 });
    await play(store, { source: "browser_ws" }, { score: 5_000 });
    await play(store, { wallet: BOB }, { score: 5_000 });
    const withheld = await play(store, {}, { score: 9_000 });
    await sessions.setVerification(withheld.sessionId, "withheld");
    expect((await sessions.best(ALICE, "shellrunners"))?.sessionId).to.equal(high.sessionId);
    expect(await sessions.bestOnChain(ALICE, "shellrunners")).to.equal(null);
    await mine(store, snapshotOf(low));
    expect((await sessions.bestOnChain(ALICE, "shellrunners"))?.sessionId).to.equal(low.sessionId);
  });

  it("page through a wallet's sessions of a game, newest first", async () => {
    const { store } = subject();
    const rows: SessionRow[] = [];
    for (let i = 0; i < 5; i++) rows.unshift(await play(store, { startedAtMs: T0 + i }));
    const open = newSession({ startedAtMs: T0 + 9 });
    await store.sessions.add(open);
    const practice = newSession({ startedAtMs: T0 - 1, source: "browser_ws" });
    await store.sessions.add(practice);
    await play(store, { wallet: BOB });
    await play(store, { slug: "flappybots" });

    const mineOf = (change: object) =>
      store.sessions.listMine({
        wallet: ALICE,
        slug: "shellrunners",
        status: null,
        source: null,
        page: 1,
        limit: 25,
        ...change,
      });
    const all = await mineOf({});
    expect(idsOf(all.items)).to.deep.equal([open.sessionId, ...idsOf(rows), practice.sessionId]);
    expect(all.total).to.equal(7);
    const second = await mineOf({ page: 2, limit: 3 });
    expect(idsOf(second.items)).to.deep.equal(idsOf(all.items.slice(3, 6)));
    expect(second.total).to.equal(7);
    expect(await mineOf({ page: 4, limit: 3 })).to.deep.equal({ items: [], total: 7 });
    expect(idsOf((await mineOf({ status: "ended" })).items)).to.deep.equal(idsOf(rows));
    expect(idsOf((await mineOf({ status: "active" })).items)).to.deep.equal([open.sessionId, practice.sessionId]);
    expect(idsOf((await mineOf({ source: "browser_ws" })).items)).to.deep.equal([practice.sessionId]);
  });

  it("show live agent sessions of a game", async () => {
    const { store } = subject();
    await play(store);
    const [older, newer] = [newSession(), newSession({ wallet: BOB, startedAtMs: T0 + 1 })];
    for (const session of [older, newer, newSession({ source: "browser_ws" }), newSession({ slug: "flappybots" })]) {
      await store.sessions.add(session);
    }
    const live = await store.sessions.listLive({ slug: "shellrunners", page: 1, limit: 1 });
    expect(idsOf(live.items)).to.deep.equal([newer.sessionId]);
    expect(live.total).to.equal(2);
    expect(await store.sessions.listOpen()).to.have.length(4);
  });
});
