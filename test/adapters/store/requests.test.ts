import { expect } from "chai";
import type { IdempotencyRow, ProfileRow } from "../../../backend/ports.ts";
import { ALICE, BOB, channelToken, T0 } from "./rows.ts";
import { describeStore, race } from "./suite.ts";

const HOUR_MS = 3600 * 1000;

describeStore("channel tokens", (subject) => {
  it("work for one of 50 callers", async () => {
    for (const kind of ["play", "spectate"] as const) {
      const row = channelToken({ kind });
      await subject().store.channelTokens.add(row);
      const used = await race(subject(), (store) => store.channelTokens.use(row.tokenHash, T0));
      expect(used.filter(Boolean)).to.have.length(1);
      expect(await subject().store.channelTokens.find(row.tokenHash)).to.deep.equal({ ...row, usedAtMs: T0 });
    }
  });

  it("are revoked by the next play token of their session", async () => {
    const { channelTokens } = subject().store;
    const [first, second] = [channelToken(), channelToken()];
    const others = [channelToken({ sessionId: "another" }), channelToken({ kind: "spectate" })];
    for (const row of [first, ...others, second]) await channelTokens.add(row);
    expect((await channelTokens.find(first.tokenHash))?.revokedAtMs).to.not.equal(null);
    expect(await channelTokens.use(first.tokenHash, T0)).to.equal(false);
    for (const row of [second, ...others]) expect(await channelTokens.use(row.tokenHash, T0)).to.equal(true);
  });

  it("leave one good play token when 50 are issued at once", async () => {
    const rows = Array.from({ length: 50 }, () => channelToken());
    await race(subject(), (store, index) => store.channelTokens.add(rows[index]!));
    const used = await race(subject(), (store, index) => store.channelTokens.use(rows[index]!.tokenHash, T0));
    expect(used.filter(Boolean)).to.have.length(1);
  });

  it("are kept for an hour after they expired", async () => {
    const { channelTokens } = subject().store;
    const old = channelToken({ sessionId: "old", expiresAtMs: T0 });
    const [early, late] = [channelToken({ kind: "spectate" }), channelToken({ kind: "spectate" })];
    for (const row of [old, early, late]) await channelTokens.add(row);
    await channelTokens.use(early.tokenHash, T0 + HOUR_MS);
    expect(await channelTokens.find(old.tokenHash)).to.not.equal(null);
    await channelTokens.use(late.tokenHash, T0 + HOUR_MS + 1);
    expect(await channelTokens.find(old.tokenHash)).to.equal(null);
    expect(await channelTokens.find("unknown")).to.equal(null);
  });
});

describeStore("idempotency keys", (subject) => {
  const claim = (change: Partial<IdempotencyRow> = {}): IdempotencyRow => ({
    caller: ALICE,
    route: "POST /x",
    key: "k",
    bodyHash: "h",
    status: null,
    body: null,
    createdAtMs: T0,
    ...change,
  });

  it("are claimed by one of 50 callers", async () => {
    const answers = await race(subject(), (store, index) => store.idempotency.claim(claim({ bodyHash: `${index}` })));
    expect(answers.filter((answer) => answer === null)).to.have.length(1);
    const winner = claim({ bodyHash: `${answers.indexOf(null)}` });
    for (const answer of answers) if (answer !== null) expect(answer).to.deep.equal(winner);
  });

  it("answer what was completed, for a day", async () => {
    const { idempotency } = subject().store;
    await idempotency.claim(claim());
    await idempotency.complete(claim({ status: 200, body: "{}" }));
    await idempotency.complete(claim({ status: 500, body: "late" }));
    await idempotency.release(claim());
    const done = claim({ status: 200, body: "{}" });
    expect(await idempotency.claim(claim({ createdAtMs: T0 + 24 * HOUR_MS - 1 }))).to.deep.equal(done);
    expect(await idempotency.claim(claim({ createdAtMs: T0 + 24 * HOUR_MS }))).to.equal(null);
  });

  it("are apart by caller, route and key", async () => {
    const { idempotency } = subject().store;
    for (const change of [{}, { caller: BOB }, { route: "POST /y" }, { key: "l" }]) {
      expect(await idempotency.claim(claim(change))).to.equal(null);
    }
  });

  it("can be claimed again after a release, or when their process never answered", async () => {
    const { idempotency } = subject().store;
    await idempotency.claim(claim());
    expect(await idempotency.claim(claim({ createdAtMs: T0 + 59_999 }))).to.deep.equal(claim());
    expect(await idempotency.claim(claim({ createdAtMs: T0 + 60_000 }))).to.equal(null);
    await idempotency.release(claim());
    expect(await idempotency.claim(claim())).to.equal(null);
  });
});

describeStore("identities", (subject) => {
  it("keep a document's first bytes", async () => {
    const { identities } = subject().store;
    await identities.putMetadata("d", '{"name":"é"}', T0);
    await identities.putMetadata("d", "other", T0 + 1);
    expect(await identities.findMetadata("d")).to.equal('{"name":"é"}');
    expect(await identities.findMetadata("e")).to.equal(null);
  });

  it("keep a wallet's latest profile", async () => {
    const { identities } = subject().store;
    const profile: ProfileRow = {
      wallet: ALICE,
      agentName: "Alice",
      bio: "",
      links: ["https://example.org"],
      image: null,
      services: [{ name: "web", endpoint: "https://example.org" }],
      updatedAtMs: T0,
    };
    expect(await identities.findProfile(ALICE)).to.equal(null);
    await identities.putProfile(profile);
    expect(await identities.findProfile(ALICE)).to.deep.equal(profile);
    const changed = { ...profile, agentName: "A", links: [], image: "https://example.org/a.png", updatedAtMs: T0 + 1 };
    await identities.putProfile(changed);
    expect(await identities.findProfile(ALICE)).to.deep.equal(changed);
    expect(await identities.findProfile(BOB)).to.equal(null);
  });
});
