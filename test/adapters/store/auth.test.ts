import { expect } from "chai";
import { newTokens, nonceRow, T0 } from "./rows.ts";
import { describeStore, race, rejectionOf } from "./suite.ts";

const DAY_MS = 24 * 3600 * 1000;

describeStore("auth store", (subject) => {
  it("keeps a nonce as it was handed out", async () => {
    const { auth } = subject().store;
    const row = nonceRow();
    await auth.addNonce(row);
    expect(await auth.findNonce(row.nonce)).to.deep.equal(row);
    expect(await auth.findNonce("unknown")).to.equal(null);
  });

  it("lets one of 50 callers use a nonce", async () => {
    const row = nonceRow();
    await subject().store.auth.addNonce(row);
    const used = await race(subject(), (store) => store.auth.useNonce(row.nonce, T0 + 1));
    expect(used.filter(Boolean)).to.have.length(1);
    expect((await subject().store.auth.findNonce(row.nonce))?.usedAtMs).to.equal(T0 + 1);
    expect(await subject().store.auth.useNonce("unknown", T0)).to.equal(false);
  });

  it("forgets nonces a day after they expired, not before", async () => {
    const { auth } = subject().store;
    const row = nonceRow();
    await auth.addNonce(row);
    await auth.addNonce(nonceRow({ issuedAtMs: row.expiresAtMs + DAY_MS }));
    expect(await auth.findNonce(row.nonce)).to.not.equal(null);
    await auth.addNonce(nonceRow({ issuedAtMs: row.expiresAtMs + DAY_MS + 1 }));
    expect(await auth.findNonce(row.nonce)).to.equal(null);
  });

  it("stores both tokens or neither", async () => {
    const { auth } = subject().store;
    const first = newTokens("family");
    await auth.addTokens(first);
    expect(await auth.findAccessToken(first.access.tokenHash)).to.deep.equal(first.access);
    expect(await auth.findRefreshToken(first.refresh.tokenHash)).to.deep.equal(first.refresh);

    const second = newTokens("family");
    await rejectionOf(auth.addTokens({ access: second.access, refresh: first.refresh }));
    expect(await auth.findAccessToken(second.access.tokenHash)).to.equal(null);
  });

  it("rotates a refresh token for one of 50 callers", async () => {
    const { store } = subject();
    const old = newTokens("family");
    await store.auth.addTokens(old);
    const successors = Array.from({ length: 50 }, () => newTokens("family"));
    const rotated = await race(subject(), ({ auth }, index) =>
      auth.rotate(old.refresh.tokenHash, `salt ${index}`, T0 + index, successors[index]!),
    );
    expect(rotated.filter(Boolean)).to.have.length(1);
    const winner = rotated.indexOf(true);
    expect(await store.auth.findRefreshToken(old.refresh.tokenHash)).to.deep.equal({
      ...old.refresh,
      successorSalt: `salt ${winner}`,
      rotatedAtMs: T0 + winner,
      successorAccessExpiresAtMs: successors[winner]!.access.expiresAtMs,
    });
    const stored = await Promise.all(successors.map((it) => store.auth.findRefreshToken(it.refresh.tokenHash)));
    expect(stored.map((row) => row !== null)).to.deep.equal(rotated);
  });

  it("revokes a family's tokens of both kinds and rotates none of them afterwards", async () => {
    const { auth } = subject().store;
    const mine = newTokens("mine");
    const other = newTokens("other");
    await auth.addTokens(mine);
    await auth.addTokens(other);
    await auth.revokeFamily("mine", T0 + 5);
    await auth.revokeFamily("mine", T0 + 9);
    expect((await auth.findAccessToken(mine.access.tokenHash))?.revokedAtMs).to.equal(T0 + 5);
    expect((await auth.findRefreshToken(mine.refresh.tokenHash))?.revokedAtMs).to.equal(T0 + 5);
    expect((await auth.findAccessToken(other.access.tokenHash))?.revokedAtMs).to.equal(null);
    expect(await auth.rotate(mine.refresh.tokenHash, "salt", T0 + 6, newTokens("mine"))).to.equal(false);
  });

  it("forgets tokens a day after they expired", async () => {
    const { auth } = subject().store;
    const old = newTokens("old", T0);
    await auth.addTokens(old);
    const current = newTokens("current", T0 + 3 * DAY_MS);
    await auth.addTokens(current);
    await auth.rotate(current.refresh.tokenHash, "salt", T0 + DAY_MS + 1, newTokens("current", T0 + 3 * DAY_MS));
    expect(await auth.findAccessToken(old.access.tokenHash)).to.equal(null);
    expect(await auth.findRefreshToken(old.refresh.tokenHash)).to.equal(null);
    expect(await auth.findRefreshToken(current.refresh.tokenHash)).to.not.equal(null);
  });
});
