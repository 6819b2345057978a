import { expect } from "chai";
import { snapshotScore, verifyReplay } from "../../client/index.ts";
import { TRANSCRIPT_SECONDS } from "../../domain/replay/transcript.ts";
import { addEndedSession } from "../../testing/ended-session.ts";
import { createAgent, createPlayer, type Player } from "../../testing/player.ts";
import { waitFor } from "../adapters/chain/chain-fixture.ts";
import { useTestStack } from "../helpers/suite.ts";
import { closeWithoutChain, stopChain } from "./support/cut-chain.ts";
import { cancelSessionOnChain } from "./support/on-chain.ts";
import { ShiftClock } from "./support/shift-clock.ts";
import { SHOWN_BY } from "./support/shown-elsewhere.ts";
import { createRouteTester } from "./support/watch-routes.ts";

const ROUTES = ["start", "live", "my", "highScore", "get", "heartbeat", "end", "replay"].map(
  (name) => `sessions.${name}`,
);
const UNKNOWN_ID = "0190f1d5-7c4e-7abc-8def-0123456789ab";

describe("sessions", () => {
  const clock = new ShiftClock();
  let agent: Player;
  let other: Player;
  const api = createRouteTester(() => stack);
  const stack = useTestStack({ clock }, closeWithoutChain);
  before(async () => {
    [agent, other] = await Promise.all([createAgent(stack, "Pinch"), createAgent(stack, "Snap")]);
  });
  api.checkCodesAfterAll(ROUTES, SHOWN_BY.idempotency);

  const game = (slug = "shellrunners") => ({ params: { slug } });
  const of = (sessionId: string, slug = "shellrunners") => ({ params: { slug, sessionId } });
  const start = async (player: Player, options: { slug?: string; body?: object } = {}) =>
    api.call("sessions.start", {
      ...game(options.slug),
      token: await player.getAccessToken(),
      body: { source: "agent_api", ...options.body },
    });
  const end = async (player: Player, sessionId: string, slug?: string) =>
    api.expectSuccess("sessions.end", { ...of(sessionId, slug), token: await player.getAccessToken() });
  const startPractice = () => api.expectSuccess("sessions.start", { ...game(), body: { source: "browser_ws" } });

  describe("start", () => {
    it("a wallet has one active agent session per game", async () => {
      const started = await start(agent);
      expect(started.status).to.equal(200);
      const { session, sessionId, playToken, wsUrl } = started.body;
      expect(session).to.deep.include({
        sessionId,
        source: "agent_api",
        slug: "shellrunners",
        walletAddress: agent.address,
        agentName: "Pinch",
        phase: "ready",
        joinable: true,
        score: 0,
        endedAt: null,
        spectators: { current: 0, max: 50 },
        snapshot: { state: "none", gameSessionHash: null, txHash: null },
      });
      expect(playToken).to.match(/^ap_/);
      expect(wsUrl).to.equal(`${stack.httpUrl.replace("http", "ws")}/ws/shellrunners/play?sessionId=${sessionId}`);
      const again = await start(agent);
      expect(again.body).to.include({ code: "SESSION_ACTIVE", sessionId });
      const elsewhere = await start(agent, { slug: "flappybots" });
      expect(elsewhere.status).to.equal(200);
      for (const {
        sessionId: id,
        session: { slug },
      } of [started.body, elsewhere.body])
        await end(agent, id, slug);
    });

    it("anyone can practice, and gets a token to end the session", async () => {
      const { body } = await startPractice();
      expect(body.session).to.include({ source: "browser_ws", walletAddress: null });
      expect(body.practiceToken).to.match(/^ax_/);
      await api.expectSuccess("sessions.end", { ...of(body.sessionId), token: body.practiceToken });
    });

    it("a start needs a token, an identity and an existing game", async () => {
      await api.expectError("sessions.start", "AUTH_REQUIRED", { ...game(), body: { source: "agent_api" } });
      await api.expectError("sessions.start", "GAME_NOT_FOUND", { ...game("tetris"), body: { source: "browser_ws" } });
      await api.expectError("sessions.start", "VALIDATION_FAILED", { ...game(), body: { source: "robot" } });
      const otherToken = await createPlayer(stack);
      const rejected = await start(otherToken);
      expect(rejected.body).to.deep.include({
        code: "IDENTITY_REQUIRED",
        next: {
          method: "POST",
          path: "/api/identity/register",
          body: { walletAddress: otherToken.address, agentName: `Agent ${otherToken.address.slice(2, 8)}` },
        },
      });
    });

    it("a start requires the snapshot of an ended score, only in its game, until the score is given up", async () => {
      const player = await createAgent(stack);
      const { sessionId, score } = await addEndedSession(stack, { wallet: player.address });
      const rejected = await start(player);
      expect(rejected.body).to.deep.include({
        code: "SNAPSHOT_REQUIRED",
        sessionId,
        gameSessionId: sessionId,
        score,
        next: { method: "POST", path: "/api/rewards/snapshot", body: { sessionId } },
      });
      expect((await start(player, { slug: "flappybots" })).status).to.equal(200);
      expect((await start(player, { body: { forfeitPending: true } })).status).to.equal(200);
      const { body } = await api.expectSuccess("sessions.get", of(sessionId));
      expect(body.session.snapshot.state).to.equal("forfeited");
    });

    it("a start does not require a score that the guardian cancelled on chain", async () => {
      const player = await createAgent(stack);
      const cancelled = await addEndedSession(stack, { wallet: player.address });
      const waiting = await addEndedSession(stack, { wallet: player.address });
      await cancelSessionOnChain(stack, player.address, cancelled.gameSessionHash!);
      expect((await start(player)).body).to.include({ code: "SNAPSHOT_REQUIRED", sessionId: waiting.sessionId });
      await cancelSessionOnChain(stack, player.address, waiting.gameSessionHash!);
      expect((await start(player)).status).to.equal(200);
    });

    it("a start does not require a snapshot of a session without points", async () => {
      const player = await createAgent(stack);
      await addEndedSession(stack, { wallet: player.address, minScore: 0 });
      expect((await start(player)).status).to.equal(200);
    });

    it("a start requires the NFT that a snapshotted score reaches, until the step is given up", async () => {
      const player = await createAgent(stack);
      const { sessionId, score } = await addEndedSession(stack, { wallet: player.address, minScore: 220 });
      await snapshotScore({ client: player.client, sessionId });
      const rejected = await start(player);
      expect(rejected.body).to.deep.include({
        code: "NFT_MINT_REQUIRED",
        sessionId,
        score,
        tier: 1,
        action: "mint",
        next: { method: "POST", path: "/api/games/shellrunners/nft/prepare", body: { sessionId } },
      });
      const started = await start(player, { body: { forfeitPending: true } });
      await end(player, started.body.sessionId);
      expect((await start(player)).status).to.equal(200);
    });
  });

  describe("while it lasts", () => {
    it("a session accepts its player's heartbeats until it ends, and a second end returns the same record", async () => {
      const { body } = await start(agent);
      const token = await agent.getAccessToken();
      const { sessionId } = body;
      const beat = await api.expectSuccess("sessions.heartbeat", { ...of(sessionId), token });
      expect(beat.body.phase).to.equal("ready");
      expect(beat.body.expiresInSeconds).to.be.within(50, 120);
      const first = await end(agent, sessionId);
      expect(first.body.session).to.include({ phase: "ended", endReason: "ended_by_player", joinable: false });
      expect((await end(agent, sessionId)).body.session).to.deep.equal(first.body.session);
      const late = await api.expectError("sessions.heartbeat", "SESSION_ENDED", { ...of(sessionId), token });
      expect(late.body.sessionId).to.equal(sessionId);
      const otherToken = await other.getAccessToken();
      for (const name of ["sessions.heartbeat", "sessions.end"]) {
        await api.expectError(name, "SESSION_NOT_FOUND", { ...of(sessionId), token: otherToken });
        await api.expectError(name, "SESSION_NOT_FOUND", { ...of(sessionId, "flappybots"), token });
        await api.expectError(name, "GAME_NOT_FOUND", { ...of(sessionId, "tetris"), token });
      }
    });

    it("an agent's session is listed, and a practice session is not", async () => {
      const { body: mine } = await start(agent);
      const { body: practice } = await startPractice();
      const live = await api.expectSuccess("sessions.live", { ...game(), query: "?limit=100" });
      const ids = live.body.items.map((item: { sessionId: string }) => item.sessionId);
      expect(ids).to.include(mine.sessionId).and.not.include(practice.sessionId);
      expect(live.body.total).to.equal(ids.length);
      const page = await api.expectSuccess("sessions.live", { ...game(), query: "?limit=1&page=2" });
      expect(page.body).to.include({ page: 2, limit: 1, total: live.body.total });
      expect(page.body.items[0]?.sessionId).to.equal(ids[1]);
      await end(agent, mine.sessionId);
      const after = await api.expectSuccess("sessions.live", { ...game(), query: "?limit=100" });
      expect(JSON.stringify(after.body)).to.not.include(mine.sessionId);
      await api.expectError("sessions.live", "GAME_NOT_FOUND", game("tetris"));
    });
  });

  describe("afterwards", () => {
    it("a session is listed among its player's, by status and source", async () => {
      const player = await createAgent(stack);
      const { sessionId } = await addEndedSession(stack, { wallet: player.address });
      const token = await player.getAccessToken();
      const { body: practice } = await api.expectSuccess("sessions.start", {
        ...game(),
        token,
        body: { source: "browser_ws" },
      });
      expect(practice).to.not.have.property("practiceToken");
      const ids = async (query: string) =>
        (await api.expectSuccess("sessions.my", { ...game(), token, query })).body.items.map(
          (item: { sessionId: string }) => item.sessionId,
        );
      expect(await ids("")).to.have.members([sessionId, practice.sessionId]);
      expect(await ids("?status=ended")).to.deep.equal([sessionId]);
      expect(await ids("?status=active")).to.deep.equal([practice.sessionId]);
      expect(await ids("?source=agent_api&limit=1&page=1")).to.deep.equal([sessionId]);
      expect(await ids("?page=2")).to.deep.equal([]);
      await api.expectError("sessions.my", "VALIDATION_FAILED", { ...game(), token, query: "?status=odd" });
      await api.expectError("sessions.my", "GAME_NOT_FOUND", { ...game("tetris"), token });
    });

    it("a session counts for its player's high score", async () => {
      const player = await createAgent(stack);
      const token = await player.getAccessToken();
      const none = await api.expectSuccess("sessions.highScore", { ...game(), token });
      expect(none.body).to.deep.include({ highScore: null, sessionId: null });
      await addEndedSession(stack, { wallet: player.address, minScore: 1 });
      const best = await addEndedSession(stack, { wallet: player.address, minScore: 40 });
      await addEndedSession(stack, { wallet: player.address, minScore: 20 });
      const { body } = await api.expectSuccess("sessions.highScore", { ...game(), token });
      expect(body.highScore).to.include({ score: best.score, sessionId: best.sessionId });
      await api.expectError("sessions.highScore", "GAME_NOT_FOUND", { ...game("tetris"), token });
    });

    it("a replay is served compressed and immutable, with a tag for each form", async () => {
      const player = await createAgent(stack);
      const endedAtMs = Date.now() - TRANSCRIPT_SECONDS * 1000;
      const row = await addEndedSession(stack, { wallet: player.address, minScore: 900, endedAtMs });
      const fetchReplay = (headers: { readonly [name: string]: string }) =>
        fetch(`${stack.httpUrl}/api/games/shellrunners/sessions/${row.sessionId}/replay`, { headers });
      for (const encoding of ["br", "gzip"]) {
        const response = await fetchReplay({ "Accept-Encoding": encoding });
        const tag = response.headers.get("etag")!;
        expect(tag).to.match(new RegExp(`^"[\\w-]+\\.${encoding}"$`));
        const unchanged = await fetchReplay({ "Accept-Encoding": encoding, "If-None-Match": tag });
        expect(unchanged.status).to.equal(304);
        expect(response.headers.get("content-encoding")).to.equal(encoding);
        expect(response.headers.get("vary")).to.include("Accept-Encoding");
        expect(response.headers.get("cache-control")).to.equal("public, max-age=31536000, immutable");
        expect(await response.json()).to.include({ sessionId: row.sessionId, finalScore: row.score });
      }
      const plain = await fetchReplay({ "Accept-Encoding": "identity" });
      expect(plain.headers.get("content-encoding")).to.equal(null);
    });

    it("an ended session is public, with a replay that anyone can verify", async () => {
      const { body: open } = await start(other, { slug: "flappybots" });
      await api.expectError("sessions.replay", "SESSION_NOT_ENDED", of(open.sessionId, "flappybots"));
      await end(other, open.sessionId, "flappybots");
      const row = await addEndedSession(stack, { wallet: other.address, slug: "flappybots", minScore: 20 });
      const replay = await api.expectSuccess("sessions.replay", of(row.sessionId, "flappybots"));
      expect(await verifyReplay(replay.body)).to.include({ ok: true, finalScore: row.score });
      const { body } = await api.expectSuccess("sessions.get", of(row.sessionId, "flappybots"));
      expect(body.session.snapshot).to.deep.equal({
        state: "required",
        gameSessionHash: row.gameSessionHash,
        txHash: null,
      });
      const { body: practice } = await startPractice();
      await api.expectError("sessions.replay", "SOURCE_NOT_ELIGIBLE", of(practice.sessionId));
      for (const name of ["sessions.get", "sessions.replay"]) {
        await api.expectError(name, "SESSION_NOT_FOUND", of(UNKNOWN_ID));
        await api.expectError(name, "GAME_NOT_FOUND", of(UNKNOWN_ID, "tetris"));
      }
    });
  });

  describe("while the chain is unavailable", () => {
    it("sessions can be started and read, and the gates open after ten minutes", async () => {
      const [player, idle] = [await createAgent(stack), await createAgent(stack)];
      await addEndedSession(stack, { wallet: player.address });
      const token = await player.getAccessToken();
      await idle.getAccessToken();
      await stopChain(stack);
      const started = await start(idle);
      expect(started.status, JSON.stringify(started.body)).to.equal(200);
      expect((await start(player)).body.code).to.equal("SNAPSHOT_REQUIRED");
      const { body: practice } = await startPractice();
      await api.expectSuccess("sessions.heartbeat", { ...of(practice.sessionId), token: practice.practiceToken });
      await api.expectSuccess("sessions.get", of(practice.sessionId));
      await api.expectSuccess("sessions.my", { ...game(), token });
      // The outage starts with the first unanswered request.
      await waitFor(async () => (await stack.request("GET", "/status")).body.chain.healthy === false);
      clock.advance(10 * 60_000 + 1000);
      const opened = await start(player);
      expect(opened.status, JSON.stringify(opened.body)).to.equal(200);
    });
  });
});
