import { expect } from "chai";
import type { Store } from "../../../backend/ports/store/store.ts";
import { Retention } from "../../../backend/services/operations/retention.ts";
import { listBoardKeys } from "../../../domain/leaderboard.ts";
import { PURGED_TABLES, RETENTION } from "../../../domain/retention.ts";
import { DAY_MS } from "../../../domain/time.ts";
import { TestClock } from "../../helpers/test-clock.ts";
import { silentLog } from "../chain/chain-fixture.ts";
import {
  ALICE,
  appendEvents,
  BASE_TIME_MS,
  BOB,
  createChainEvent,
  createChannelToken,
  createClaim,
  createListing,
  createNonceRow,
  createSnapshotEvent,
  createTelemetryRow,
  createTokens,
  storeEndedSession,
} from "./rows.ts";
import { describeStore } from "./suite.ts";

const YEAR_MS = 365 * DAY_MS;

const purgeAll = async (store: Store, nowMs: number): Promise<void> => {
  for (const table of PURGED_TABLES) await store.retention.purge(table, nowMs - RETENTION[table].days * DAY_MS, 1000);
};
const putDocument = ({ identities }: Store, digest: string, wallet: typeof ALICE | null, atMs = BASE_TIME_MS) =>
  identities.putMetadata({ digest, bytes: "{}", atMs, wallet });
const SIGNING = { key: "k", payloadHash: "0x01", atMs: BASE_TIME_MS } as const;

const SEASON = { slug: "reef", opensAtMs: BASE_TIME_MS, closesAtMs: BASE_TIME_MS, serverSeed: "0x01" } as const;

/** Rows that any client can create. Each function returns one that checks whether the row still exists. */
const CREATED: { readonly [name: string]: (store: Store) => Promise<() => Promise<boolean>> } = {
  "a nonce": async ({ auth }) => {
    const row = createNonceRow();
    await auth.addNonce(row);
    return async () => (await auth.findNonce(row.nonce)) !== null;
  },
  tokens: async ({ auth }) => {
    const tokens = createTokens("family");
    await auth.addTokens(tokens);
    return async () => (await auth.findRefreshToken(tokens.refresh.tokenHash)) !== null;
  },
  "a practice session": async (store) => {
    const { sessionId } = await storeEndedSession(store, { source: "browser_ws", wallet: null });
    return async () => (await store.sessions.find(sessionId)) !== null;
  },
  "a channel token": async ({ channelTokens }) => {
    const row = createChannelToken();
    await channelTokens.add(row);
    return async () => (await channelTokens.find(row.tokenHash)) !== null;
  },
  "a draft of a listing": async ({ listings }) => {
    const row = createListing();
    await listings.add(row, 0);
    return async () => (await listings.find(row.listingId)) !== null;
  },
  "a document that was not minted": async (store) => {
    await putDocument(store, "unminted", ALICE);
    return async () => (await store.identities.findMetadata("unminted")) !== null;
  },
  "a signature of a registration": async ({ signings }) => {
    const kind = `MintIdentity:${BOB}`;
    await signings.record({ ...SIGNING, kind });
    return async () => (await signings.record({ ...SIGNING, kind, payloadHash: "0x02" })) === "conflict";
  },
  "an idempotency key": async ({ idempotency }) => {
    await idempotency.claim(createClaim());
    return async () => (await idempotency.claim(createClaim())) !== null;
  },
  telemetry: async ({ telemetry }) => {
    await telemetry.add([createTelemetryRow()]);
    return async () => (await telemetry.list({ afterEventId: null, limit: 1 })).length > 0;
  },
};

describeStore("the retention of rows", (store) => {
  for (const [name, create] of Object.entries(CREATED))
    it(`removes ${name} after its time, not before`, async () => {
      const isKept = await create(store);
      await purgeAll(store, BASE_TIME_MS);
      expect(await isKept()).to.equal(true);
      await purgeAll(store, BASE_TIME_MS + 2 * YEAR_MS);
      expect(await isKept()).to.equal(false);
    });

  it("never removes the proof of a score, or a document with which an identity was minted", async () => {
    const row = await storeEndedSession(store);
    const signing = { ...SIGNING, kind: `Snapshot:${BOB}` };
    await store.signings.record(signing);
    await store.league.openFirst(SEASON);
    const season = (await store.league.findCurrent(SEASON.slug))!;
    const round = { file: Buffer.from("round"), policies: 1, courses: 50, winner: ALICE };
    await store.league.finish(season, round, SEASON);
    await putDocument(store, "minted", ALICE);
    await putDocument(store, "profile", null);
    await appendEvents(
      store,
      createChainEvent("Registered", { block: 9, wallet: ALICE, blockTime: BASE_TIME_MS / 1000 + 60 }),
      createSnapshotEvent(row, { block: 10 }),
    );
    const recording = await store.sessions.getRecording(row.sessionId);
    expect(recording.inputs).to.have.length(1);
    for (const nowMs of [BASE_TIME_MS + 2 * YEAR_MS, BASE_TIME_MS + 20 * YEAR_MS]) await purgeAll(store, nowMs);
    expect((await store.sessions.find(row.sessionId))?.snapshotBlock).to.equal(10);
    expect(await store.sessions.getRecording(row.sessionId)).to.deep.equal(recording);
    expect(Buffer.from((await store.league.findRound(season))!).toString()).to.equal("round");
    expect(await store.signings.record({ ...signing, payloadHash: "0x02" })).to.equal("conflict");
    for (const digest of ["minted", "profile"]) expect(await store.identities.findMetadata(digest)).to.equal("{}");
  });

  it("removes registrations that a holder of an identity makes later, and never mints", async () => {
    const registered = createChainEvent("Registered", { block: 9, wallet: ALICE, blockTime: BASE_TIME_MS / 1000 });
    await appendEvents(store, registered);
    await putDocument(store, "later", ALICE, BASE_TIME_MS + 30 * DAY_MS);
    await purgeAll(store, BASE_TIME_MS + YEAR_MS);
    expect(await store.identities.findMetadata("later")).to.equal(null);
  });

  it("removes boards of past days, weeks and months, and keeps those of all time", async () => {
    const wallets = [ALICE, BOB];
    for (const wallet of wallets) {
      const { sessionId } = await storeEndedSession(store, { wallet });
      await store.sessions.setVerification(sessionId, "verified");
    }
    const countRows = async () => {
      const boards = listBoardKeys({ slug: "shellrunners", endedAtMs: BASE_TIME_MS });
      const counts = boards.map(async (board) => {
        const page = await store.standings.getPage({ board, sort: "score", hideZero: false, page: 1, limit: 10 });
        const { players } = await store.standings.getTotals(board);
        expect(players).to.equal(page.items.length);
        return players;
      });
      return (await Promise.all(counts)).reduce((sum, players) => sum + players, 0);
    };
    const purge = (nowMs: number, limit: number) =>
      store.retention.purge("standings", nowMs - RETENTION.standings.days * DAY_MS, limit);
    expect(await purge(BASE_TIME_MS, 10)).to.equal(0);
    expect(await countRows()).to.equal(16);
    const overMs = BASE_TIME_MS + YEAR_MS;
    let calls = 0;
    while ((await purge(overMs, 10)) > 0) calls += 1;
    expect(calls).to.equal(6);
    expect(await countRows()).to.equal(4);
    expect(await purge(overMs, 10)).to.equal(0);
  });

  it("is a job with bounded steps, which keeps documents while the chain's events are missing", async () => {
    const clock = new TestClock(BASE_TIME_MS + YEAR_MS);
    let isIndexed = false;
    const job = new Retention({
      store: store.retention,
      clock,
      log: silentLog,
      isIndexed: () => isIndexed,
      mayRun: () => true,
    });
    for (let index = 0; index < 250; index += 1) await putDocument(store, `d${index}`, ALICE);
    const count = async (): Promise<number> => {
      const found = Array.from({ length: 250 }, (_, index) => store.identities.findMetadata(`d${index}`));
      return (await Promise.all(found)).filter((bytes) => bytes !== null).length;
    };
    expect(await job.run()).to.equal(false);
    expect(await count()).to.equal(250);
    isIndexed = true;
    expect(await job.run(), "there is more").to.equal(true);
    expect(await count()).to.equal(50);
    expect(await job.run()).to.equal(false);
    expect(await count()).to.equal(0);
    await job.stop();
  });
});
