import { expect } from "chai";
import type { SessionRow } from "../../backend/ports/store/sessions.ts";
import { snapshotScore } from "../../client/index.ts";
import { addEndedSession } from "../../testing/ended-session.ts";
import { createAgent, createPlayer } from "../../testing/player.ts";
import { type ApiResponse, useTestStack } from "../helpers/suite.ts";
import { createContractReader, increaseChainTime, sendCall, sendWithFixedGas } from "../http/support/on-chain.ts";
import { createTestAccount } from "../http/support/sign-in.ts";

const SLUG = "shellrunners";
const SEATS = 20;
const TOKEN = 10n ** 18n;

const runConcurrently = <T>(count: number, run: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => run(index)));

/** How many responses had each code; `ok` for successes. */
function countByCode(responses: readonly ApiResponse[]): { readonly [code: string]: number } {
  const counts: { [code: string]: number } = {};
  for (const { body } of responses) counts[body.code ?? "ok"] = (counts[body.code ?? "ok"] ?? 0) + 1;
  return counts;
}

const getSuccesses = (responses: readonly ApiResponse[]) =>
  responses.filter(({ status }) => status < 300).map(({ body }) => body);

const countDistinct = (values: readonly unknown[]): number =>
  new Set(values.map((value) => JSON.stringify(value))).size;

describe("the service under simultaneous requests", () => {
  const stack = useTestStack({ env: { ARCADE_SPECTATORS_MAX: String(SEATS) } });

  const post = (path: string, body: object, token?: string) =>
    stack.request("POST", path, { body, ...(token === undefined ? {} : { token }) });

  it("opens one sign-in for 100 verifications of one nonce", async () => {
    const account = createTestAccount(50);
    const { body } = await post(`/api/games/${SLUG}/auth/nonce`, { walletAddress: account.address });
    const { message } = body;
    const signature = await account.signMessage({ message });
    const responses = await runConcurrently(100, () => post(`/api/games/${SLUG}/auth/verify`, { message, signature }));
    expect(countByCode(responses)).to.deep.equal({ ok: 1, NONCE_USED: 99 });
  });

  it("gives 50 refreshes of one token the same valid successor", async () => {
    const player = await createPlayer(stack);
    await player.getAccessToken();
    const { refreshToken } = player.client.signIn.credentials()!;
    const responses = await runConcurrently(50, () => post(`/api/games/${SLUG}/auth/refresh`, { refreshToken }));
    expect(countByCode(responses)).to.deep.equal({ ok: 50 });
    expect(countDistinct(responses.map(({ body }) => body))).to.equal(1);
    const next = await post(`/api/games/${SLUG}/auth/refresh`, { refreshToken: responses[0]!.body.refreshToken });
    expect(next.status).to.equal(200);
  });

  it("opens one session for 50 starts", async () => {
    const player = await createAgent(stack);
    const token = await player.getAccessToken();
    const responses = await runConcurrently(50, () =>
      post(`/api/games/${SLUG}/sessions/start`, { source: "agent_api" }, token),
    );
    expect(countByCode(responses)).to.deep.equal({ ok: 1, SESSION_ACTIVE: 49 });
    expect(countDistinct(responses.map(({ body }) => body.sessionId))).to.equal(1);
    const { sessionId } = responses[0]!.body;
    const ends = await runConcurrently(20, () => post(`/api/games/${SLUG}/sessions/${sessionId}/end`, {}, token));
    expect(countByCode(ends)).to.deep.equal({ ok: 20 });
    expect(countDistinct(ends.map(({ body }) => body.session))).to.equal(1);
  });

  it("gives 100 spectators no more than the available seats", async () => {
    const player = await createAgent(stack);
    const token = await player.getAccessToken();
    const { sessionId } = await player.client.sessions.start({ slug: SLUG, source: "agent_api" });
    const path = `/api/games/${SLUG}/sessions/${sessionId}/spectate-token`;
    const responses = await runConcurrently(100, (index) =>
      index % 2 === 0 ? post(path, {}, token) : post(`${path}-public`, {}),
    );
    expect(countByCode(responses)).to.deep.equal({ ok: SEATS, SPECTATORS_FULL: 100 - SEATS });
    expect(countDistinct(getSuccesses(responses).map((body) => body.token))).to.equal(SEATS);
    for (const { status, body } of responses)
      if (status === 409) expect(body).to.include({ spectatorsCurrent: SEATS, spectatorsMax: SEATS });
  });

  it("signs 50 snapshots of one session with one hash and one score, and counts one", async () => {
    const player = await createAgent(stack);
    const token = await player.getAccessToken();
    const row = await addEndedSession(stack, { wallet: player.address });
    const responses = await runConcurrently(50, (index) =>
      post("/api/rewards/snapshot", index % 2 === 0 ? { sessionId: row.sessionId } : {}, token),
    );
    expect(countByCode(responses)).to.deep.equal({ ok: 50 });
    const facts = responses.map(({ body }) => [body.sessionId, body.gameSessionHash, body.scoreDelta]);
    expect(facts[0]).to.deep.equal([row.sessionId, row.gameSessionHash, row.score]);
    expect(countDistinct(facts)).to.equal(1);
    const senders = stack.accounts.slice(1, 6);
    await Promise.all(
      senders.map(({ privateKey }, index) => sendWithFixedGas(stack, privateKey, responses[index]!.body.call)),
    );
    expect(await createContractReader(stack).getScorebank(player.address)).to.equal(BigInt(row.score));
    const bank = await player.client.rewards.scorebank({});
    expect(bank).to.include({ score: row.score, snapshots: 1 });
  });

  it("counts each session once when single and batched snapshots contain it", async () => {
    const player = await createAgent(stack);
    const token = await player.getAccessToken();
    const rows: SessionRow[] = [];
    for (const minScore of [1, 10, 20]) rows.push(await addEndedSession(stack, { wallet: player.address, minScore }));
    const responses = await runConcurrently(12, (index) =>
      post("/api/rewards/snapshot", index % 2 === 0 ? { all: true } : { sessionId: rows[index % 3]!.sessionId }, token),
    );
    expect(countByCode(responses)).to.deep.equal({ ok: 12 });
    for (const [index, { body }] of responses.entries())
      await sendWithFixedGas(stack, stack.accounts[1 + (index % 5)]!.privateKey, body.call);
    const total = rows.reduce((sum, { score }) => sum + score, 0);
    expect(await createContractReader(stack).getScorebank(player.address)).to.equal(BigInt(total));
    expect(await player.client.rewards.scorebank({})).to.deep.include({ score: total, snapshots: 3, pending: [] });
  });

  it("pays once for 50 payout requests", async () => {
    const player = await createAgent(stack);
    const token = await player.getAccessToken();
    const { sessionId, score } = await addEndedSession(stack, { wallet: player.address, minScore: 10 });
    await snapshotScore({ client: player.client, sessionId });
    await increaseChainTime(stack, 6);
    const responses = await runConcurrently(50, () => post("/api/rewards/payout", {}, token));
    const { ok = 0, PAYOUT_NOT_READY = 0, ...others } = countByCode(responses);
    expect(others).to.deep.equal({});
    expect(ok).to.be.at.least(1);
    expect(ok + PAYOUT_NOT_READY).to.equal(50);
    const paid = getSuccesses(responses);
    expect(countDistinct(paid.map(({ payoutId, txHash }) => [payoutId, txHash]))).to.equal(1);
    expect(paid[0]).to.include({ status: "included", score });
    expect(await createContractReader(stack).getTokenBalance(player.address)).to.equal(BigInt(score) * TOKEN);
    expect((await player.client.rewards.payoutHistory({})).total).to.equal(1);
  });

  it("mints one identity for 20 registrations of one wallet", async () => {
    const player = await createPlayer(stack);
    const responses = await runConcurrently(20, (index) =>
      post("/api/identity/register", { walletAddress: player.address, agentName: `Pinch ${index % 2}` }),
    );
    expect(countByCode(responses)).to.deep.equal({ ok: 20 });
    await sendCall(player, responses[0]!.body.call);
    const second = await sendCall(player, responses[1]!.body.call).catch(() => "refused");
    expect(second).to.equal("refused");
    const status = await player.client.identity.ownershipStatus({ walletAddress: player.address });
    expect(status).to.include({ owned: true, owner: player.address });
  });
});
