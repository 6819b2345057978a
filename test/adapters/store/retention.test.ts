import { expect } from "chai";
import type { Store } from "../../../backend/ports/store/store.ts";
import { Retention } from "../../../backend/services/operations/retention.ts";
import { PURGED_TABLES, RETENTION } from "../../../domain/retention.ts";
import { TestClock } from "../../helpers/test-clock.ts";
import {
  ALICE,
  appendEvents,
  BASE_TIME_MS,
  BOB,
  createChainEvent,
  createChannelToken,
  createId,
  createListing,
  createNonceRow,
  createSnapshotEvent,
  createTokens,
  storeEndedSession,
} from "./rows.ts";
import { describeStore } from "./suite.ts";

const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;
const log = { debug() {}, info() {}, warn() {}, error() {} };

const purgeAll = async (store: Store, nowMs: number): Promise<void> => {
  for (const table of PURGED_TABLES) await store.retention.purge(table, nowMs - RETENTION[table].days * DAY_MS, 1000);
};
const putDocument = (store: Store, digest: string, wallet: typeof ALICE | null, atMs = BASE_TIME_MS) =>
  store.identities.putMetadata({ digest, bytes: "{}", atMs, wallet });

describeStore("the retention of rows", (store) => {
  it("removes what any client can create: nonces, tokens, keys, telemetry, practice sessions, drafts, registrations", async () => {
    const nonce = createNonceRow();
    await store.auth.addNonce(nonce);
    const tokens = createTokens("family");
    await store.auth.addTokens(tokens);
    const practice = await storeEndedSession(store, { source: "browser_ws", wallet: null });
    const token = createChannelToken({ sessionId: practice.sessionId });
    await store.channelTokens.add(token);
    const listing = createListing();
    await store.listings.add(listing, 0);
    await putDocument(store, "unminted", ALICE);
    const signing = { kind: `MintIdentity:${BOB}`, key: "k", payloadHash: "0x01", atMs: BASE_TIME_MS } as const;
    await store.signings.record(signing);
    const claim = { caller: ALICE, route: "r", key: "k", bodyHash: "h", status: null, body: null };
    await store.idempotency.claim({ ...claim, createdAtMs: BASE_TIME_MS });
    await store.telemetry.add([
      {
        eventId: createId(),
        event: "e",
        wallet: null,
        slug: null,
        sessionId: null,
        metadata: "{}",
        occurredAtMs: BASE_TIME_MS,
        receivedAtMs: BASE_TIME_MS,
      },
    ]);

    await purgeAll(store, BASE_TIME_MS);
    expect(await store.sessions.find(practice.sessionId), "before its time").to.not.equal(null);
    expect(await store.identities.findMetadata("unminted"), "before its time").to.equal("{}");

    await purgeAll(store, BASE_TIME_MS + 2 * YEAR_MS);
    expect(await store.auth.findNonce(nonce.nonce)).to.equal(null);
    expect(await store.auth.findRefreshToken(tokens.refresh.tokenHash)).to.equal(null);
    expect(await store.sessions.find(practice.sessionId)).to.equal(null);
    expect(await store.channelTokens.find(token.tokenHash)).to.equal(null);
    expect(await store.listings.find(listing.listingId)).to.equal(null);
    expect(await store.identities.findMetadata("unminted")).to.equal(null);
    expect(await store.signings.record({ ...signing, payloadHash: "0x02" })).to.equal("recorded");
    expect(await store.idempotency.claim({ ...claim, createdAtMs: BASE_TIME_MS })).to.equal(null);
  });

  it("never removes what proves a score, and no document that an identity was minted with", async () => {
    const row = await storeEndedSession(store);
    const signing = { kind: `Snapshot:${BOB}`, key: "k", payloadHash: "0x01", atMs: BASE_TIME_MS } as const;
    await store.signings.record(signing);
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

  it("is done by a job in bounded steps, which keeps documents while the chain's events are missing", async () => {
    const clock = new TestClock(BASE_TIME_MS + YEAR_MS);
    let isIndexed = false;
    const job = new Retention({ store: store.retention, clock, log, isIndexed: () => isIndexed, mayRun: () => true });
    for (let index = 0; index < 250; index += 1) await putDocument(store, `d${index}`, ALICE);
    const count = async (): Promise<number> => {
      let found = 0;
      for (let index = 0; index < 250; index += 1)
        if ((await store.identities.findMetadata(`d${index}`)) !== null) found += 1;
      return found;
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
