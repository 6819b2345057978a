import { expect } from "chai";
import type { SessionRow } from "../../backend/ports.ts";
import { snapshotScore } from "../../client/index.ts";
import { makeAgent, makePlayer } from "../helpers/player.ts";
import { type Answer, type Suite, startSuite } from "../helpers/suite.ts";
import { chainFacts, passSeconds, sendAnyway, sendCall } from "../http/support/on-chain.ts";
import { plantSession } from "../http/support/plant-session.ts";
import { accountOf } from "../http/support/sign-in.ts";

const SLUG = "shellrunners";
const SEATS = 20;
const TOKEN = 10n ** 18n;

const atOnce = <T>(count: number, run: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => run(index)));

/** How many answers had each code; `ok` for successes. */
function tally(answers: readonly Answer[]): { readonly [code: string]: number } {
  const counts: { [code: string]: number } = {};
  for (const { body } of answers) counts[body.code ?? "ok"] = (counts[body.code ?? "ok"] ?? 0) + 1;
  return counts;
}

const successes = (answers: readonly Answer[]) => answers.filter(({ status }) => status < 300).map(({ body }) => body);

const distinct = (values: readonly unknown[]): number => new Set(values.map((value) => JSON.stringify(value))).size;

describe("races", () => {
  let suite: Suite;
  before(async () => {
    suite = await startSuite({ env: { ARCADE_SPECTATORS_MAX: String(SEATS) } });
  });
  after(() => suite.close());

  const post = (path: string, body: object, token?: string) =>
    suite.request("POST", path, { body, ...(token === undefined ? {} : { token }) });

  it("100 verifies on one nonce open one sign-in", async () => {
    const account = accountOf(50);
    const { body } = await post(`/api/games/${SLUG}/auth/nonce`, { walletAddress: account.address });
    const { message } = body;
    const signature = await account.signMessage({ message });
    const answers = await atOnce(100, () => post(`/api/games/${SLUG}/auth/verify`, { message, signature }));
    expect(tally(answers)).to.deep.equal({ ok: 1, NONCE_USED: 99 });
  });

  it("50 refreshes of one token have one successor, which is good", async () => {
    const player = await makePlayer(suite);
    await player.token();
    const { refreshToken } = player.client.signIn.credentials()!;
    const answers = await atOnce(50, () => post(`/api/games/${SLUG}/auth/refresh`, { refreshToken }));
    expect(tally(answers)).to.deep.equal({ ok: 50 });
    expect(distinct(answers.map(({ body: { requestId: _, ...tokens } }) => tokens))).to.equal(1);
    const next = await post(`/api/games/${SLUG}/auth/refresh`, { refreshToken: answers[0]!.body.refreshToken });
    expect(next.status).to.equal(200);
  });

  it("50 starts open one session", async () => {
    const player = await makeAgent(suite);
    const token = await player.token();
    const answers = await atOnce(50, () => post(`/api/games/${SLUG}/sessions/start`, { source: "agent_api" }, token));
    expect(tally(answers)).to.deep.equal({ ok: 1, SESSION_ACTIVE: 49 });
    expect(distinct(answers.map(({ body }) => body.sessionId))).to.equal(1);
    const { sessionId } = answers[0]!.body;
    const ends = await atOnce(20, () => post(`/api/games/${SLUG}/sessions/${sessionId}/end`, {}, token));
    expect(tally(ends)).to.deep.equal({ ok: 20 });
    expect(distinct(ends.map(({ body }) => body.session))).to.equal(1);
  });

  it("100 viewers share the seats there are", async () => {
    const player = await makeAgent(suite);
    const token = await player.token();
    const { sessionId } = await player.client.sessions.start({ slug: SLUG, source: "agent_api" });
    const path = `/api/games/${SLUG}/sessions/${sessionId}/spectate-token`;
    const answers = await atOnce(100, (index) =>
      index % 2 === 0 ? post(path, {}, token) : post(`${path}-public`, {}),
    );
    expect(tally(answers)).to.deep.equal({ ok: SEATS, SPECTATORS_FULL: 100 - SEATS });
    expect(distinct(successes(answers).map((body) => body.token))).to.equal(SEATS);
    for (const { status, body } of answers)
      if (status === 409) expect(body).to.include({ spectatorsCurrent: SEATS, spectatorsMax: SEATS });
  });

  it("50 snapshots of one session are signed with one hash and one score, and one counts", async () => {
    const player = await makeAgent(suite);
    const token = await player.token();
    const row = await plantSession(suite, { wallet: player.address });
    const answers = await atOnce(50, (index) =>
      post("/api/rewards/snapshot", index % 2 === 0 ? { sessionId: row.sessionId } : {}, token),
    );
    expect(tally(answers)).to.deep.equal({ ok: 50 });
    const facts = answers.map(({ body }) => [body.sessionId, body.gameSessionHash, body.scoreDelta]);
    expect(facts[0]).to.deep.equal([row.sessionId, row.gameSessionHash, row.score]);
    expect(distinct(facts)).to.equal(1);
    const senders = suite.accounts.slice(1, 6);
    await Promise.all(senders.map(({ privateKey }, index) => sendAnyway(suite, privateKey, answers[index]!.body.call)));
    expect(await chainFacts(suite).scorebank(player.address)).to.equal(BigInt(row.score));
    const bank = await player.client.rewards.scorebank({});
    expect(bank).to.include({ score: row.score, snapshots: 1 });
  });

  it("singles and batches of the same sessions count each session once", async () => {
    const player = await makeAgent(suite);
    const token = await player.token();
    const rows: SessionRow[] = [];
    for (const minScore of [1, 10, 20]) rows.push(await plantSession(suite, { wallet: player.address, minScore }));
    const answers = await atOnce(12, (index) =>
      post("/api/rewards/snapshot", index % 2 === 0 ? { all: true } : { sessionId: rows[index % 3]!.sessionId }, token),
    );
    expect(tally(answers)).to.deep.equal({ ok: 12 });
    for (const [index, { body }] of answers.entries())
      await sendAnyway(suite, suite.accounts[1 + (index % 5)]!.privateKey, body.call);
    const total = rows.reduce((sum, { score }) => sum + score, 0);
    expect(await chainFacts(suite).scorebank(player.address)).to.equal(BigInt(total));
    expect(await player.client.rewards.scorebank({})).to.deep.include({ score: total, snapshots: 3, pending: [] });
  });

  it("50 payouts pay once", async () => {
    const player = await makeAgent(suite);
    const token = await player.token();
    const { sessionId, score } = await plantSession(suite, { wallet: player.address, minScore: 10 });
    await snapshotScore({ client: player.client, sessionId });
    await passSeconds(suite, 6);
    const answers = await atOnce(50, () => post("/api/rewards/payout", {}, token));
    const { ok = 0, PAYOUT_NOT_READY = 0, ...others } = tally(answers);
    expect(others).to.deep.equal({});
    expect(ok).to.be.at.least(1);
    expect(ok + PAYOUT_NOT_READY).to.equal(50);
    const paid = successes(answers);
    expect(distinct(paid.map(({ payoutId, txHash }) => [payoutId, txHash]))).to.equal(1);
    expect(paid[0]).to.include({ status: "included", score });
    expect(await chainFacts(suite).tokensOf(player.address)).to.equal(BigInt(score) * TOKEN);
    expect((await player.client.rewards.payoutHistory({})).total).to.equal(1);
  });

  it("20 registrations of one wallet are one identity", async () => {
    const player = await makePlayer(suite);
    const answers = await atOnce(20, (index) =>
      post("/api/identity/register", { walletAddress: player.address, agentName: `Pinch ${index % 2}` }),
    );
    expect(tally(answers)).to.deep.equal({ ok: 20 });
    await sendCall(player, answers[0]!.body.call);
    const second = await sendCall(player, answers[1]!.body.call).catch(() => "refused");
    expect(second).to.equal("refused");
    const status = await player.client.identity.ownershipStatus({ walletAddress: player.address });
    expect(status).to.include({ owned: true, owner: player.address });
  });
});
