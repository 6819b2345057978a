import { expect } from "chai";
import { routes } from "../../backend/http/routes/index.ts";
import type { Route } from "../../backend/http/routing/route.ts";
import { createAgent, type Player } from "../../testing/player.ts";
import { useShared } from "../helpers/fixture.ts";
import { startTestStack, useTestStack } from "../helpers/suite.ts";

/** An independent copy of the interface's access table. A route without a row here fails. */
const ACCESS_BY_ROUTE: { readonly [name: string]: Route["access"] } = {
  "agent.agentInstructions": "public",
  "identity.agentInstructions": "public",
  "games.agentInstructions": "public",
  "rewards.agentInstructions": "public",
  "market.agentInstructions": "public",
  "identity.register": "public",
  "identity.ownershipStatus": "public",
  "identity.profileGet": "public",
  "identity.profileUpsert": "wallet",
  "identity.profileMetadata": "wallet",
  "identity.metadata": "public",
  "identity.registrationFile": "public",
  "metadata.identityImage": "public",
  "metadata.gameNft": "public",
  "metadata.gameNftImage": "public",
  "metadata.gameTierImage": "public",
  "metadata.agentRegistration": "public",
  "stats.track": "public",
  "stats.trackLegacy": "public",
  "stats.subscribe": "public",
  "stats.leaderboard": "public",
  "stats.search": "public",
  "stats.summary": "public",
  "stats.tokenomics": "public",
  "games.catalog": "public",
  "games.get": "public",
  "games.runs": "public",
  "auth.nonce": "public",
  "auth.verify": "public",
  "auth.refresh": "public",
  "auth.session": "wallet",
  "auth.signOut": "wallet",
  "sessions.start": "optional",
  "sessions.live": "public",
  "sessions.demo": "public",
  "sessions.my": "wallet",
  "sessions.highScore": "wallet",
  "sessions.get": "public",
  "sessions.getById": "public",
  "sessions.heartbeat": "player",
  "sessions.end": "player",
  "sessions.step": "player",
  "sessions.replay": "public",
  "sessions.transcript": "wallet",
  "replays.get": "public",
  "sessions.playToken": "player",
  "sessions.spectateToken": "wallet",
  "sessions.spectateTokenPublic": "public",
  "nft.prepare": "wallet",
  "nft.record": "wallet",
  "rewards.startSession": "wallet",
  "rewards.snapshot": "wallet",
  "rewards.scorebank": "wallet",
  "rewards.readiness": "wallet",
  "rewards.payout": "wallet",
  "rewards.payoutStatus": "wallet",
  "rewards.payoutHistory": "wallet",
  "relays.get": "wallet",
  "relays.gates": "public",
  "market.listings": "public",
  "market.listingPayload": "wallet",
  "market.visibilitySet": "wallet",
  "market.visibilityMy": "wallet",
  "league.current": "public",
  "league.submit": "wallet",
  "league.mine": "wallet",
  "league.course": "wallet",
  "league.decide": "wallet",
  "league.round": "public",
  "voting.status": "public",
  "voting.nonce": "public",
  "voting.vote": "public",
  "voting.ballots": "public",
  "discovery.openapi": "public",
  "discovery.asyncapi": "public",
  "discovery.docs": "public",
  "discovery.errors": "public",
  "discovery.skill": "public",
  "discovery.llms": "public",
  "discovery.guideAgents": "public",
  "discovery.guideRules": "public",
  "discovery.guideReplays": "public",
  "discovery.guideSigning": "public",
  "discovery.guideTraining": "public",
  "dev.faucet": "public",
  "dev.explainTypedData": "public",
  "operations.healthz": "public",
  "operations.readyz": "public",
  "operations.status": "public",
  "operations.metrics": "public",
  "console.sessions": "admin",
  "console.sessionAction": "admin",
  "console.transactions": "admin",
  "console.transactionOrder": "admin",
  "console.transactionOrderStatus": "admin",
  "console.doctor": "admin",
  "console.signings": "admin",
  "console.payouts": "admin",
  "console.withheld": "admin",
  "console.errors": "admin",
  "console.audit": "admin",
  "console.draining": "admin",
  "console.drain": "admin",
};

const IDENTITY = [
  "identity.profileUpsert",
  "identity.profileMetadata",
  "nft.prepare",
  "rewards.snapshot",
  "rewards.payout",
  "league.submit",
  "league.decide",
  "market.listingPayload",
  "market.visibilitySet",
];

describe("the authorization of the routes", () => {
  let other: Player;
  let sessionId: string;
  let practice: { sessionId: string; practiceToken?: string };

  const stack = useTestStack();
  const owner = useShared(() => createAgent(stack));
  before(async () => {
    other = await createAgent(stack);
    ({ sessionId } = await owner.client.sessions.start({ slug: "shellrunners", source: "agent_api" }));
    const response = await stack.request("POST", "/api/games/shellrunners/sessions/start", {
      body: { source: "browser_ws" },
    });
    practice = response.body;
  });

  const buildPath = (route: Route, id = sessionId): string =>
    route.path
      .replace("{slug}", "shellrunners")
      .replace("{sessionId}", id)
      .replace("{payoutId}", "nope")
      .replace("{digest}", "0");
  const call = (route: Route, token?: string, id?: string) =>
    stack.request(route.method, buildPath(route, id), { ...(token === undefined ? {} : { token }) });

  it("the table has a row for every route, and a route for every row", () => {
    expect(Object.fromEntries(routes.map((route) => [route.name, route.access]))).to.deep.equal(ACCESS_BY_ROUTE);
    expect(routes.filter((route) => route.identity !== undefined).map((route) => route.name)).to.have.members(IDENTITY);
  });

  for (const route of routes) {
    if (route.access === "public" || route.access === "optional") {
      it(`${route.name} needs no token`, async () => {
        const response = await call(route);
        expect(response.body?.code).to.not.be.oneOf(["AUTH_REQUIRED", "TOKEN_INVALID"]);
      });
      continue;
    }

    if (route.access === "admin") {
      it(`${route.name} does not exist for anyone when the operator has set no token`, async () => {
        expect((await call(route)).body.code).to.equal("NOT_FOUND");
        expect((await call(route, await owner.getAccessToken())).body.code).to.equal("NOT_FOUND");
      });
      continue;
    }

    it(`${route.name} rejects a missing token, unknown ones and other kinds`, async () => {
      expect((await call(route)).body.code).to.equal("AUTH_REQUIRED");
      const refresh = owner.client.signIn.credentials()!.refreshToken;
      for (const token of ["aa_unknown", refresh, "ap_x", "as_x", "junk"]) {
        expect((await call(route, token)).body.code, token.slice(0, 3)).to.equal("TOKEN_INVALID");
      }
      if (route.access === "wallet")
        expect((await call(route, practice.practiceToken)).body.code).to.equal("TOKEN_INVALID");
    });

    if (route.access === "player") {
      it(`${route.name} hides the session from other players`, async () => {
        expect((await call(route, await other.getAccessToken())).body.code).to.equal("SESSION_NOT_FOUND");
        expect((await call(route, practice.practiceToken)).body.code).to.equal("SESSION_NOT_FOUND");
        expect((await call(route, await owner.getAccessToken(), practice.sessionId)).body.code).to.equal(
          "SESSION_NOT_FOUND",
        );
      });
    }
  }

  it("a player can call for its own sessions, with either kind of token", async () => {
    for (const name of ["sessions.heartbeat", "sessions.playToken", "sessions.end"]) {
      const route = routes.find((entry) => entry.name === name)!;
      expect((await call(route, practice.practiceToken, practice.sessionId)).status, name).to.equal(200);
    }
    const heartbeat = routes.find((entry) => entry.name === "sessions.heartbeat")!;
    expect((await call(heartbeat, practice.practiceToken, practice.sessionId)).body.code).to.equal("SESSION_ENDED");
    expect((await call(heartbeat, await owner.getAccessToken())).status).to.equal(200);
  });

  const actingRoutes = routes.filter(
    ({ access, method }) => !["public", "admin"].includes(access) && method === "POST",
  );
  for (const route of actingRoutes) {
    it(`${route.name} accepts the caller's own wallet in the body, and rejects any other`, async () => {
      const send = async (walletAddress: string, token?: string) =>
        stack.request("POST", buildPath(route), {
          ...(token === undefined ? {} : { token }),
          body: { ...route.example.request, walletAddress },
        });
      for (const address of [owner.address, owner.address.toLowerCase()]) {
        const { body } = await send(address, await owner.getAccessToken());
        expect(body.code, JSON.stringify(body)).to.not.be.oneOf(["UNKNOWN_FIELD", "FORBIDDEN", "INTERNAL"]);
        // This call ends the sign-in; the next one signs in again.
        if (route.name === "auth.signOut") await owner.client.signIn.signOut().catch(() => undefined);
      }
      expect((await send(other.address, await owner.getAccessToken())).body.code).to.equal("FORBIDDEN");
      if (route.access === "player")
        expect((await send(owner.address, practice.practiceToken!)).body.code).to.equal("FORBIDDEN");
      if (route.access === "optional") expect((await send(owner.address)).body.code).to.equal("FORBIDDEN");
    });
  }
});

describe("an expired access token", () => {
  it("an expired access token is TOKEN_EXPIRED at every route", async () => {
    const { TestClock } = await import("../helpers/test-clock.ts");
    const clock = new TestClock(Date.now());
    const stack = await startTestStack({ clock });
    try {
      const player = await createAgent(stack);
      const token = await player.getAccessToken();
      clock.shiftWallClock(86_400_000 + 1000);
      for (const route of routes.filter(({ access }) => access === "wallet" || access === "player")) {
        const path = route.path
          .replace("{slug}", "shellrunners")
          .replace("{sessionId}", "0190f1d5-7c4e-7abc-8def-0123456789ab")
          .replace("{payoutId}", "x");
        const response = await stack.request(route.method, path, { token });
        expect(response.body.code, route.name).to.equal("TOKEN_EXPIRED");
      }
    } finally {
      await stack.close();
    }
  });
});
