import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { snapshotScore, verifyReplay } from "../../client/index.ts";
import { makeAgent, makePlayer, type Player } from "../helpers/player.ts";
import { type Suite, startSuite } from "../helpers/suite.ts";
import { cutChain, endWithoutChain } from "./support/cut-chain.ts";
import { cancelOnChain } from "./support/on-chain.ts";
import { plantSession } from "./support/plant-session.ts";
import { ShiftClock } from "./support/shift-clock.ts";
import { watchRoutes } from "./support/watch-routes.ts";

const ROUTES = ["start", "live", "my", "highScore", "get", "heartbeat", "end", "replay"].map(
  (name) => `sessions.${name}`,
);
const UNKNOWN_ID = "0190f1d5-7c4e-7abc-8def-0123456789ab";

describe("sessions", () => {
  const clock = new ShiftClock();
  let suite: Suite;
  let agent: Player;
  let other: Player;
  const api = watchRoutes(() => suite);
  before(async () => {
    suite = await startSuite({ clock });
    [agent, other] = await Promise.all([makeAgent(suite, "Pinch"), makeAgent(suite, "Snap")]);
  });
  after(() => endWithoutChain(suite));

  const game = (slug = "shellrunners") => ({ params: { slug } });
  const of = (sessionId: string, slug = "shellrunners") => ({ params: { slug, sessionId } });
  const start = async (player: Player, options: { slug?: string; body?: object; key?: string } = {}) =>
    api.call("sessions.start", {
      ...game(options.slug),
      token: await player.token(),
      body: { source: "agent_api", ...options.body },
      ...(options.key === undefined ? {} : { headers: { "Idempotency-Key": options.key } }),
    });
  const end = async (player: Player, sessionId: string, slug?: string) =>
    api.succeed("sessions.end", { ...of(sessionId, slug), token: await player.token() });
  const practise = () => api.succeed("sessions.start", { ...game(), body: { source: "browser_ws" } });

  describe("start", () => {
    it("opens an agent session once per wallet and game", async () => {
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
      expect(wsUrl).to.equal(`${suite.httpUrl.replace("http", "ws")}/ws/shellrunners/play?sessionId=${sessionId}`);
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

    it("lets anybody practise, and gives a token to end it with", async () => {
      const { body } = await practise();
      expect(body.session).to.include({ source: "browser_ws", walletAddress: null });
      expect(body.practiceToken).to.match(/^ax_/);
      await api.succeed("sessions.end", { ...of(body.sessionId), token: body.practiceToken });
    });

    it("asks for a token, an identity and a game that exists", async () => {
      await api.refuse("sessions.start", "AUTH_REQUIRED", { ...game(), body: { source: "agent_api" } });
      await api.refuse("sessions.start", "GAME_NOT_FOUND", { ...game("tetris"), body: { source: "browser_ws" } });
      await api.refuse("sessions.start", "VALIDATION_FAILED", { ...game(), body: { source: "robot" } });
      const stranger = await makePlayer(suite);
      const refused = await start(stranger);
      expect(refused.body).to.deep.include({
        code: "IDENTITY_REQUIRED",
        next: { method: "POST", path: "/api/identity/register", body: { walletAddress: stranger.address } },
      });
    });

    it("waits for the snapshot of an ended score, in its own game alone, until it is given up", async () => {
      const player = await makeAgent(suite);
      const { sessionId, score } = await plantSession(suite, { wallet: player.address });
      const refused = await start(player);
      expect(refused.body).to.deep.include({
        code: "SNAPSHOT_REQUIRED",
        sessionId,
        gameSessionId: sessionId,
        score,
        next: { method: "POST", path: "/api/rewards/snapshot", body: { sessionId } },
      });
      expect((await start(player, { slug: "flappybots" })).status).to.equal(200);
      expect((await start(player, { body: { forfeitPending: true } })).status).to.equal(200);
      const { body } = await api.succeed("sessions.get", of(sessionId));
      expect(body.session.snapshot.state).to.equal("forfeited");
    });

    it("does not wait for a score that the guardian cancelled on chain", async () => {
      const player = await makeAgent(suite);
      const cancelled = await plantSession(suite, { wallet: player.address });
      const waiting = await plantSession(suite, { wallet: player.address });
      await cancelOnChain(suite, player.address, cancelled.gameSessionHash!);
      expect((await start(player)).body).to.include({ code: "SNAPSHOT_REQUIRED", sessionId: waiting.sessionId });
      await cancelOnChain(suite, player.address, waiting.gameSessionHash!);
      expect((await start(player)).status).to.equal(200);
    });

    it("does not wait for a session without points", async () => {
      const player = await makeAgent(suite);
      await plantSession(suite, { wallet: player.address, minScore: 0 });
      expect((await start(player)).status).to.equal(200);
    });

    it("waits for the NFT that a snapshotted score reaches, until the step is given up for good", async () => {
      const player = await makeAgent(suite);
      const { sessionId, score } = await plantSession(suite, { wallet: player.address, minScore: 220 });
      await snapshotScore({ client: player.client, sessionId });
      const refused = await start(player);
      expect(refused.body).to.deep.include({
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

  describe("an Idempotency-Key", () => {
    it("answers the same session with a fresh play token, and stores no token", async () => {
      const player = await makeAgent(suite);
      const first = await start(player, { key: "start-1" });
      const again = await start(player, { key: "start-1" });
      expect(again.body.sessionId).to.equal(first.body.sessionId);
      expect(again.body.playToken).to.match(/^ap_/).and.not.equal(first.body.playToken);
      const refused = await start(player, { key: "start-1", body: { forfeitPending: true } });
      expect(refused.body.code).to.equal("IDEMPOTENCY_CONFLICT");
      expect((await start(player, { key: "start-2" })).body.code).to.equal("SESSION_ACTIVE");
      // Another caller's key is another key.
      expect((await start(other, { key: "start-1" })).body.sessionId).to.not.equal(first.body.sessionId);
      for (const file of ["arcade.db", "arcade.db-wal"]) {
        const bytes = readFileSync(join(suite.dataDir, file));
        for (const { playToken } of [first.body, again.body])
          expect(bytes.includes(playToken), `${file} holds a play token`).to.equal(false);
      }
      await end(player, first.body.sessionId);
      const late = await start(player, { key: "start-1" });
      expect(late.body).to.include({ code: "SESSION_ENDED", sessionId: first.body.sessionId });
    });

    it("gives one session to requests that come at once", async () => {
      const player = await makeAgent(suite);
      const answers = await Promise.all(Array.from({ length: 10 }, () => start(player, { key: "at-once" })));
      const codes = new Set(answers.map(({ body }) => body.code));
      codes.delete(undefined);
      codes.delete("IDEMPOTENCY_IN_PROGRESS");
      expect([...codes]).to.deep.equal([]);
      const ids = answers.flatMap(({ status, body }) => (status === 200 ? [body.sessionId] : []));
      expect(new Set(ids).size).to.equal(1);
    });

    it("is refused when it is malformed", async () => {
      for (const key of ["x".repeat(65), "with space"])
        expect((await start(agent, { key })).body.code, key).to.equal("VALIDATION_FAILED");
    });
  });

  describe("while it lasts", () => {
    it("takes heartbeats of its player until it ends; ending twice is ending once", async () => {
      const { body } = await start(agent);
      const token = await agent.token();
      const { sessionId } = body;
      const beat = await api.succeed("sessions.heartbeat", { ...of(sessionId), token });
      expect(beat.body.phase).to.equal("ready");
      expect(beat.body.expiresInSeconds).to.be.within(50, 120);
      const first = await end(agent, sessionId);
      expect(first.body.session).to.include({ phase: "ended", endReason: "ended_by_player", joinable: false });
      expect((await end(agent, sessionId)).body.session).to.deep.equal(first.body.session);
      const late = await api.refuse("sessions.heartbeat", "SESSION_ENDED", { ...of(sessionId), token });
      expect(late.body.sessionId).to.equal(sessionId);
      const stranger = await other.token();
      for (const name of ["sessions.heartbeat", "sessions.end"]) {
        await api.refuse(name, "SESSION_NOT_FOUND", { ...of(sessionId), token: stranger });
        await api.refuse(name, "SESSION_NOT_FOUND", { ...of(sessionId, "flappybots"), token });
        await api.refuse(name, "GAME_NOT_FOUND", { ...of(sessionId, "tetris"), token });
      }
    });

    it("is listed when it is an agent's, and never when it is practice", async () => {
      const { body: mine } = await start(agent);
      const { body: practice } = await practise();
      const live = await api.succeed("sessions.live", { ...game(), query: "?limit=100" });
      const ids = live.body.items.map((item: { sessionId: string }) => item.sessionId);
      expect(ids).to.include(mine.sessionId).and.not.include(practice.sessionId);
      expect(live.body.sessions).to.deep.equal(live.body.items);
      expect(live.body.total).to.equal(ids.length);
      const page = await api.succeed("sessions.live", { ...game(), query: "?limit=1&page=2" });
      expect(page.body).to.include({ page: 2, limit: 1, total: live.body.total });
      expect(page.body.items[0]?.sessionId).to.equal(ids[1]);
      await end(agent, mine.sessionId);
      const after = await api.succeed("sessions.live", { ...game(), query: "?limit=100" });
      expect(JSON.stringify(after.body)).to.not.include(mine.sessionId);
      await api.refuse("sessions.live", "GAME_NOT_FOUND", game("tetris"));
    });
  });

  describe("afterwards", () => {
    it("is among its player's own, by status and source", async () => {
      const player = await makeAgent(suite);
      const { sessionId } = await plantSession(suite, { wallet: player.address });
      const token = await player.token();
      const { body: practice } = await api.succeed("sessions.start", {
        ...game(),
        token,
        body: { source: "browser_ws" },
      });
      expect(practice).to.not.have.property("practiceToken");
      const ids = async (query: string) =>
        (await api.succeed("sessions.my", { ...game(), token, query })).body.items.map(
          (item: { sessionId: string }) => item.sessionId,
        );
      expect(await ids("")).to.have.members([sessionId, practice.sessionId]);
      expect(await ids("?status=ended")).to.deep.equal([sessionId]);
      expect(await ids("?status=active")).to.deep.equal([practice.sessionId]);
      expect(await ids("?source=agent_api&limit=1&page=1")).to.deep.equal([sessionId]);
      expect(await ids("?page=2")).to.deep.equal([]);
      await api.refuse("sessions.my", "VALIDATION_FAILED", { ...game(), token, query: "?status=odd" });
      await api.refuse("sessions.my", "GAME_NOT_FOUND", { ...game("tetris"), token });
    });

    it("counts for its player's high score", async () => {
      const player = await makeAgent(suite);
      const token = await player.token();
      const none = await api.succeed("sessions.highScore", { ...game(), token });
      expect(none.body).to.deep.include({ highScore: null, sessionId: null });
      await plantSession(suite, { wallet: player.address, minScore: 1 });
      const best = await plantSession(suite, { wallet: player.address, minScore: 40 });
      await plantSession(suite, { wallet: player.address, minScore: 20 });
      const { body } = await api.succeed("sessions.highScore", { ...game(), token });
      expect(body.highScore).to.include({ score: best.score, sessionId: best.sessionId });
      await api.refuse("sessions.highScore", "GAME_NOT_FOUND", { ...game("tetris"), token });
    });

    it("is public, with a replay that anyone can check once it is over", async () => {
      const { body: open } = await start(other, { slug: "flappybots" });
      await api.refuse("sessions.replay", "SESSION_NOT_ENDED", of(open.sessionId, "flappybots"));
      await end(other, open.sessionId, "flappybots");
      const row = await plantSession(suite, { wallet: other.address, slug: "flappybots", minScore: 20 });
      const replay = await api.succeed("sessions.replay", of(row.sessionId, "flappybots"));
      expect(await verifyReplay(replay.body)).to.include({ ok: true, finalScore: row.score });
      const { body } = await api.succeed("sessions.get", of(row.sessionId, "flappybots"));
      expect(body.session.snapshot).to.deep.equal({
        state: "required",
        gameSessionHash: row.gameSessionHash,
        txHash: null,
      });
      const { body: practice } = await practise();
      await api.refuse("sessions.replay", "SOURCE_NOT_ELIGIBLE", of(practice.sessionId));
      for (const name of ["sessions.get", "sessions.replay"]) {
        await api.refuse(name, "SESSION_NOT_FOUND", of(UNKNOWN_ID));
        await api.refuse(name, "GAME_NOT_FOUND", of(UNKNOWN_ID, "tetris"));
      }
    });
  });

  describe("with the chain away", () => {
    it("says so at start, goes on with everything else, and opens the gates after ten minutes", async () => {
      const [player, idle] = [await makeAgent(suite), await makeAgent(suite)];
      await plantSession(suite, { wallet: player.address });
      const token = await player.token();
      await idle.token();
      await cutChain(suite);
      const refused = await start(idle);
      expect(refused.body.code).to.equal("CHAIN_UNAVAILABLE");
      expect((await start(player)).body.code).to.equal("SNAPSHOT_REQUIRED");
      expect(refused.headers.get("retry-after")).to.match(/^\d+$/);
      const { body: practice } = await practise();
      await api.succeed("sessions.heartbeat", { ...of(practice.sessionId), token: practice.practiceToken });
      await api.succeed("sessions.get", of(practice.sessionId));
      await api.succeed("sessions.my", { ...game(), token });
      clock.pass(10 * 60_000 + 1000);
      const opened = await start(player);
      expect(opened.status, JSON.stringify(opened.body)).to.equal(200);
    });

    it("has shown every code of its routes", () => api.expectComplete(ROUTES));
  });
});
