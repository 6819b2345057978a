import { expect } from "chai";
import { runIdempotent } from "../../../backend/http/pipeline/idempotency.ts";
import type { ChannelTokenRow } from "../../../backend/ports/store/auth.ts";
import type { IdempotencyRow } from "../../../backend/ports/store/idempotency.ts";
import type { ProfileRow } from "../../../backend/ports/store/identity.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import { DAY_MS } from "../../../domain/time.ts";
import { TestClock } from "../../helpers/test-clock.ts";
import { ALICE, BASE_TIME_MS, BOB, createChannelToken, createClaim } from "./rows.ts";
import { describeStore } from "./suite.ts";

const HOUR_MS = DAY_MS / 24;
const REQUEST = { caller: ALICE, route: "POST /x", key: "k", body: {} };

type StoredResponse = Awaited<ReturnType<Parameters<typeof runIdempotent>[3]>>;

describeStore("channel tokens", (store, { runConcurrently }) => {
  const add = async (change: Partial<ChannelTokenRow> = {}): Promise<ChannelTokenRow> => {
    const row = createChannelToken(change);
    await store.channelTokens.add(row);
    return row;
  };
  const find = ({ tokenHash }: ChannelTokenRow) => store.channelTokens.find(tokenHash);
  const consume = ({ tokenHash }: ChannelTokenRow, atMs = BASE_TIME_MS, { channelTokens } = store) =>
    channelTokens.consume(tokenHash, atMs);

  for (const kind of ["play", "spectate"] as const)
    it(`of the kind ${kind} are accepted for one of 50 callers`, async () => {
      const row = await add({ kind });
      const used = await runConcurrently((each) => consume(row, BASE_TIME_MS, each));
      expect(used.filter(Boolean)).to.have.length(1);
      expect(await find(row)).to.deep.equal({ ...row, usedAtMs: BASE_TIME_MS });
    });

  it("are revoked by the next play token of their session", async () => {
    const first = await add();
    const others = [await add({ sessionId: "another" }), await add({ kind: "spectate" })];
    const second = await add();
    expect((await find(first))?.revokedAtMs).to.not.equal(null);
    expect(await consume(first)).to.equal(false);
    for (const row of [second, ...others]) expect(await consume(row)).to.equal(true);
  });

  it("leave one valid play token when 50 are issued at once", async () => {
    const rows = Array.from({ length: 50 }, () => createChannelToken());
    await runConcurrently(({ channelTokens }, index) => channelTokens.add(rows[index]!));
    const used = await runConcurrently((each, index) => consume(rows[index]!, BASE_TIME_MS, each));
    expect(used.filter(Boolean)).to.have.length(1);
  });

  it("are kept for an hour after they expired", async () => {
    const old = await add({ sessionId: "old", expiresAtMs: BASE_TIME_MS });
    const [early, late] = [await add({ kind: "spectate" }), await add({ kind: "spectate" })];
    await consume(early, BASE_TIME_MS + HOUR_MS);
    expect(await find(old)).to.not.equal(null);
    await consume(late, BASE_TIME_MS + HOUR_MS + 1);
    expect(await find(old)).to.equal(null);
  });
});

describeStore("idempotency keys", (store, { other, runConcurrently }) => {
  const claim = (change: Partial<IdempotencyRow> = {}) => store.idempotency.claim(createClaim(change));

  it("are claimed by one of 50 callers", async () => {
    const claims = Array.from({ length: 50 }, (_, index) => createClaim({ bodyHash: `${index}` }));
    const results = await runConcurrently(({ idempotency }, index) => idempotency.claim(claims[index]!));
    const winner = results.indexOf(null);
    expect(results).to.deep.equal(claims.map((_, index) => (index === winner ? null : claims[winner])));
  });

  it("return the completed response for a day", async () => {
    const { idempotency } = store;
    await claim();
    const done = createClaim({ status: 200, body: "{}" });
    await idempotency.complete(done);
    await idempotency.complete(createClaim({ status: 500, body: "late" }));
    await idempotency.release(createClaim());
    expect(await claim({ createdAtMs: BASE_TIME_MS + DAY_MS - 1 })).to.deep.equal(done);
    expect(await claim({ createdAtMs: BASE_TIME_MS + DAY_MS })).to.equal(null);
  });

  it("are kept apart by caller, route and key", async () => {
    for (const change of [{}, { caller: BOB }, { route: "POST /y" }, { key: "l" }])
      expect(await claim(change)).to.equal(null);
  });

  it("can be claimed again after a release, or if their process never completed them", async () => {
    await claim();
    expect(await claim({ createdAtMs: BASE_TIME_MS + 59_999 })).to.deep.equal(createClaim());
    expect(await claim({ createdAtMs: BASE_TIME_MS + 60_000 })).to.equal(null);
    await store.idempotency.release(createClaim({ createdAtMs: BASE_TIME_MS + 60_000 }));
    expect(await claim()).to.equal(null);
  });

  it("are not completed or released by an earlier, abandoned claim", async () => {
    const later = createClaim({ createdAtMs: BASE_TIME_MS + 60_000 });
    await claim();
    expect(await other.idempotency.claim(later)).to.equal(null);
    await store.idempotency.complete(createClaim({ status: 200, body: "of the first" }));
    expect(await claim(later), "after the completion").to.deep.equal(later);
    await store.idempotency.release(createClaim());
    expect(await claim(later), "after the release").to.deep.equal(later);
    const done = { ...later, status: 200, body: "of the second" };
    await other.idempotency.complete(done);
    expect(await claim(later)).to.deep.equal(done);
  });

  /** A request that has started and ends as the test decides. */
  async function begin({ idempotency }: Store, clock: TestClock) {
    const begun = Promise.withResolvers<void>();
    const work = Promise.withResolvers<StoredResponse>();
    const outcome = runIdempotent(idempotency, clock, REQUEST, () => {
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
    it(`keep the answer of a repeat when the wall clock jumped and the first request ${end} in between`, async () => {
      const clock = new TestClock();
      const first = await begin(store, clock);
      clock.shiftWallClock(60_000);
      const second = await begin(other, clock);
      settle(first.work);
      await first.outcome.catch(() => undefined);
      const response = { status: 200, body: { of: "the second" } };
      second.work.resolve(response);
      expect(await second.outcome).to.equal("executed");
      const repeat = await runIdempotent(store.idempotency, clock, REQUEST, () => Promise.reject(new Error("again")));
      expect(repeat).to.deep.equal({ stored: response });
    });
});

describeStore("identities", (store) => {
  it("keep a document's first bytes", async () => {
    const { identities } = store;
    const put = (bytes: string) => identities.putMetadata({ digest: "d", bytes, atMs: BASE_TIME_MS, wallet: null });
    for (const bytes of ['{"name":"é"}', "other"]) await put(bytes);
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
    const change = { agentName: "A", links: [], image: "https://example.org/a.png", updatedAtMs: BASE_TIME_MS + 1 };
    for (const row of [profile, { ...profile, ...change }]) {
      await identities.putProfile(row);
      expect(await identities.findProfile(ALICE)).to.deep.equal(row);
    }
    expect(await identities.findProfile(BOB)).to.equal(null);
  });
});
