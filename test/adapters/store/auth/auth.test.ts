import { expect } from "chai";
import { DAY_MS } from "../../../../domain/time.ts";
import { BASE_TIME_MS, createNonceRow, createTokens } from "../rows.ts";
import { describeStore, getRejection } from "../suite.ts";

describeStore("auth store", (store, { runConcurrently }) => {
  const addNonce = async (...args: Parameters<typeof createNonceRow>) => {
    const row = createNonceRow(...args);
    await store.auth.addNonce(row);
    return row;
  };
  const addTokens = async (...args: Parameters<typeof createTokens>) => {
    const tokens = createTokens(...args);
    await store.auth.addTokens(tokens);
    return tokens;
  };
  const findNonce = (nonce: string) => store.auth.findNonce(nonce);
  const find = async ({ access, refresh }: ReturnType<typeof createTokens>) => ({
    access: await store.auth.findAccessToken(access.tokenHash),
    refresh: await store.auth.findRefreshToken(refresh.tokenHash),
  });
  const NONE = { access: null, refresh: null };

  it("stores a nonce as it was issued", async () => {
    const row = await addNonce();
    expect(await findNonce(row.nonce)).to.deep.equal(row);
    expect(await findNonce("unknown")).to.equal(null);
  });

  it("accepts a nonce for one of 50 callers", async () => {
    const { nonce } = await addNonce();
    const used = await runConcurrently(({ auth }) => auth.consumeNonce(nonce, BASE_TIME_MS + 1));
    expect(used.filter(Boolean)).to.have.length(1);
    expect((await findNonce(nonce))?.usedAtMs).to.equal(BASE_TIME_MS + 1);
    expect(await store.auth.consumeNonce("unknown", BASE_TIME_MS)).to.equal(false);
  });

  it("deletes nonces a day after they expired, not before", async () => {
    const { nonce, expiresAtMs } = await addNonce();
    await addNonce({ issuedAtMs: expiresAtMs + DAY_MS });
    expect(await findNonce(nonce)).to.not.equal(null);
    await addNonce({ issuedAtMs: expiresAtMs + DAY_MS + 1 });
    expect(await findNonce(nonce)).to.equal(null);
  });

  it("stores both tokens or neither", async () => {
    const first = await addTokens("family");
    expect(await find(first)).to.deep.equal(first);
    const { access } = createTokens("family");
    await getRejection(store.auth.addTokens({ access, refresh: first.refresh }));
    expect(await store.auth.findAccessToken(access.tokenHash)).to.equal(null);
  });

  it("rotates a refresh token for one of 50 callers", async () => {
    const old = await addTokens("family");
    const successors = Array.from({ length: 50 }, () => createTokens("family"));
    const rotated = await runConcurrently(({ auth }, index) =>
      auth.rotateRefreshToken(old.refresh.tokenHash, `salt ${index}`, BASE_TIME_MS + index, successors[index]!),
    );
    expect(rotated.filter(Boolean)).to.have.length(1);
    const winner = rotated.indexOf(true);
    expect((await find(old)).refresh).to.deep.equal({
      ...old.refresh,
      successorSalt: `salt ${winner}`,
      rotatedAtMs: BASE_TIME_MS + winner,
      successorAccessExpiresAtMs: successors[winner]!.access.expiresAtMs,
    });
    const stored = await Promise.all(successors.map(find));
    expect(stored.map(({ refresh }) => refresh !== null)).to.deep.equal(rotated);
  });

  it("revokes a family's tokens of both kinds and rotates none of them afterwards", async () => {
    const [mine, other] = [await addTokens("mine"), await addTokens("other")];
    for (const atMs of [5, 9]) await store.auth.revoke({ familyId: "mine" }, BASE_TIME_MS + atMs);
    const revoked = { revokedAtMs: BASE_TIME_MS + 5 };
    const { access, refresh } = mine;
    const expected = { access: { ...access, ...revoked }, refresh: { ...refresh, ...revoked } };
    expect(await find(mine)).to.deep.equal(expected);
    expect(await find(other)).to.deep.equal(other);
    const rotation = store.auth.rotateRefreshToken(refresh.tokenHash, "salt", BASE_TIME_MS + 6, createTokens("mine"));
    expect(await rotation).to.equal(false);
  });

  it("deletes tokens a day after they expired", async () => {
    const old = await addTokens("old", BASE_TIME_MS);
    const createCurrent = () => createTokens("current", BASE_TIME_MS + 3 * DAY_MS);
    const current = createCurrent();
    await store.auth.addTokens(current);
    const atMs = BASE_TIME_MS + DAY_MS + 1;
    await store.auth.rotateRefreshToken(current.refresh.tokenHash, "salt", atMs, createCurrent());
    expect(await find(old)).to.deep.equal(NONE);
    expect((await find(current)).refresh).to.not.equal(null);
  });
});
