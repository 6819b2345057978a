import { expect } from "chai";
import type { Route } from "../../backend/http/route.ts";
import { routes } from "../../backend/http/routes/index.ts";
import { makeAgent, type Player } from "../helpers/player.ts";
import { type Suite, startSuite } from "../helpers/suite.ts";

/** The interface's table of who may call, written down a second time: a route without a row here fails. */
const WHO: { readonly [name: string]: Route["access"] } = {
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
  "metadata.identityImage": "public",
  "metadata.gameNft": "public",
  "metadata.gameNftImage": "public",
  "metadata.agentRegistration": "public",
  "stats.track": "public",
  "stats.trackLegacy": "public",
  "stats.subscribe": "public",
  "stats.leaderboard": "public",
  "stats.summary": "public",
  "stats.tokenomics": "public",
  "games.catalog": "public",
  "games.get": "public",
  "auth.nonce": "public",
  "auth.verify": "public",
  "auth.refresh": "public",
  "auth.session": "wallet",
  "sessions.start": "optional",
  "sessions.live": "public",
  "sessions.my": "wallet",
  "sessions.highScore": "wallet",
  "sessions.get": "public",
  "sessions.heartbeat": "player",
  "sessions.end": "player",
  "sessions.replay": "public",
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
  "market.listings": "public",
  "market.listingPayload": "wallet",
  "market.visibilitySet": "wallet",
  "market.visibilityMy": "wallet",
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
  "dev.faucet": "public",
  "dev.explainTypedData": "public",
  "operations.healthz": "public",
  "operations.readyz": "public",
  "operations.status": "public",
  "operations.metrics": "public",
};

const IDENTITY = [
  "identity.profileUpsert",
  "identity.profileMetadata",

  "nft.prepare",
  "rewards.startSession",
  "rewards.snapshot",
  "rewards.payout",
  "market.listingPayload",
  "market.visibilitySet",
];

describe("who may call", () => {
  let suite: Suite;
  let owner: Player;
  let other: Player;
  let sessionId: string;
  let practice: { sessionId: string; practiceToken?: string };

  before(async () => {
    suite = await startSuite();
    owner = await makeAgent(suite);
    other = await makeAgent(suite);
    ({ sessionId } = await owner.client.sessions.start({ slug: "shellrunners", source: "agent_api" }));
    const answer = await suite.request("POST", "/api/games/shellrunners/sessions/start", {
      body: { source: "browser_ws" },
    });
    practice = answer.body;
  });
  after(() => suite.close());

  const pathOf = (route: Route, id = sessionId): string =>
    route.path
      .replace("{slug}", "shellrunners")
      .replace("{sessionId}", id)
      .replace("{payoutId}", "nope")
      .replace("{digest}", "0");
  const call = (route: Route, token?: string, id?: string) =>
    suite.request(route.method, pathOf(route, id), { ...(token === undefined ? {} : { token }) });

  it("has a row for every route, and a route for every row", () => {
    expect(Object.fromEntries(routes.map((route) => [route.name, route.access]))).to.deep.equal(WHO);
    expect(routes.filter((route) => route.identity !== undefined).map((route) => route.name)).to.have.members(IDENTITY);
  });

  for (const route of routes) {
    if (route.access === "public" || route.access === "optional") {
      it(`${route.name} asks nobody for a token`, async () => {
        const answer = await call(route);
        expect(answer.body?.code).to.not.be.oneOf(["AUTH_REQUIRED", "TOKEN_INVALID"]);
      });
      continue;
    }

    it(`${route.name} refuses no token, unknown ones and other kinds`, async () => {
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
        expect((await call(route, await other.token())).body.code).to.equal("SESSION_NOT_FOUND");
        expect((await call(route, practice.practiceToken)).body.code).to.equal("SESSION_NOT_FOUND");
        expect((await call(route, await owner.token(), practice.sessionId)).body.code).to.equal("SESSION_NOT_FOUND");
      });
    }
  }

  it("lets players call for their own sessions, with either kind of token", async () => {
    for (const name of ["sessions.heartbeat", "sessions.playToken", "sessions.end"]) {
      const route = routes.find((entry) => entry.name === name)!;
      expect((await call(route, practice.practiceToken, practice.sessionId)).status, name).to.equal(200);
    }
    const heartbeat = routes.find((entry) => entry.name === "sessions.heartbeat")!;
    expect((await call(heartbeat, practice.practiceToken, practice.sessionId)).body.code).to.equal("SESSION_ENDED");
    expect((await call(heartbeat, await owner.token())).status).to.equal(200);
  });

  it("refuses a body that names another wallet", async () => {
    const answer = await suite.request("POST", "/api/rewards/scorebank", {
      token: await owner.token(),
      body: { walletAddress: other.address },
    });
    expect(answer.body.code).to.equal("FORBIDDEN");
  });
});

describe("an expired access token", () => {
  it("is TOKEN_EXPIRED at every door", async () => {
    const { TestClock } = await import("../helpers/test-clock.ts");
    const clock = new TestClock(Date.now());
    const suite = await startSuite({ clock });
    try {
      const player = await makeAgent(suite);
      const token = await player.token();
      clock.jumpWall(86_400_000 + 1000);
      for (const route of routes.filter(({ access }) => access === "wallet" || access === "player")) {
        const path = route.path
          .replace("{slug}", "shellrunners")
          .replace("{sessionId}", "0190f1d5-7c4e-7abc-8def-0123456789ab")
          .replace("{payoutId}", "x");
        const answer = await suite.request(route.method, path, { token });
        expect(answer.body.code, route.name).to.equal("TOKEN_EXPIRED");
      }
    } finally {
      await suite.close();
    }
  });
});
