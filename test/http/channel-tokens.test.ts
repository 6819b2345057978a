import { expect } from "chai";
import { createAgent } from "../../testing/player.ts";
import { useShared } from "../helpers/fixture.ts";
import { useTestStack } from "../helpers/suite.ts";
import { createRouteTester } from "./support/watch-routes.ts";

const ROUTES = ["sessions.playToken", "sessions.spectateToken", "sessions.spectateTokenPublic"];
const SEATS = 5;

describe("tokens of the channels", () => {
  let token: string;
  let sessionId: string;
  const api = createRouteTester(() => stack);
  const stack = useTestStack({ env: { ARCADE_SPECTATORS_MAX: String(SEATS), ARCADE_RATE_LIMITS: "on" } });
  const agent = useShared(() => createAgent(stack));
  before(async () => {
    token = await agent.getAccessToken();
    const started = await api.expectSuccess("sessions.start", {
      params: { slug: "shellrunners" },
      token,
      body: { source: "agent_api" },
    });
    ({ sessionId } = started.body);
  });
  api.checkCodesAfterAll(ROUTES);

  const of = (id = sessionId, slug = "shellrunners") => ({ params: { slug, sessionId: id }, token });

  it("the player gets a new token for a minute each time", async () => {
    const first = await api.expectSuccess("sessions.playToken", of());
    expect(first.body.token).to.match(/^ap_[\w-]{43}$/);
    expect(first.body.wsUrl).to.equal(
      `${stack.httpUrl.replace("http", "ws")}/ws/shellrunners/play?sessionId=${sessionId}`,
    );
    expect(Date.parse(first.body.expiresAt) - Date.now()).to.be.within(55_000, 60_000);
    expect(first.body).to.include({ spectatorsCurrent: 0, spectatorsMax: SEATS });
    const second = await api.expectSuccess("sessions.playToken", of());
    expect(second.body.token).to.not.equal(first.body.token);
  });

  it("every spectate token reserves a seat, at most three for one address without a sign-in", async () => {
    for (let seat = 1; seat <= 3; seat += 1) {
      const { body } = await api.expectSuccess("sessions.spectateTokenPublic", of());
      expect(body.token).to.match(/^as_/);
      expect(body).to.include({ spectatorsCurrent: seat, spectatorsMax: SEATS });
      expect(Date.parse(body.expiresAt) - Date.now()).to.be.within(25_000, 30_000);
    }
    const crowded = await api.expectError("sessions.spectateTokenPublic", "RATE_LIMITED", of());
    expect(Number(crowded.headers.get("retry-after"))).to.be.greaterThan(0);
    for (let seat = 4; seat <= SEATS; seat += 1) {
      const { body } = await api.expectSuccess("sessions.spectateToken", of());
      expect(body).to.include({ spectatorsCurrent: seat });
    }
  });

  it("a full session is SPECTATORS_FULL with both numbers, with and without a sign-in", async () => {
    for (const name of ["sessions.spectateToken", "sessions.spectateTokenPublic"]) {
      const { body } = await api.expectError(name, "SPECTATORS_FULL", of());
      expect(body).to.include({
        spectatorsCurrent: SEATS,
        spectatorsMax: SEATS,
        error: `${SEATS}/${SEATS} spectators limit reached for this livestream`,
      });
    }
  });

  it("anyone with its id can watch a practice session", async () => {
    const { body } = await api.expectSuccess("sessions.start", {
      params: { slug: "shellrunners" },
      body: { source: "browser_ws" },
    });
    await api.expectSuccess("sessions.spectateTokenPublic", of(body.sessionId));
    await api.expectSuccess("sessions.playToken", { ...of(body.sessionId), token: body.practiceToken });
  });

  it("a token for an unknown session or game is rejected", async () => {
    for (const name of ROUTES) {
      await api.expectError(name, "SESSION_NOT_FOUND", of("0190f1d5-7c4e-7abc-8def-0123456789ab"));
      await api.expectError(name, "SESSION_NOT_FOUND", of(sessionId, "flappybots"));
      await api.expectError(name, "GAME_NOT_FOUND", of(sessionId, "tetris"));
    }
  });

  it("an ended session gets no token", async () => {
    await api.expectSuccess("sessions.end", of());
    for (const name of ROUTES) {
      const { body } = await api.expectError(name, "SESSION_ENDED", of());
      expect(body.sessionId).to.equal(sessionId);
      expect(JSON.stringify(body)).to.include(`there is nothing to ${/spectate/.test(name) ? "watch" : "join"}.`);
    }
  });
});
