import { expect } from "chai";
import { makeAgent, type Player } from "../helpers/player.ts";
import { type Suite, startSuite } from "../helpers/suite.ts";
import { watchRoutes } from "./support/watch-routes.ts";

const ROUTES = ["sessions.playToken", "sessions.spectateToken", "sessions.spectateTokenPublic"];
const SEATS = 5;

describe("tokens of the channels", () => {
  let suite: Suite;
  let agent: Player;
  let token: string;
  let sessionId: string;
  const api = watchRoutes(() => suite);
  before(async () => {
    suite = await startSuite({ env: { ARCADE_SPECTATORS_MAX: String(SEATS), ARCADE_RATE_LIMITS: "on" } });
    agent = await makeAgent(suite);
    token = await agent.token();
    const started = await api.succeed("sessions.start", {
      params: { slug: "shellrunners" },
      token,
      body: { source: "agent_api" },
    });
    ({ sessionId } = started.body);
  });
  after(() => suite.close());

  const of = (id = sessionId, slug = "shellrunners") => ({ params: { slug, sessionId: id }, token });

  it("gives the player a token for a minute, different each time", async () => {
    const first = await api.succeed("sessions.playToken", of());
    expect(first.body.token).to.match(/^ap_[\w-]{43}$/);
    expect(first.body.wsUrl).to.equal(
      `${suite.httpUrl.replace("http", "ws")}/ws/shellrunners/play?sessionId=${sessionId}`,
    );
    expect(Date.parse(first.body.expiresAt) - Date.now()).to.be.within(55_000, 60_000);
    expect(first.body).to.include({ spectatorsCurrent: 0, spectatorsMax: SEATS });
    const second = await api.succeed("sessions.playToken", of());
    expect(second.body.token).to.not.equal(first.body.token);
  });

  it("reserves a seat with every token for viewers, three of them for one address without a sign-in", async () => {
    for (let seat = 1; seat <= 3; seat += 1) {
      const { body } = await api.succeed("sessions.spectateTokenPublic", of());
      expect(body.token).to.match(/^as_/);
      expect(body).to.include({ spectatorsCurrent: seat, spectatorsMax: SEATS });
      expect(Date.parse(body.expiresAt) - Date.now()).to.be.within(25_000, 30_000);
    }
    const crowded = await api.refuse("sessions.spectateTokenPublic", "RATE_LIMITED", of());
    expect(Number(crowded.headers.get("retry-after"))).to.be.greaterThan(0);
    for (let seat = 4; seat <= SEATS; seat += 1) {
      const { body } = await api.succeed("sessions.spectateToken", of());
      expect(body).to.include({ spectatorsCurrent: seat });
    }
  });

  it("says SPECTATORS_FULL with both numbers on either flow", async () => {
    for (const name of ["sessions.spectateToken", "sessions.spectateTokenPublic"]) {
      const { body } = await api.refuse(name, "SPECTATORS_FULL", of());
      expect(body).to.include({
        spectatorsCurrent: SEATS,
        spectatorsMax: SEATS,
        error: `${SEATS}/${SEATS} spectators limit reached for this livestream`,
      });
    }
  });

  it("lets anyone who knows it watch a practice session", async () => {
    const { body } = await api.succeed("sessions.start", {
      params: { slug: "shellrunners" },
      body: { source: "browser_ws" },
    });
    await api.succeed("sessions.spectateTokenPublic", of(body.sessionId));
    await api.succeed("sessions.playToken", { ...of(body.sessionId), token: body.practiceToken });
  });

  it("knows its sessions and games", async () => {
    for (const name of ROUTES) {
      await api.refuse(name, "SESSION_NOT_FOUND", of("0190f1d5-7c4e-7abc-8def-0123456789ab"));
      await api.refuse(name, "SESSION_NOT_FOUND", of(sessionId, "flappybots"));
      await api.refuse(name, "GAME_NOT_FOUND", of(sessionId, "tetris"));
    }
  });

  it("gives none for a session that has ended", async () => {
    await api.succeed("sessions.end", of());
    for (const name of ROUTES) {
      const { body } = await api.refuse(name, "SESSION_ENDED", of());
      expect(body.sessionId).to.equal(sessionId);
    }
  });

  it("has shown every code of its routes", () => api.expectComplete(ROUTES));
});
