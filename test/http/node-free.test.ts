import { AsyncLocalStorage } from "node:async_hooks";
import { Server } from "node:http";
import { expect } from "chai";
import type { ErrorCode } from "../../backend/domain/errors.ts";
import { routes } from "../../backend/http/routes/index.ts";
import { createAgent, createPlayer, type Player } from "../helpers/player.ts";
import { startTestStack, type TestStack } from "../helpers/suite.ts";
import { closeWithoutChain, stopChain } from "./support/cut-chain.ts";
import { addEndedSession } from "./support/plant-session.ts";
import { createRouteTester, type RouteCall } from "./support/watch-routes.ts";

type RouteName = (typeof routes)[number]["name"];

/** Routes that need the chain's node: they sign, send, or ask about a transaction. */
const NODE_ROUTES = [
  "identity.register",
  "nft.prepare",
  "nft.record",
  "rewards.snapshot",
  "rewards.payout",
  "market.listingPayload",
  "market.visibilitySet",
  "dev.faucet",
  "dev.explainTypedData",
  "console.doctor",
] as const satisfies readonly RouteName[];

/** A call, and the code where it cannot be a success here. */
type Call = RouteCall & { readonly code?: ErrorCode };
type Calls = { readonly [name in Exclude<RouteName, (typeof NODE_ROUTES)[number]>]: Call };

const ADMIN_TOKEN = "a token of the operator".replaceAll(" ", "-");
const CONSOLE = { token: ADMIN_TOKEN };

/** Set in what a request to the service causes; the service also asks the node by itself, at any time. */
const inRequest = new AsyncLocalStorage<true>();

describe("routes that never ask the chain's node", function () {
  this.timeout(60_000);
  let stack: TestStack;
  let agent: Player;
  let calls: Calls;
  const api = createRouteTester(() => stack);
  const asked: string[] = [];
  /** What each signed route asked the node, by the route. */
  const askedToSign: Record<string, readonly string[]> = {};
  const realFetch = globalThis.fetch;
  const realEmit = Server.prototype.emit;

  before(async () => {
    stack = await startTestStack({ env: { ARCADE_ADMIN_TOKEN: ADMIN_TOKEN } });
    agent = await createAgent(stack);
    calls = await createCalls();
    const { origin } = new URL(stack.chain.rpcUrl);
    globalThis.fetch = (input, init) => {
      const url = input instanceof Request ? input.url : String(input);
      if (inRequest.getStore() && new URL(url).origin === origin) {
        const requests = [JSON.parse(String(init?.body))].flat() as { readonly method: string }[];
        // Which chain it is, a node is asked every few seconds, whatever asks next.
        asked.push(...requests.map(({ method }) => method).filter((method) => method !== "eth_chainId"));
      }
      return realFetch(input, init);
    };
    Server.prototype.emit = function (this: Server, event: string, ...args: unknown[]) {
      const emit = (): boolean => Reflect.apply(realEmit, this, [event, ...args]);
      return event === "request" ? inRequest.run(true, emit) : emit();
    } as typeof realEmit;
    await askToSign();
    await stopChain(stack);
  });
  after(async () => {
    globalThis.fetch = realFetch;
    Server.prototype.emit = realEmit;
    await closeWithoutChain(stack);
  });

  async function askToSign(): Promise<void> {
    const { address } = await createPlayer(stack);
    const signed = await addEndedSession(stack, { wallet: agent.address, slug: "flappybots", minScore: 5 });
    const wallet = { walletAddress: agent.address };
    const token = await agent.getAccessToken();
    const requests = [
      ["/api/identity/register", { body: { walletAddress: address, agentName: "Asks" } }],
      ["/api/rewards/snapshot", { token, body: { ...wallet, sessionId: signed.sessionId } }],
    ] as const;
    for (const [path, options] of requests) {
      asked.length = 0;
      const { status, body } = await stack.request("POST", path, options);
      expect(status, JSON.stringify(body)).to.equal(200);
      askedToSign[path] = [...asked];
    }
  }

  it("answer with the chain's error where the faucet needs it", async () => {
    const { status, body } = await stack.request("POST", "/api/dev/faucet", { body: { address: agent.address } });
    expect(body, JSON.stringify(body)).to.include({ ok: false, code: "CHAIN_UNAVAILABLE", retryable: true });
    expect(status).to.equal(503);
  });

  /** Sessions, tokens and ids for every route. A new route has to be here or in `NODE_ROUTES`: the compiler asks. */
  async function createCalls(): Promise<Calls> {
    const token = await agent.getAccessToken();
    const guest = await createPlayer(stack);
    const guestToken = await guest.getAccessToken();
    const leaving = await createPlayer(stack);
    const leavingToken = await leaving.getAccessToken();
    const { refreshToken } = guest.client.signIn.credentials()!;
    const ended = await addEndedSession(stack, { wallet: agent.address, slug: "flappybots", minScore: 5 });
    const other = await createAgent(stack);
    const otherToken = await other.getAccessToken();
    const running = await other.client.sessions.start({ slug: "shellrunners", source: "agent_api" });
    const ending = await other.client.sessions.start({ slug: "flappybots", source: "agent_api" });
    const { agentId } = await agent.client.identity.ownershipStatus({ walletAddress: agent.address });
    const wallet = { walletAddress: agent.address };
    const game = { params: { slug: "shellrunners" } };
    const endedSession = { params: { slug: "flappybots", sessionId: ended.sessionId } };
    const open = { params: { slug: "shellrunners", sessionId: running.sessionId } };
    const ballot = { ...wallet, gameSlug: "demo-tidepool", voteSource: "human" };
    const nftId = { params: { slug: "shellrunners", tokenId: agentId! }, code: "NOT_FOUND" } as const;
    const mine = { token, body: {} };
    return {
      "agent.agentInstructions": {},
      "identity.agentInstructions": {},
      "games.agentInstructions": game,
      "rewards.agentInstructions": {},
      "market.agentInstructions": {},
      "identity.ownershipStatus": { body: wallet },
      "identity.profileGet": { body: { agentId } },
      "identity.profileUpsert": { token, body: { bio: "Sideways." } },
      "identity.profileMetadata": mine,
      "identity.linkAgent": {
        token,
        body: { agentRegistry: agent.address, agentId: "1", deadline: "1", signature: "0x" },
        code: "NOT_FOUND",
      },
      "identity.unlinkAgent": mine,
      "identity.metadata": { params: { digest: "0".repeat(64) }, code: "NOT_FOUND" },
      "metadata.identityImage": { params: { holder: agentId! } },
      "metadata.gameNft": nftId,
      "metadata.gameNftImage": nftId,
      "metadata.gameTierImage": { params: { slug: "shellrunners", tier: "1" } },
      "metadata.agentRegistration": {},
      "games.catalog": {},
      "games.get": game,
      "games.runs": { params: { slug: "flappybots" } },
      "replays.get": { params: { gameSessionHash: ended.gameSessionHash! } },
      "auth.nonce": { ...game, body: wallet },
      "auth.verify": {
        ...game,
        body: { message: "not one", signature: `0x${"00".repeat(65)}` },
        code: "VALIDATION_FAILED",
      },
      "auth.refresh": { ...game, body: { refreshToken } },
      "auth.session": { ...game, token },
      "auth.signOut": { ...game, token: leavingToken, body: {} },
      "sessions.start": { ...game, token, body: { source: "agent_api" } },
      "sessions.live": game,
      "sessions.my": { ...game, token },
      "sessions.highScore": { ...game, token },
      "sessions.get": endedSession,
      "sessions.getById": { params: { sessionId: ended.sessionId } },
      "sessions.heartbeat": { ...open, token: otherToken, body: {} },
      "sessions.step": { ...open, token: otherToken, body: {}, code: "SESSION_NOT_LOCKSTEP" },
      "sessions.playToken": { ...open, token: otherToken, body: {} },
      "sessions.spectateToken": { ...open, token, body: {} },
      "sessions.spectateTokenPublic": { ...open, body: {} },
      "console.sessions": CONSOLE,
      "console.sessionAction": {
        ...{ ...CONSOLE, params: { sessionId: ended.sessionId } },
        ...{ body: { action: "end", reason: "a test" }, code: "SESSION_ENDED" },
      },
      "console.transactions": CONSOLE,
      "console.transactionOrder": {
        ...{ ...CONSOLE, params: { transactionId: "unknown" } },
        ...{ body: { action: "bump" }, code: "NOT_FOUND" },
      },
      "console.transactionOrderStatus": { ...CONSOLE, params: { orderId: "unknown" }, code: "NOT_FOUND" },
      "console.signings": CONSOLE,
      "console.payouts": CONSOLE,
      "console.withheld": CONSOLE,
      "console.errors": CONSOLE,
      "console.audit": CONSOLE,
      "console.draining": CONSOLE,
      "console.drain": { ...CONSOLE, body: { draining: false, reason: "a test" } },
      "sessions.end": { params: { slug: "flappybots", sessionId: ending.sessionId }, token: otherToken, body: {} },
      "sessions.replay": endedSession,
      "sessions.transcript": {
        ...endedSession,
        token,
        body: { signature: `0x${"00".repeat(65)}` },
        code: "SIGNATURE_INVALID",
      },
      "rewards.startSession": { token: guestToken, body: { gameSlug: "shellrunners" }, code: "IDENTITY_REQUIRED" },
      "rewards.scorebank": mine,
      "rewards.readiness": mine,
      "rewards.payoutStatus": { params: { payoutId: "x" }, token, code: "NOT_FOUND" },
      "rewards.payoutHistory": mine,
      "relays.get": { params: { relayId: "x" }, token, code: "NOT_FOUND" },
      "relays.gates": {},
      "market.listings": {},
      "market.visibilityMy": mine,
      "voting.status": {},
      "voting.nonce": { body: ballot },
      "voting.vote": {
        body: { ...ballot, nonce: "unknown", signature: `0x${"11".repeat(65)}` },
        code: "NONCE_INVALID",
      },
      "voting.ballots": { query: "?gameSlug=demo-tidepool" },
      "stats.track": { body: { events: [] }, code: "VALIDATION_FAILED" },
      "stats.trackLegacy": { body: { events: [] }, code: "VALIDATION_FAILED" },
      "stats.subscribe": { body: { email: "reader@example.org" } },
      "stats.leaderboard": {},
      "stats.summary": {},
      "stats.tokenomics": {},
      "discovery.openapi": {},
      "discovery.asyncapi": {},
      "discovery.docs": {},
      "discovery.errors": {},
      "discovery.skill": {},
      "discovery.llms": {},
      "operations.healthz": {},
      "operations.readyz": {},
      "operations.status": {},
      "operations.metrics": {},
    };
  }

  it("are told from those that sign, which ask for the head and then for all their facts in one call", () => {
    const calls = Object.entries(askedToSign).map(([path, methods]) => `${path}: ${methods.join(", ")}`);
    expect(calls).to.deep.equal(
      ["/api/identity/register", "/api/rewards/snapshot"].map((path) => `${path}: eth_getBlockByNumber, eth_call`),
    );
  });

  for (const { name } of routes.filter(({ name }) => !(NODE_ROUTES as readonly string[]).includes(name)))
    it(`${name} answers while the node is away, and asks it nothing`, async () => {
      const { code, ...options } = calls[name as keyof Calls] as Call;
      asked.length = 0;
      // It is the one that says that the node is away.
      if (name === "operations.readyz") expect((await stack.request("GET", "/readyz")).status).to.be.oneOf([200, 503]);
      else if (code === undefined) await api.expectSuccess(name, options);
      else await api.expectError(name, code, options);
      expect(asked).to.deep.equal([]);
    });
});
