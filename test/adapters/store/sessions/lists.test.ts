import { expect } from "chai";
import type { NewSession } from "../../../../backend/ports/store/sessions.ts";
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
  createSnapshotEvent,
  endSession,
  getIds,
  hashText,
  storeEndedSession,
} from "../rows.ts";
import { describeStore } from "../suite.ts";

describeStore("session lists", (store) => {
  const find = ({ sessionId }: { readonly sessionId: string }) => store.sessions.find(sessionId);
  const listPending = async (slug: string | null = null, limit = 100) =>
    getIds(await store.sessions.listPending(ALICE, slug, limit));
  const findBestOnChain = (agentId = "1") => store.sessions.findBestOnChain(ALICE, "shellrunners", agentId);
  const storeWithheld = async (score?: number) => {
    const row = await storeEndedSession(store, {}, { score: score ?? 100 });
    await store.sessions.setVerification(row.sessionId, "withheld");
  };

  it("name pending scores, oldest end first", async () => {
    const slug = "flappybots";
    const first = await storeEndedSession(store, { slug }, { endedAtMs: BASE_TIME_MS + 9 });
    // Started in one order and ended in the other. The end counts.
    const late = await addSession(store, { sessionId: `z-${createId()}` });
    const second = await storeEndedSession(store, { slug });
    const third = await endSession(store, late.sessionId, { endedAtMs: BASE_TIME_MS + 1 });
    expect(await listPending()).to.deep.equal(getIds([first, second, third]));
    expect(await listPending(null, 2)).to.deep.equal(getIds([first, second]));
    expect(await listPending("shellrunners")).to.deep.equal([third.sessionId]);
    expect(await store.sessions.listPending(BOB, null, 100)).to.deep.equal([]);
  });

  it("follow a reorganization that moves a snapshot to another block", async () => {
    const row = await storeEndedSession(store);
    const event = createSnapshotEvent(row, { block: 10 });
    await appendEvents(store, createChainEvent("Registered", { block: 9 }), event);
    const included = await find(row);
    expect(included).to.deep.equal({ ...row, snapshotTxHash: event.txHash, snapshotBlock: 10 });
    expect(await listPending()).to.deep.equal([]);
    expect(await findBestOnChain()).to.deep.equal(included);

    await store.chain.rewind(9);
    expect(await find(row)).to.deep.equal(row);
    expect(await store.sessions.listPending(ALICE, null, 1)).to.deep.equal([row]);
    expect(await findBestOnChain()).to.equal(null);

    await appendEvents(store, { ...event, block: 12, blockHash: createBlockHash(12, "'") });
    expect(await find(row)).to.include({ snapshotTxHash: event.txHash, snapshotBlock: 12 });
    expect(await listPending()).to.deep.equal([]);
  });

  it("omit a session whose snapshot was stored before its end, as after a restored backup", async () => {
    const gameSessionHash = hashText("session");
    await appendEvents(store, createChainEvent("ScoreSnapshot", { gameSessionHash, sequence: 1n, score: 7n }));
    const { sessionId } = await addSession(store);
    const ended = await store.sessions.end(createEndedSession(sessionId, { score: 7 }), () => gameSessionHash);
    expect(ended.snapshotBlock).to.not.equal(null);
    expect(await listPending()).to.deep.equal([]);
  });

  it("find the best score, and the best on chain", async () => {
    const findBestId = async () => (await store.sessions.findBest(ALICE, "shellrunners"))?.sessionId;
    expect(await findBestId()).to.equal(undefined);
    const low = await storeEndedSession(store, {}, { score: 50 });
    const high = await storeEndedSession(store, {}, { score: 900 });
    await storeEndedSession(store, {}, { score: 900 });
    for (const change of [{ slug: "flappybots" }, { source: "browser_ws" }, { wallet: BOB }] as const)
      await storeEndedSession(store, change, { score: 5_000 });
    await storeWithheld(9_000);
    expect(await findBestId()).to.equal(high.sessionId);
    expect(await findBestOnChain()).to.equal(null);
    await appendEvents(store, createSnapshotEvent(low));
    expect((await findBestOnChain())?.sessionId).to.equal(low.sessionId);

    const other = await storeEndedSession(store, { agentId: "2" }, { score: 700 });
    const withoutIdentity = await storeEndedSession(store, { agentId: null }, { score: 800 });
    const events = [other, withoutIdentity].map((row) => createSnapshotEvent(row, { block: 20 }));
    await appendEvents(store, ...events);
    expect((await findBestOnChain())?.sessionId).to.equal(low.sessionId);
    expect((await findBestOnChain("2"))?.sessionId).to.equal(other.sessionId);
  });

  it("do not count a forfeited score for the NFT, although an earlier signature put it on chain", async () => {
    const row = await storeEndedSession(store);
    await store.sessions.forfeit(row.sessionId, { atMs: 1, signedBeforeSeconds: 0 });
    await appendEvents(store, createSnapshotEvent(row));
    expect(await findBestOnChain()).to.equal(null);
  });

  it("page through a wallet's sessions of a game, newest first", async () => {
    const add = async (change: Partial<NewSession>) => (await addSession(store, change)).sessionId;
    const ended: string[] = [];
    for (let i = 0; i < 5; i++)
      ended.unshift((await storeEndedSession(store, { startedAtMs: BASE_TIME_MS + i })).sessionId);
    const open = await add({ startedAtMs: BASE_TIME_MS + 9 });
    const practice = await add({ startedAtMs: BASE_TIME_MS - 1, source: "browser_ws" });
    await storeEndedSession(store, { wallet: BOB });
    await storeEndedSession(store, { slug: "flappybots" });

    const query = { wallet: ALICE, slug: "shellrunners", status: null, source: null, page: 1, limit: 25 };
    const list = async (change: object) => {
      const { items, total } = await store.sessions.listMine({ ...query, ...change });
      return { ids: getIds(items), total };
    };
    const all = [open, ...ended, practice];
    for (const [change, ids, total] of [
      [{}, all, 7],
      [{ page: 2, limit: 3 }, all.slice(3, 6), 7],
      [{ page: 4, limit: 3 }, [], 7],
      [{ status: "ended" }, ended, 5],
      [{ status: "active" }, [open, practice], 2],
      [{ source: "browser_ws" }, [practice], 1],
    ] as const)
      expect(await list(change), JSON.stringify(change)).to.deep.equal({ ids, total });
  });

  it("show live agent sessions of a game", async () => {
    await storeEndedSession(store);
    await addSession(store);
    const newer = await addSession(store, { wallet: BOB, startedAtMs: BASE_TIME_MS + 1 });
    await addSession(store, { source: "browser_ws" });
    await addSession(store, { slug: "flappybots" });
    const { items, total } = await store.sessions.listLive({ slug: "shellrunners", page: 1, limit: 1 });
    expect([getIds(items), total]).to.deep.equal([[newer.sessionId], 2]);
    expect(await store.sessions.listOpen()).to.have.length(4);
  });
});
