import { expect } from "chai";
import type { SessionRow } from "../../../../backend/ports/store/sessions.ts";
import {
  ALICE,
  addSession,
  appendEvents,
  BASE_TIME_MS,
  BOB,
  createBlockHash,
  createChainEvent,
  createEndedSession,
  createId,
  createSession,
  createSnapshotEvent,
  storeEndedSession,
} from "../rows.ts";
import { describeStore } from "../suite.ts";

const getIds = (rows: readonly SessionRow[]): string[] => rows.map((row) => row.sessionId);

describeStore("session lists", (store) => {
  it("name pending scores, oldest end first", async () => {
    const { sessions } = store;
    // Started in one order and ended in the other: the end counts.
    const late = createSession({ sessionId: `z-${createId()}` });
    const first = await storeEndedSession(store, { slug: "flappybots" }, { endedAtMs: BASE_TIME_MS + 9 });
    await sessions.add(late);
    const second = await storeEndedSession(store, { slug: "flappybots" });
    const third = await sessions.end(
      {
        ...first,
        ...late,
        endedAtMs: BASE_TIME_MS + 1,
        endReason: "exit",
        tick: 9,
        score: 7,
        inputs: [],
        stateDigests: [],
        pauses: [],
        rulesHash: `0x${"cd".repeat(32)}`,
        replayDigest: first.replayDigest!,
      },
      () => `0x${"ab".repeat(32)}`,
    );
    expect(getIds(await sessions.listPending(ALICE, null, 100))).to.deep.equal(getIds([first, second, third]));
    expect(getIds(await sessions.listPending(ALICE, null, 2))).to.deep.equal(getIds([first, second]));
    expect(getIds(await sessions.listPending(ALICE, "shellrunners", 100))).to.deep.equal([third.sessionId]);
    expect(await sessions.listPending(BOB, null, 100)).to.deep.equal([]);
  });

  it("omit sessions that are not pending", async () => {
    await storeEndedSession(store, {}, { score: 0 });
    await storeEndedSession(store, { source: "browser_ws" });
    const withheld = await storeEndedSession(store);
    await store.sessions.setVerification(withheld.sessionId, "withheld");
    const forfeited = await storeEndedSession(store);
    await store.sessions.forfeit(forfeited.sessionId, BASE_TIME_MS);
    const done = await storeEndedSession(store);
    await appendEvents(store, createSnapshotEvent(done));
    await store.sessions.add(createSession());
    const verified = await storeEndedSession(store, { slug: "flappybots" });
    await store.sessions.setVerification(verified.sessionId, "verified");
    expect(getIds(await store.sessions.listPending(ALICE, null, 100))).to.deep.equal([verified.sessionId]);
  });

  it("follow a reorganization that moves a snapshot to another block", async () => {
    const row = await storeEndedSession(store);
    const event = createSnapshotEvent(row, { block: 10 });
    await appendEvents(store, createChainEvent("Registered", { block: 9 }), event);
    const included = await store.sessions.find(row.sessionId);
    expect(included).to.deep.equal({ ...row, snapshotTxHash: event.txHash, snapshotBlock: 10 });
    expect(await store.sessions.listPending(ALICE, null, 1)).to.deep.equal([]);
    expect(await store.sessions.findBestOnChain(ALICE, row.slug, "1")).to.deep.equal(included);

    await store.chain.rewind(9);
    expect(await store.sessions.find(row.sessionId)).to.deep.equal(row);
    expect(await store.sessions.listPending(ALICE, null, 1)).to.deep.equal([row]);
    expect(await store.sessions.findBestOnChain(ALICE, row.slug, "1")).to.equal(null);

    await appendEvents(store, { ...event, block: 12, blockHash: createBlockHash(12, "'") });
    expect(await store.sessions.find(row.sessionId)).to.include({ snapshotTxHash: event.txHash, snapshotBlock: 12 });
    expect(await store.sessions.listPending(ALICE, null, 1)).to.deep.equal([]);
  });

  it("omit a session whose snapshot was stored before its end, as after a restored backup", async () => {
    const gameSessionHash = `0x${"cd".repeat(32)}` as const;
    await appendEvents(store, createChainEvent("ScoreSnapshot", { gameSessionHash, sequence: 1n, score: 7n }));
    const session = await addSession(store);
    const ended = await store.sessions.end(createEndedSession(session.sessionId, { score: 7 }), () => gameSessionHash);
    expect(ended.snapshotBlock).to.not.equal(null);
    expect(await store.sessions.listPending(ALICE, null, 1)).to.deep.equal([]);
  });

  it("find the best score, and the best on chain", async () => {
    const { sessions } = store;
    expect(await sessions.findBest(ALICE, "shellrunners")).to.equal(null);
    const low = await storeEndedSession(store, {}, { score: 50 });
    const high = await storeEndedSession(store, {}, { score: 900 });
    await storeEndedSession(store, {}, { score: 900 });
    await storeEndedSession(store, { slug: "flappybots" }, { score: 5_000 });
    await storeEndedSession(store, { source: "browser_ws" }, { score: 5_000 });
    await storeEndedSession(store, { wallet: BOB }, { score: 5_000 });
    const withheld = await storeEndedSession(store, {}, { score: 9_000 });
    await sessions.setVerification(withheld.sessionId, "withheld");
    expect((await sessions.findBest(ALICE, "shellrunners"))?.sessionId).to.equal(high.sessionId);
    expect(await sessions.findBestOnChain(ALICE, "shellrunners", "1")).to.equal(null);
    await appendEvents(store, createSnapshotEvent(low));
    expect((await sessions.findBestOnChain(ALICE, "shellrunners", "1"))?.sessionId).to.equal(low.sessionId);

    const other = await storeEndedSession(store, { agentId: "2" }, { score: 700 });
    const withoutIdentity = await storeEndedSession(store, { agentId: null }, { score: 800 });
    await appendEvents(
      store,
      createSnapshotEvent(other, { block: 20 }),
      createSnapshotEvent(withoutIdentity, { block: 20 }),
    );
    expect((await sessions.findBestOnChain(ALICE, "shellrunners", "1"))?.sessionId).to.equal(low.sessionId);
    expect((await sessions.findBestOnChain(ALICE, "shellrunners", "2"))?.sessionId).to.equal(other.sessionId);
  });

  it("count no score for the NFT that was given up, although a signature from before brought it on chain", async () => {
    const row = await storeEndedSession(store);
    await store.sessions.forfeit(row.sessionId, 1);
    await appendEvents(store, createSnapshotEvent(row));
    expect(await store.sessions.findBestOnChain(ALICE, "shellrunners", "1")).to.equal(null);
  });

  it("page through a wallet's sessions of a game, newest first", async () => {
    const rows: SessionRow[] = [];
    for (let i = 0; i < 5; i++) rows.unshift(await storeEndedSession(store, { startedAtMs: BASE_TIME_MS + i }));
    const open = await addSession(store, { startedAtMs: BASE_TIME_MS + 9 });
    const practice = await addSession(store, { startedAtMs: BASE_TIME_MS - 1, source: "browser_ws" });
    await storeEndedSession(store, { wallet: BOB });
    await storeEndedSession(store, { slug: "flappybots" });

    const listOwnSessions = (change: object) =>
      store.sessions.listMine({
        wallet: ALICE,
        slug: "shellrunners",
        status: null,
        source: null,
        page: 1,
        limit: 25,
        ...change,
      });
    const all = await listOwnSessions({});
    expect(getIds(all.items)).to.deep.equal([open.sessionId, ...getIds(rows), practice.sessionId]);
    expect(all.total).to.equal(7);
    const second = await listOwnSessions({ page: 2, limit: 3 });
    expect(getIds(second.items)).to.deep.equal(getIds(all.items.slice(3, 6)));
    expect(second.total).to.equal(7);
    expect(await listOwnSessions({ page: 4, limit: 3 })).to.deep.equal({ items: [], total: 7 });
    expect(getIds((await listOwnSessions({ status: "ended" })).items)).to.deep.equal(getIds(rows));
    expect(getIds((await listOwnSessions({ status: "active" })).items)).to.deep.equal([
      open.sessionId,
      practice.sessionId,
    ]);
    expect(getIds((await listOwnSessions({ source: "browser_ws" })).items)).to.deep.equal([practice.sessionId]);
  });

  it("show live agent sessions of a game", async () => {
    await storeEndedSession(store);
    const [older, newer] = [createSession(), createSession({ wallet: BOB, startedAtMs: BASE_TIME_MS + 1 })];
    for (const session of [
      older,
      newer,
      createSession({ source: "browser_ws" }),
      createSession({ slug: "flappybots" }),
    ]) {
      await store.sessions.add(session);
    }
    const live = await store.sessions.listLive({ slug: "shellrunners", page: 1, limit: 1 });
    expect(getIds(live.items)).to.deep.equal([newer.sessionId]);
    expect(live.total).to.equal(2);
    expect(await store.sessions.listOpen()).to.have.length(4);
  });
});
