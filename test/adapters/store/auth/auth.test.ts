import { expect } from "chai";
import { BASE_TIME_MS, createNonceRow, createTokens } from "../rows.ts";
import { describeStore, getRejection } from "../suite.ts";

const DAY_MS = 24 * 3600 * 1000;

describeStore("auth store", (store, { runConcurrently }) => {
  it("stores a nonce as it was issued", async () => {
    const { auth } = store;
    const row = createNonceRow();
    await auth.addNonce(row);
    expect(await auth.findNonce(row.nonce)).to.deep.equal(row);
    expect(await auth.findNonce("unknown")).to.equal(null);
  });

  it("accepts a nonce for one of 50 callers", async () => {
    const row = createNonceRow();
    await store.auth.addNonce(row);
    const used = await runConcurrently((store) => store.auth.consumeNonce(row.nonce, BASE_TIME_MS + 1));
    expect(used.filter(Boolean)).to.have.length(1);
    expect((await store.auth.findNonce(row.nonce))?.usedAtMs).to.equal(BASE_TIME_MS + 1);
    expect(await store.auth.consumeNonce("unknown", BASE_TIME_MS)).to.equal(false);
  });

  it("deletes nonces a day after they expired, not before", async () => {
    const { auth } = store;
    const row = createNonceRow();
    await auth.addNonce(row);
    await auth.addNonce(createNonceRow({ issuedAtMs: row.expiresAtMs + DAY_MS }));
    expect(await auth.findNonce(row.nonce)).to.not.equal(null);
    await auth.addNonce(createNonceRow({ issuedAtMs: row.expiresAtMs + DAY_MS + 1 }));
    expect(await auth.findNonce(row.nonce)).to.equal(null);
  });

  it("stores both tokens or neither", async () => {
    const { auth } = store;
    const first = createTokens("family");
    await auth.addTokens(first);
    expect(await auth.findAccessToken(first.access.tokenHash)).to.deep.equal(first.access);
    expect(await auth.findRefreshToken(first.refresh.tokenHash)).to.deep.equal(first.refresh);

    const second = createTokens("family");
    await getRejection(auth.addTokens({ access: second.access, refresh: first.refresh }));
    expect(await auth.findAccessToken(second.access.tokenHash)).to.equal(null);
  });

  it("rotates a refresh token for one of 50 callers", async () => {
    const old = createTokens("family");
    await store.auth.addTokens(old);
    const successors = Array.from({ length: 50 }, () => createTokens("family"));
    const rotated = await runConcurrently(({ auth }, index) =>
      auth.rotateRefreshToken(old.refresh.tokenHash, `salt ${index}`, BASE_TIME_MS + index, successors[index]!),
    );
    expect(rotated.filter(Boolean)).to.have.length(1);
    const winner = rotated.indexOf(true);
    expect(await store.auth.findRefreshToken(old.refresh.tokenHash)).to.deep.equal({
      ...old.refresh,
      successorSalt: `salt ${winner}`,
      rotatedAtMs: BASE_TIME_MS + winner,
      successorAccessExpiresAtMs: successors[winner]!.access.expiresAtMs,
    });
    const stored = await Promise.all(successors.map((it) => store.auth.findRefreshToken(it.refresh.tokenHash)));
    expect(stored.map((row) => row !== null)).to.deep.equal(rotated);
  });

  it("revokes a family's tokens of both kinds and rotates none of them afterwards", async () => {
    const { auth } = store;
    const mine = createTokens("mine");
    const other = createTokens("other");
    await auth.addTokens(mine);
    await auth.addTokens(other);
    await auth.revoke({ familyId: "mine" }, BASE_TIME_MS + 5);
    await auth.revoke({ familyId: "mine" }, BASE_TIME_MS + 9);
    expect((await auth.findAccessToken(mine.access.tokenHash))?.revokedAtMs).to.equal(BASE_TIME_MS + 5);
    expect((await auth.findRefreshToken(mine.refresh.tokenHash))?.revokedAtMs).to.equal(BASE_TIME_MS + 5);
    expect((await auth.findAccessToken(other.access.tokenHash))?.revokedAtMs).to.equal(null);
    expect(
      await auth.rotateRefreshToken(mine.refresh.tokenHash, "salt", BASE_TIME_MS + 6, createTokens("mine")),
    ).to.equal(false);
  });

  it("deletes tokens a day after they expired", async () => {
    const { auth } = store;
    const old = createTokens("old", BASE_TIME_MS);
    await auth.addTokens(old);
    const current = createTokens("current", BASE_TIME_MS + 3 * DAY_MS);
    await auth.addTokens(current);
    await auth.rotateRefreshToken(
      current.refresh.tokenHash,
      "salt",
      BASE_TIME_MS + DAY_MS + 1,
      createTokens("current", BASE_TIME_MS + 3 * DAY_MS),
    );
    expect(await auth.findAccessToken(old.access.tokenHash)).to.equal(null);
    expect(await auth.findRefreshToken(old.refresh.tokenHash)).to.equal(null);
    expect(await auth.findRefreshToken(current.refresh.tokenHash)).to.not.equal(null);
  });
});
