import { expect } from "chai";
import { type Hex, hashTypedData, recoverTypedDataAddress } from "viem";
import { createReader } from "../../../backend/adapters/chain/reader/reader.ts";
import { createRpc } from "../../../backend/adapters/chain/rpc.ts";
import { systemClock } from "../../../backend/adapters/clock.ts";
import { selectWinners, VOTING_TIMES } from "../../../backend/domain/voting.ts";
import { createAgent, createPlayer, type Player } from "../../helpers/player.ts";
import { type ApiResponse, startTestStack, type TestStack } from "../../helpers/suite.ts";
import { closeWithoutChain, stopChain } from "../support/cut-chain.ts";
import { addEndedSession, withStore } from "../support/plant-session.ts";
import { ShiftClock } from "../support/shift-clock.ts";
import { createTestAccount } from "../support/sign-in.ts";
import { createAuditStamp } from "../support/voting.ts";
import { createRouteTester } from "../support/watch-routes.ts";

const GAME = "demo-tidepool";
const OTHER_GAME = "demo-kelpkart";
/** A score for which the reference bot plays well over 10 s. */
const LONG = { minScore: 300 };

describe("community voting", () => {
  const clock = new ShiftClock();
  let stack: TestStack;
  let agent: Player;
  const api = createRouteTester(() => stack);
  api.checkCodesAfterAll(["voting.status", "voting.nonce", "voting.vote", "voting.ballots"]);

  before(async () => {
    stack = await startTestStack({ clock, env: { ARCADE_AUTH_ALLOW_ERC1271: "true" } });
    agent = await createAgent(stack);
  });
  after(() => closeWithoutChain(stack));

  type Account = ReturnType<typeof createTestAccount>;
  interface Voter {
    readonly address: Hex;
    sign(typedData: ApiResponse["body"]): Promise<Hex>;
  }
  const human = (number: number): Voter => {
    const account: Account = createTestAccount(number);
    return { address: account.address, sign: (typedData) => account.signTypedData(typedData) };
  };
  const agentVoter = (player: Player): Voter => ({
    address: player.address,
    sign: (typedData) => player.wallet.signTypedData!(typedData),
  });

  const createBallotRequest = (voter: Voter, voteSource = "human", gameSlug = GAME) => ({
    walletAddress: voter.address,
    gameSlug,
    voteSource,
  });

  /** A signed ballot, ready to send. */
  async function prepare(voter: Voter, voteSource = "human", gameSlug = GAME) {
    const ballot = createBallotRequest(voter, voteSource, gameSlug);
    const { body } = await api.expectSuccess("voting.nonce", { body: ballot });
    return { ...ballot, nonce: body.nonce as string, signature: await voter.sign(body.typedData) };
  }
  const cast = async (voter: Voter, voteSource = "human", gameSlug = GAME): Promise<ApiResponse> =>
    api.call("voting.vote", { body: await prepare(voter, voteSource, gameSlug) });

  const status = async (gameSlug = GAME) =>
    (await api.expectSuccess("voting.status", { query: `?gameSlug=${gameSlug}` })).body;

  it("the local service starts with an open demonstration cycle of two candidates", async () => {
    const { body } = await api.expectSuccess("voting.status");
    expect(body.cycle).to.include({ id: 1, state: "open" });
    expect(Date.parse(body.cycle.closesAt)).to.be.greaterThan(Date.now());
    expect(body.games.map(({ gameSlug }: { gameSlug: string }) => gameSlug)).to.have.members([GAME, OTHER_GAME]);
    expect(body.games[0]).to.include({ totalVotes: 0, humanVotes: 0, aiAgentVotes: 0 });
    expect(await status()).to.deep.include({ gameSlug: GAME, cycle: body.cycle, totalVotes: 0 });
  });

  it("the nonce comes with a complete ballot to sign", async () => {
    const voter = human(1);
    const { body } = await api.expectSuccess("voting.nonce", { body: createBallotRequest(voter) });
    expect(body.typedData.primaryType).to.equal("Vote");
    expect(body.typedData.domain).to.deep.equal({ name: "AgentArcadeVoting", version: "1", chainId: 31337 });
    expect(body.typedData.message).to.deep.equal({ ...createBallotRequest(voter), nonce: body.nonce, cycleId: "1" });
    expect(body.nonce).to.match(/^[0-9a-f]{32}$/);
    expect(Date.parse(body.expiresAt) - Date.now()).to.be.within(290_000, 300_000);
  });

  it("a live game and an unknown one are not candidates", async () => {
    for (const gameSlug of ["shellrunners", "flappy", "nope", "constructor"]) {
      const ballot = createBallotRequest(human(1), "human", gameSlug);
      await api.expectError("voting.status", "GAME_NOT_FOUND", { query: `?gameSlug=${gameSlug}` });
      await api.expectError("voting.nonce", "GAME_NOT_FOUND", { body: ballot });
      await api.expectError("voting.vote", "GAME_NOT_FOUND", { body: { ...ballot, nonce: "n", signature: "0x00" } });
      await api.expectError("voting.ballots", "GAME_NOT_FOUND", { query: `?gameSlug=${gameSlug}` });
    }
    const rejected = await api.expectError("voting.status", "GAME_NOT_FOUND", { query: "?gameSlug=nope" });
    expect(rejected.body.games).to.have.members([GAME, OTHER_GAME]);
  });

  it("a game that only applied is hidden", async () => {
    await withStore(stack, (store) =>
      store.voting.addCandidate(
        { slug: "reef", title: "Reef", developer: "R", url: "https://example.org" },
        createAuditStamp("tester"),
      ),
    );
    await api.expectError("voting.status", "GAME_NOT_FOUND", { query: "?gameSlug=reef" });
    await api.expectError("voting.nonce", "GAME_NOT_FOUND", { body: createBallotRequest(human(1), "human", "reef") });
  });

  it("votes of humans and agents are counted separately", async () => {
    expect((await cast(human(1))).body).to.include({ recorded: true, totalVotes: 1, humanVotes: 1, aiAgentVotes: 0 });
    await addEndedSession(stack, { wallet: agent.address, ...LONG });
    expect((await cast(agentVoter(agent), "ai_agent")).body).to.include({
      recorded: true,
      totalVotes: 2,
      humanVotes: 1,
      aiAgentVotes: 1,
    });
    expect(await status()).to.include({ totalVotes: 2, humanVotes: 1, aiAgentVotes: 1 });
    expect(await status(OTHER_GAME)).to.include({ totalVotes: 0 });
  });

  it("a wallet has one vote per game over all sources", async () => {
    await api.expectError("voting.vote", "ALREADY_VOTED", { body: await prepare(human(1)) });
    await api.expectError("voting.vote", "ALREADY_VOTED", { body: await prepare(agentVoter(agent), "human") });
    expect((await cast(human(1), "human", OTHER_GAME)).body).to.include({ recorded: true, totalVotes: 1 });
    expect(await status()).to.include({ totalVotes: 2 });
  });

  it("one of ten simultaneous votes of a wallet is recorded, and one of ten on one nonce", async () => {
    const voter = human(2);
    const bodies = await Promise.all(Array.from({ length: 10 }, () => prepare(voter)));
    const responses = await Promise.all(bodies.map((body) => api.call("voting.vote", { body })));
    expect(responses.map(({ body }) => body.code ?? "recorded").sort()).to.deep.equal([
      ...Array<string>(9).fill("ALREADY_VOTED"),
      "recorded",
    ]);
    const body = await prepare(human(3));
    const same = await Promise.all(Array.from({ length: 10 }, () => api.call("voting.vote", { body })));
    expect(same.map((response) => response.body.code ?? "recorded").sort()).to.deep.equal([
      ...Array<string>(9).fill("NONCE_USED"),
      "recorded",
    ]);
    expect(await status()).to.include({ totalVotes: 4, humanVotes: 3 });
  });

  it("a nonce is accepted once, for its own ballot", async () => {
    const voter = human(4);
    const ballot = await prepare(voter);
    await api.expectError("voting.vote", "NONCE_INVALID", { body: { ...ballot, nonce: "0".repeat(32) } });
    await api.expectError("voting.vote", "NONCE_INVALID", { body: { ...ballot, walletAddress: human(5).address } });
    await api.expectError("voting.vote", "NONCE_INVALID", { body: { ...ballot, gameSlug: OTHER_GAME } });
    await api.expectError("voting.vote", "NONCE_INVALID", { body: { ...ballot, voteSource: "ai_agent" } });
    const signIn = await api.expectSuccess("auth.nonce", {
      params: { slug: "shellrunners" },
      body: { walletAddress: voter.address },
    });
    await api.expectError("voting.vote", "NONCE_INVALID", { body: { ...ballot, nonce: signIn.body.nonce } });
    await api.expectSuccess("voting.vote", { body: ballot });
    await api.expectError("voting.vote", "NONCE_USED", { body: ballot });
  });

  it("a voting nonce cannot be used to sign in", async () => {
    const { nonce } = await prepare(human(5));
    expect(await withStore(stack, (store) => store.auth.findNonce(nonce))).to.include({ purpose: "vote" });
  });

  it("a voting nonce expires", async () => {
    const ballot = await prepare(human(5));
    await clock.runWithWallShift(VOTING_TIMES.nonceTtlSeconds * 1000 + 1000, () =>
      api.expectError("voting.vote", "NONCE_EXPIRED", { body: ballot }),
    );
  });

  it("a ballot that the wallet did not sign is rejected and uses the nonce up", async () => {
    const voter = human(6);
    const { body: given } = await api.expectSuccess("voting.nonce", { body: createBallotRequest(voter) });
    const body = { ...createBallotRequest(voter), nonce: given.nonce };
    const { typedData } = given;
    const elsewhere = { ...typedData, domain: { ...typedData.domain, chainId: 1 } };
    const forged = await human(7).sign(typedData);
    const rejected = await api.expectError("voting.vote", "SIGNATURE_INVALID", {
      body: { ...body, signature: forged },
    });
    expect(rejected.body).to.include({ expected: voter.address, received: human(7).address });
    await api.expectError("voting.vote", "NONCE_USED", { body: { ...body, signature: await voter.sign(typedData) } });
    const wrong: ((typedData: ApiResponse["body"]) => Promise<string>)[] = [
      (data) => voter.sign({ ...data, message: { ...data.message, gameSlug: OTHER_GAME } }),
      (data) => voter.sign({ ...data, message: { ...data.message, cycleId: "2" } }),
      () => voter.sign(elsewhere),
      async () => "0x",
      async (data) => `${await voter.sign(data)}00`,
    ];
    for (const sign of wrong) {
      const next = await api.expectSuccess("voting.nonce", { body: createBallotRequest(voter) });
      const signature = await sign(next.body.typedData);
      await api.expectError("voting.vote", "SIGNATURE_INVALID", {
        body: { ...createBallotRequest(voter), nonce: next.body.nonce, signature },
      });
    }
  });

  it("a contract wallet can vote (ERC-1271)", async () => {
    // The code returns the magic value for every signature.
    const code = "0x631626ba7e60e01b60005260206000f3";
    const wallet = "0x00000000000000000000000000000000C0De1273";
    await stack.chain.request("hardhat_setCode", [wallet, code]);
    const address = (
      await api.expectSuccess("voting.nonce", {
        body: { ...createBallotRequest(human(1)), walletAddress: wallet.toLowerCase() },
      })
    ).body.typedData.message.walletAddress as Hex;
    const voter: Voter = { address, sign: async () => "0x01" };
    expect((await cast(voter, "human", OTHER_GAME)).body).to.include({ recorded: true });
    const vote = await withStore(stack, (store) => store.voting.listBallots(OTHER_GAME, { page: 1, limit: 100 }));
    expect(vote.items.find(({ wallet: owner }) => owner === address)).to.include({ proof: "contract" });
  });

  async function getReasons(player: Player): Promise<string[]> {
    const body = await prepare(agentVoter(player), "ai_agent");
    const rejected = await api.expectError("voting.vote", "VOTE_NOT_ELIGIBLE", { body });
    await api.expectError("voting.vote", "NONCE_USED", { body });
    return rejected.body.reasons;
  }

  it("an agent's vote needs an identity and a verified session, and the error says which is missing", async () => {
    const unregisteredWallet = await createPlayer(stack);
    expect(await getReasons(unregisteredWallet)).to.deep.equal(["IDENTITY_NOT_HELD", "NO_VERIFIED_SESSION"]);
    await addEndedSession(stack, { wallet: unregisteredWallet.address, ...LONG });
    expect(await getReasons(unregisteredWallet)).to.deep.equal(["IDENTITY_NOT_HELD"]);
  });

  it("an agent's vote needs a verified session of 10 s", async () => {
    const player = await createAgent(stack);
    expect(await getReasons(player)).to.deep.equal(["NO_VERIFIED_SESSION"]);
    await addEndedSession(stack, { wallet: player.address, minScore: 0 });
    await addEndedSession(stack, { wallet: player.address, ...LONG, source: "browser_ws" });
    expect(await getReasons(player), "too short, and practice").to.deep.equal(["NO_VERIFIED_SESSION"]);
    await addEndedSession(stack, { wallet: player.address, ...LONG, claimedScore: 999_999 });
    expect(await getReasons(player), "a lie").to.deep.equal(["NO_VERIFIED_SESSION"]);
    await addEndedSession(stack, { wallet: player.address, ...LONG });
    expect((await cast(agentVoter(player), "ai_agent")).body).to.include({ recorded: true });
  });

  it("the chain reader reads the holder of an identity at an earlier block", async () => {
    const { rpcUrl } = stack.chain;
    const { deployment } = stack;
    const rpc = createRpc({ rpcUrl, chainId: 31337, clock: systemClock });
    const reader = createReader({ rpc, deployment });
    const before = (await reader.getHead()).number;
    const player = await createAgent(stack);
    const after = (await reader.getHead()).number;
    expect(await reader.getPrimaryIdentityAt(player.address, before)).to.equal(null);
    expect(await reader.getPrimaryIdentityAt(player.address, after)).to.equal(
      await reader.getPrimaryIdentity(player.address),
    );
    // A block whose state the node does not have.
    const readError = await reader
      .getPrimaryIdentityAt(player.address, after + 1_000_000)
      .catch((error: unknown) => error);
    expect(readError).to.include({ code: "CHAIN_UNAVAILABLE" });
    expect(await reader.getPrimaryIdentity(player.address), "the node itself is well").to.be.a("bigint");
  });

  it("a repeated vote gets the stored response under its idempotency key", async () => {
    const body = await prepare(human(8));
    const headers = { "Idempotency-Key": "one-vote" };
    const first = await api.expectSuccess("voting.vote", { body, headers });
    const again = await api.expectSuccess("voting.vote", { body, headers });
    expect({ ...again.body, requestId: "" }).to.deep.equal({ ...first.body, requestId: "" });
  });

  it("the ballots are secret while the cycle is open", async () => {
    const { body } = await api.expectSuccess("voting.ballots", { query: `?gameSlug=${GAME}` });
    expect(body).to.deep.include({ published: false, items: [], total: 0 });
  });

  it("the cycle closes by the clock", async () => {
    const ballot = await prepare(human(9));
    const { cycle } = await status();
    const leftMs = Date.parse(cycle.closesAt) - Date.now();
    await clock.runWithWallShift(leftMs - 60_000, () =>
      status().then((body) => expect(body.cycle.state).to.equal("open")),
    );
    await clock.runWithWallShift(leftMs, async () => {
      expect((await status()).cycle.state).to.equal("closed");
      expect((await api.expectSuccess("voting.status")).body).to.deep.include({ cycle: null, games: [] });
      await api.expectError("voting.nonce", "VOTING_CLOSED", { body: createBallotRequest(human(9)) });
    });
    expect((await api.call("voting.vote", { body: ballot })).status).to.equal(200);
  });

  it("the operator closes the cycle, and ballots signed before are rejected", async () => {
    const ballot = await prepare(human(10));
    const closed = await withStore(stack, (store) =>
      store.voting.closeCycle((tallies) => selectWinners(tallies, 1), createAuditStamp("tester")),
    );
    expect(closed?.winners).to.deep.equal([GAME]);
    const rejected = await api.expectError("voting.vote", "VOTING_CLOSED", { body: ballot });
    expect(rejected.body.cycle).to.include({ id: 1, state: "closed" });
    await api.expectError("voting.vote", "NONCE_USED", { body: ballot });
    await api.expectError("voting.nonce", "VOTING_CLOSED", { body: createBallotRequest(human(10)) });
  });

  it("anyone can recount a closed cycle from its ballots", async () => {
    const wanted = await status();
    expect(wanted.cycle.state).to.equal("closed");
    const counts = { human: 0, ai_agent: 0 };
    const wallets = new Set<string>();
    const nonces = new Set<string>();
    let total = Number.POSITIVE_INFINITY;
    for (let page = 1; wallets.size < total; page += 1) {
      const { body } = await api.expectSuccess("voting.ballots", { query: `?gameSlug=${GAME}&limit=3&page=${page}` });
      expect(body.items, `page ${page}`).to.not.be.empty;
      total = body.total;
      for (const { message, signature, walletAddress, voteSource, proof } of body.items) {
        const signed = { ...body.typedData, message };
        expect(proof).to.equal("key");
        expect(await recoverTypedDataAddress({ ...signed, signature }), hashTypedData(signed)).to.equal(walletAddress);
        expect(message).to.include({ walletAddress, voteSource, gameSlug: GAME, cycleId: String(body.cycle.id) });
        wallets.add(walletAddress);
        nonces.add(message.nonce);
        counts[voteSource as keyof typeof counts] += 1;
      }
    }
    expect(nonces.size).to.equal(wallets.size);
    expect(counts).to.deep.equal({ human: wanted.humanVotes, ai_agent: wanted.aiAgentVotes });
    expect(wallets.size).to.equal(wanted.totalVotes);
    expect(wanted.aiAgentVotes).to.equal(2);
  });

  it("the nonce stays valid when the chain does not respond", async () => {
    await withStore(stack, async ({ voting }) => {
      await voting.moveCandidate("reef", { from: ["applied"], to: "approved", note: null }, createAuditStamp("tester"));
      const times = { openingBlock: 1, opensAtMs: Date.now(), closesAtMs: Date.now() + 60_000 };
      expect(await voting.openCycle(times, ["reef"], createAuditStamp("tester"))).to.include({ outcome: "opened" });
    });
    expect((await api.expectSuccess("voting.status")).body).to.deep.nested.include({
      "cycle.id": 2,
      "games[0].gameSlug": "reef",
    });
    const body = await prepare(agentVoter(agent), "ai_agent", "reef");
    await stopChain(stack);
    // Only a contract could have made the signature, and only the chain knows whether the wallet is one.
    const { signature } = await prepare(human(12), "human", "reef");
    await api.expectError("voting.vote", "CHAIN_UNAVAILABLE", { body: { ...body, signature } });
    const nonce = await withStore(stack, (store) => store.auth.findNonce(body.nonce));
    expect(nonce).to.include({ usedAtMs: null });
    expect((await api.expectSuccess("voting.vote", { body })).body).to.include({ recorded: true, totalVotes: 1 });
    expect((await cast(human(11), "human", "reef")).body).to.include({ recorded: true, totalVotes: 2 });
  });
});
