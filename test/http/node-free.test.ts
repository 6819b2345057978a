import { AsyncLocalStorage } from "node:async_hooks";
import { Server } from "node:http";
import { expect } from "chai";
import { routes } from "../../backend/http/routes/index.ts";
import { snapshotScore } from "../../client/index.ts";
import type { ErrorCode } from "../../domain/errors.ts";
import { addEndedSession } from "../../testing/ended-session.ts";
import { createAgent, createPlayer, type Player } from "../../testing/player.ts";
import { startTestStack, type TestStack } from "../helpers/suite.ts";
import { watchNode } from "../helpers/watch-node.ts";
import { closeWithoutChain, stopChain } from "./support/cut-chain.ts";
import { createTestAccount } from "./support/sign-in.ts";
import { createRouteTester, type RouteCall } from "./support/watch-routes.ts";

type RouteName = (typeof routes)[number]["name"];

/** Routes that need the chain's node: they sign, send, or read a transaction. */
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

/** A call, and its error code if it cannot succeed here. */
type Call = RouteCall & { readonly code?: ErrorCode };
type Calls = { readonly [name in Exclude<RouteName, (typeof NODE_ROUTES)[number]>]: Call };

const ADMIN_TOKEN = "a token of the operator".replaceAll(" ", "-");
const CONSOLE = { token: ADMIN_TOKEN };
/** The score of the first NFT of flappybots. */
const FIRST_TIER = 160;

/** Requests for the head, and for all facts in one call. */
const ASKED_ONCE = "eth_getBlockByNumber, eth_call";
const ATTEMPTS = 5;

/** Set within the work of a request, since the service also calls the node by itself at any time. */
const inRequest = new AsyncLocalStorage<true>();

describe("routes that never call the chain's node", () => {
  let stack: TestStack;
  let agent: Player;
  let calls: Calls;
  const api = createRouteTester(() => stack);
  const asked: string[] = [];
  /** The node calls of each signing route. */
  const askedToSign: Record<string, string> = {};
  let stopWatching = (): void => undefined;
  const realEmit = Server.prototype.emit;

  before(async () => {
    stack = await startTestStack({ env: { ARCADE_ADMIN_TOKEN: ADMIN_TOKEN } });
    agent = await createAgent(stack);
    calls = await createCalls();
    stopWatching = watchNode(stack.chain.rpcUrl, (requests) => {
      if (!inRequest.getStore()) return;
      // The node's chain id is requested every few seconds in any case.
      asked.push(...requests.map(({ method }) => method).filter((method) => method !== "eth_chainId"));
    });
    Server.prototype.emit = function (this: Server, event: string, ...args: unknown[]) {
      const emit = (): boolean => Reflect.apply(realEmit, this, [event, ...args]);
      return event === "request" ? inRequest.run(true, emit) : emit();
    } as typeof realEmit;
    await askToSign();
    await stopChain(stack);
  });
  after(async () => {
    stopWatching();
    Server.prototype.emit = realEmit;
    await closeWithoutChain(stack);
  });

  async function askToSign(): Promise<void> {
    const { address } = await createPlayer(stack);
    const signed = await addEndedSession(stack, { wallet: agent.address, slug: "flappybots", minScore: 5 });
    const first = await addEndedSession(stack, { wallet: agent.address, slug: "flappybots", minScore: FIRST_TIER });
    await snapshotScore({ client: agent.client, sessionId: first.sessionId });
    const wallet = { walletAddress: agent.address };
    const token = await agent.getAccessToken();
    const requests = [
      ["/api/identity/register", { body: { walletAddress: address, agentName: "Asks" } }],
      ["/api/rewards/snapshot", { token, body: { ...wallet, sessionId: signed.sessionId } }],
      ["/api/games/flappybots/nft/prepare", { token, body: wallet }],
    ] as const;
    for (const [path, options] of requests) {
      const questions: string[] = [];
      for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        asked.length = 0;
        const { status, body } = await stack.request("POST", path, options);
        expect(status, JSON.stringify(body)).to.equal(200);
        expect(body.signature, path).to.be.a("string");
        questions.push(asked.join(", "));
      }
      // The service's background reads may share an HTTP request with those of one call, but hardly with most.
      const withOneCall = questions.filter((each) => each.split("eth_call").length <= 2);
      const isAskedOnce = questions.includes(ASKED_ONCE) && withOneCall.length > ATTEMPTS / 2;
      askedToSign[path] = isAskedOnce ? ASKED_ONCE : questions.join("; ");
    }
  }

  it("answer with the chain's error when the faucet needs it", async () => {
    const { status, body } = await stack.request("POST", "/api/dev/faucet", { body: { address: agent.address } });
    expect(body, JSON.stringify(body)).to.include({ ok: false, code: "CHAIN_UNAVAILABLE", retryable: true });
    expect(status).to.equal(503);
  });

  /** The signed message of a sign-in. */
  async function signIn(): Promise<object> {
    const account = createTestAccount(1);
    const { body } = await stack.request("POST", "/api/games/shellrunners/auth/nonce", {
      body: { walletAddress: account.address },
    });
    return { message: body.message, signature: await account.signMessage({ message: body.message }) };
  }

  /** A signed ballot. */
  async function vote(): Promise<object> {
    const account = createTestAccount(2);
    const ballot = { walletAddress: account.address, gameSlug: "demo-tidepool", voteSource: "human" };
    const { body } = await stack.request("POST", "/api/voting/nonce", { body: ballot });
    return { ...ballot, nonce: body.nonce, signature: await account.signTypedData(body.typedData) };
  }

  /** Sessions, tokens and ids for every route. The compiler requires a new route to be here or in `NODE_ROUTES`. */
  async function createCalls(): Promise<Calls> {
    const token = await agent.getAccessToken();
    const guest = await createPlayer(stack);
    await guest.getAccessToken();
    const leaving = await createPlayer(stack);
    const leavingToken = await leaving.getAccessToken();
    const { refreshToken } = guest.client.signIn.credentials()!;
    const ended = await addEndedSession(stack, { wallet: agent.address, slug: "flappybots", minScore: 5 });
    const other = await createAgent(stack);
    const otherToken = await other.getAccessToken();
    const startingToken = await (await createAgent(stack)).getAccessToken();
    const running = await other.client.sessions.start({ slug: "shellrunners", source: "agent_api" });
    const ending = await other.client.sessions.start({ slug: "flappybots", source: "agent_api" });
    const { agentId, tokenURI } = await agent.client.identity.ownershipStatus({ walletAddress: agent.address });
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
      "identity.metadata": { params: { digest: "0".repeat(64) }, code: "NOT_FOUND" },
      "identity.registrationFile": { params: { digest: /[0-9a-f]{64}/.exec(tokenURI!)![0] } },
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
      "auth.verify": { ...game, body: await signIn() },
      "auth.refresh": { ...game, body: { refreshToken } },
      "auth.session": { ...game, token },
      "auth.signOut": { ...game, token: leavingToken, body: {} },
      "sessions.start": { ...game, token, body: { source: "agent_api" } },
      "sessions.live": game,
      "sessions.demo": game,
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
        ...CONSOLE,
        params: { sessionId: ended.sessionId },
        body: { action: "end", reason: "a test" },
        code: "SESSION_ENDED",
      },
      "console.transactions": CONSOLE,
      "console.transactionOrder": {
        ...CONSOLE,
        params: { transactionId: "unknown" },
        body: { action: "bump" },
        code: "NOT_FOUND",
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
      "rewards.startSession": { token: startingToken, body: { gameSlug: "shellrunners" } },
      "rewards.scorebank": mine,
      "rewards.readiness": mine,
      "rewards.payoutStatus": { params: { payoutId: "x" }, token, code: "NOT_FOUND" },
      "rewards.payoutHistory": mine,
      "relays.get": { params: { relayId: "x" }, token, code: "NOT_FOUND" },
      "relays.gates": {},
      "market.listings": {},
      "market.visibilityMy": mine,
      "league.current": game,
      "league.submit": { ...game, token, body: { text: "() => null" } },
      "league.mine": { ...game, token },
      "league.course": { params: { slug: "shellrunners", course: "1" }, token },
      "league.decide": { params: { slug: "shellrunners", course: "1" }, token, body: { decision: 1 } },
      "league.round": { params: { slug: "shellrunners", season: "1" }, code: "ROUND_NOT_FOUND" },
      "voting.status": {},
      "voting.nonce": { body: ballot },
      "voting.vote": { body: await vote() },
      "voting.ballots": { query: "?gameSlug=demo-tidepool" },
      "stats.track": { body: { events: [] }, code: "VALIDATION_FAILED" },
      "stats.trackLegacy": { body: { events: [] }, code: "VALIDATION_FAILED" },
      "stats.subscribe": { body: { email: "reader@example.org" } },
      "stats.leaderboard": {},
      "stats.search": { query: "?q=a" },
      "stats.summary": {},
      "stats.tokenomics": {},
      "discovery.openapi": {},
      "discovery.asyncapi": {},
      "discovery.docs": {},
      "discovery.errors": {},
      "discovery.skill": {},
      "discovery.llms": {},
      "discovery.guideAgents": {},
      "discovery.guideRules": {},
      "discovery.guideReplays": {},
      "discovery.guideSigning": {},
      "discovery.guideTraining": {},
      "operations.healthz": {},
      "operations.readyz": {},
      "operations.status": {},
      "operations.metrics": {},
    };
  }

  it("differ from those that sign, which request the head and then all their facts in one call", () => {
    expect(Object.values(askedToSign)).to.deep.equal([ASKED_ONCE, ASKED_ONCE, ASKED_ONCE]);
  });

  for (const { name } of routes.filter(({ name }) => !(NODE_ROUTES as readonly string[]).includes(name)))
    it(`${name} answers while the node is unavailable, without calling it`, async () => {
      const { code, ...options } = calls[name as keyof Calls] as Call;
      asked.length = 0;
      // This route reports that the node is unavailable.
      if (name === "operations.readyz") expect((await stack.request("GET", "/readyz")).status).to.be.oneOf([200, 503]);
      else if (code === undefined) await api.expectSuccess(name, options);
      else await api.expectError(name, code, options);
      expect(asked).to.deep.equal([]);
    });
});
