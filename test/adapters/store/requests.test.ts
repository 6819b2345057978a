import { expect } from "chai";
import { runIdempotent } from "../../../backend/http/pipeline/idempotency.ts";
import type { IdempotencyRow } from "../../../backend/ports/store/idempotency.ts";
import type { ProfileRow } from "../../../backend/ports/store/identity.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import { TestClock } from "../../helpers/test-clock.ts";
import { ALICE, BASE_TIME_MS, BOB, createChannelToken } from "./rows.ts";
import { describeStore } from "./suite.ts";

const HOUR_MS = 3600 * 1000;
const REQUEST = { caller: ALICE, route: "POST /x", key: "k", body: {} };

type StoredResponse = Awaited<ReturnType<Parameters<typeof runIdempotent>[3]>>;

describeStore("channel tokens", (store, { runConcurrently }) => {
  it("are accepted for one of 50 callers", async () => {
    for (const kind of ["play", "spectate"] as const) {
      const row = createChannelToken({ kind });
      await store.channelTokens.add(row);
      const used = await runConcurrently((store) => store.channelTokens.consume(row.tokenHash, BASE_TIME_MS));
      expect(used.filter(Boolean)).to.have.length(1);
      expect(await store.channelTokens.find(row.tokenHash)).to.deep.equal({
        ...row,
        usedAtMs: BASE_TIME_MS,
      });
    }
  });

  it("are revoked by the next play token of their session", async () => {
    const { channelTokens } = store;
    const [first, second] = [createChannelToken(), createChannelToken()];
    const others = [createChannelToken({ sessionId: "another" }), createChannelToken({ kind: "spectate" })];
    for (const row of [first, ...others, second]) await channelTokens.add(row);
    expect((await channelTokens.find(first.tokenHash))?.revokedAtMs).to.not.equal(null);
    expect(await channelTokens.consume(first.tokenHash, BASE_TIME_MS)).to.equal(false);
    for (const row of [second, ...others])
      expect(await channelTokens.consume(row.tokenHash, BASE_TIME_MS)).to.equal(true);
  });

  it("leave one valid play token when 50 are issued at once", async () => {
    const rows = Array.from({ length: 50 }, () => createChannelToken());
    await runConcurrently((store, index) => store.channelTokens.add(rows[index]!));
    const used = await runConcurrently((store, index) =>
      store.channelTokens.consume(rows[index]!.tokenHash, BASE_TIME_MS),
    );
    expect(used.filter(Boolean)).to.have.length(1);
  });

  it("are kept for an hour after they expired", async () => {
    const { channelTokens } = store;
    const old = createChannelToken({ sessionId: "old", expiresAtMs: BASE_TIME_MS });
    const [early, late] = [createChannelToken({ kind: "spectate" }), createChannelToken({ kind: "spectate" })];
    for (const row of [old, early, late]) await channelTokens.add(row);
    await channelTokens.consume(early.tokenHash, BASE_TIME_MS + HOUR_MS);
    expect(await channelTokens.find(old.tokenHash)).to.not.equal(null);
    await channelTokens.consume(late.tokenHash, BASE_TIME_MS + HOUR_MS + 1);
    expect(await channelTokens.find(old.tokenHash)).to.equal(null);
    expect(await channelTokens.find("unknown")).to.equal(null);
  });
});

describeStore("idempotency keys", (store, { other, runConcurrently }) => {
  const claim = (change: Partial<IdempotencyRow> = {}): IdempotencyRow => ({
    caller: ALICE,
    route: "POST /x",
    key: "k",
    bodyHash: "h",
    status: null,
    body: null,
    createdAtMs: BASE_TIME_MS,
    ...change,
  });

  it("are claimed by one of 50 callers", async () => {
    const results = await runConcurrently((store, index) => store.idempotency.claim(claim({ bodyHash: `${index}` })));
    expect(results.filter((response) => response === null)).to.have.length(1);
    const winner = claim({ bodyHash: `${results.indexOf(null)}` });
    for (const response of results) if (response !== null) expect(response).to.deep.equal(winner);
  });

  it("return the completed response for a day", async () => {
    const { idempotency } = store;
    await idempotency.claim(claim());
    await idempotency.complete(claim({ status: 200, body: "{}" }));
    await idempotency.complete(claim({ status: 500, body: "late" }));
    await idempotency.release(claim());
    const done = claim({ status: 200, body: "{}" });
    expect(await idempotency.claim(claim({ createdAtMs: BASE_TIME_MS + 24 * HOUR_MS - 1 }))).to.deep.equal(done);
    expect(await idempotency.claim(claim({ createdAtMs: BASE_TIME_MS + 24 * HOUR_MS }))).to.equal(null);
  });

  it("are kept apart by caller, route and key", async () => {
    const { idempotency } = store;
    for (const change of [{}, { caller: BOB }, { route: "POST /y" }, { key: "l" }]) {
      expect(await idempotency.claim(claim(change))).to.equal(null);
    }
  });

  it("can be claimed again after a release, or when their process never completed them", async () => {
    const { idempotency } = store;
    await idempotency.claim(claim());
    expect(await idempotency.claim(claim({ createdAtMs: BASE_TIME_MS + 59_999 }))).to.deep.equal(claim());
    expect(await idempotency.claim(claim({ createdAtMs: BASE_TIME_MS + 60_000 }))).to.equal(null);
    await idempotency.release(claim({ createdAtMs: BASE_TIME_MS + 60_000 }));
    expect(await idempotency.claim(claim())).to.equal(null);
  });

  it("are not completed or released by an earlier claim that was given up", async () => {
    const later = claim({ createdAtMs: BASE_TIME_MS + 60_000 });
    await store.idempotency.claim(claim());
    expect(await other.idempotency.claim(later)).to.equal(null);
    await store.idempotency.complete(claim({ status: 200, body: "of the first" }));
    expect(await store.idempotency.claim(later), "after the completion").to.deep.equal(later);
    await store.idempotency.release(claim());
    expect(await store.idempotency.claim(later), "after the release").to.deep.equal(later);
    const done = { ...later, status: 200, body: "of the second" };
    await other.idempotency.complete(done);
    expect(await store.idempotency.claim(later)).to.deep.equal(done);
  });

  /** A request whose work has begun and ends as the test says. */
  async function begin(store: Store, clock: TestClock) {
    const begun = Promise.withResolvers<void>();
    const work = Promise.withResolvers<StoredResponse>();
    const outcome = runIdempotent(store.idempotency, clock, REQUEST, () => {
      begun.resolve();
      return work.promise;
    });
    await begun.promise;
    return { work, outcome };
  }

  for (const [end, settle] of [
    ["is answered", (work) => work.resolve({ status: 200, body: { of: "the first" } })],
    ["fails", (work) => work.reject(new Error("failed"))],
  ] as readonly (readonly [string, (work: PromiseWithResolvers<StoredResponse>) => void])[])
    it(`keep the answer of a repeat where the wall clock jumped and the first request ${end} meanwhile`, async () => {
      const clock = new TestClock();
      const first = await begin(store, clock);
      clock.shiftWallClock(60_000);
      const second = await begin(other, clock);
      settle(first.work);
      await first.outcome.catch(() => undefined);
      second.work.resolve({ status: 200, body: { of: "the second" } });
      expect(await second.outcome).to.equal("executed");
      const repeat = await runIdempotent(store.idempotency, clock, REQUEST, () => Promise.reject(new Error("again")));
      expect(repeat).to.deep.equal({ stored: { status: 200, body: { of: "the second" } } });
    });
});

describeStore("identities", (store) => {
  it("keep a document's first bytes", async () => {
    const { identities } = store;
    await identities.putMetadata({ digest: "d", bytes: '{"name":"é"}', atMs: BASE_TIME_MS, wallet: null });
    await identities.putMetadata({ digest: "d", bytes: "other", atMs: BASE_TIME_MS + 1, wallet: null });
    expect(await identities.findMetadata("d")).to.equal('{"name":"é"}');
    expect(await identities.findMetadata("e")).to.equal(null);
  });

  it("keep a wallet's latest profile", async () => {
    const { identities } = store;
    const profile: ProfileRow = {
      wallet: ALICE,
      agentName: "Alice",
      bio: "",
      links: ["https://example.org"],
      image: null,
      services: [{ name: "web", endpoint: "https://example.org" }],
      updatedAtMs: BASE_TIME_MS,
    };
    expect(await identities.findProfile(ALICE)).to.equal(null);
    await identities.putProfile(profile);
    expect(await identities.findProfile(ALICE)).to.deep.equal(profile);
    const changed = {
      ...profile,
      agentName: "A",
      links: [],
      image: "https://example.org/a.png",
      updatedAtMs: BASE_TIME_MS + 1,
    };
    await identities.putProfile(changed);
    expect(await identities.findProfile(ALICE)).to.deep.equal(changed);
    expect(await identities.findProfile(BOB)).to.equal(null);
  });
});
