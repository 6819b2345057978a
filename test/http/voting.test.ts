import { expect } from "chai";
import { type Hex, hashTypedData, recoverTypedDataAddress } from "viem";
import { createReader } from "../../backend/adapters/chain/reader.ts";
import { createRpc } from "../../backend/adapters/chain/rpc.ts";
import { systemClock } from "../../backend/adapters/clock.ts";
import { VOTING_TIMES, winnersOf } from "../../backend/domain/voting.ts";
import { makeAgent, makePlayer, type Player } from "../helpers/player.ts";
import { type Answer, type Suite, startSuite } from "../helpers/suite.ts";
import { cutChain, endWithoutChain } from "./support/cut-chain.ts";
import { plantSession, withStore } from "./support/plant-session.ts";
import { ShiftClock } from "./support/shift-clock.ts";
import { accountOf } from "./support/sign-in.ts";
import { stampOf } from "./support/voting.ts";
import { watchRoutes } from "./support/watch-routes.ts";

const GAME = "demo-tidepool";
const OTHER_GAME = "demo-kelpkart";
/** A score for which the reference bot plays well over 10 s. */
const LONG = { minScore: 300 };

describe("community voting", () => {
  const clock = new ShiftClock();
  let suite: Suite;
  let agent: Player;
  const api = watchRoutes(() => suite);

  before(async () => {
    suite = await startSuite({ clock, env: { ARCADE_AUTH_ALLOW_ERC1271: "true" } });
    agent = await makeAgent(suite);
  });
  after(() => endWithoutChain(suite));

  type Account = ReturnType<typeof accountOf>;
  interface Voter {
    readonly address: Hex;
    sign(typedData: Answer["body"]): Promise<Hex>;
  }
  const human = (number: number): Voter => {
    const account: Account = accountOf(number);
    return { address: account.address, sign: (typedData) => account.signTypedData(typedData) };
  };
  const agentVoter = (player: Player): Voter => ({
    address: player.address,
    sign: (typedData) => player.wallet.signTypedData!(typedData),
  });

  const ballotOf = (voter: Voter, voteSource = "human", gameSlug = GAME) => ({
    walletAddress: voter.address,
    gameSlug,
    voteSource,
  });

  /** A signed ballot, ready to send. */
  async function prepare(voter: Voter, voteSource = "human", gameSlug = GAME) {
    const ballot = ballotOf(voter, voteSource, gameSlug);
    const { body } = await api.succeed("voting.nonce", { body: ballot });
    return { ...ballot, nonce: body.nonce as string, signature: await voter.sign(body.typedData) };
  }
  const cast = async (voter: Voter, voteSource = "human", gameSlug = GAME): Promise<Answer> =>
    api.call("voting.vote", { body: await prepare(voter, voteSource, gameSlug) });

  const status = async (gameSlug = GAME) =>
    (await api.succeed("voting.status", { query: `?gameSlug=${gameSlug}` })).body;

  it("starts with an open demonstration cycle of two candidates", async () => {
    const { body } = await api.succeed("voting.status");
    expect(body.cycle).to.include({ id: 1, state: "open" });
    expect(Date.parse(body.cycle.closesAt)).to.be.greaterThan(Date.now());
    expect(body.games.map(({ gameSlug }: { gameSlug: string }) => gameSlug)).to.have.members([GAME, OTHER_GAME]);
    expect(body.games[0]).to.include({ totalVotes: 0, humanVotes: 0, aiAgentVotes: 0 });
    expect(await status()).to.deep.include({ gameSlug: GAME, cycle: body.cycle, totalVotes: 0 });
  });

  it("hands out a ballot that says everything it is about", async () => {
    const voter = human(1);
    const { body } = await api.succeed("voting.nonce", { body: ballotOf(voter) });
    expect(body.typedData.primaryType).to.equal("Vote");
    expect(body.typedData.domain).to.deep.equal({ name: "AgentArcadeVoting", version: "1", chainId: 31337 });
    expect(body.typedData.message).to.deep.equal({ ...ballotOf(voter), nonce: body.nonce, cycleId: "1" });
    expect(body.nonce).to.match(/^[0-9a-f]{32}$/);
    expect(Date.parse(body.expiresAt) - Date.now()).to.be.within(290_000, 300_000);
  });

  it("knows neither live games nor unknown ones", async () => {
    for (const gameSlug of ["shellrunners", "flappy", "nope", "constructor"]) {
      const ballot = ballotOf(human(1), "human", gameSlug);
      await api.refuse("voting.status", "GAME_NOT_FOUND", { query: `?gameSlug=${gameSlug}` });
      await api.refuse("voting.nonce", "GAME_NOT_FOUND", { body: ballot });
      await api.refuse("voting.vote", "GAME_NOT_FOUND", { body: { ...ballot, nonce: "n", signature: "0x00" } });
      await api.refuse("voting.ballots", "GAME_NOT_FOUND", { query: `?gameSlug=${gameSlug}` });
    }
    const refused = await api.refuse("voting.status", "GAME_NOT_FOUND", { query: "?gameSlug=nope" });
    expect(refused.body.games).to.have.members([GAME, OTHER_GAME]);
  });

  it("hides games that only applied", async () => {
    await withStore(suite, (store) =>
      store.voting.apply(
        { slug: "reef", title: "Reef", developer: "R", url: "https://example.org" },
        stampOf("tester"),
      ),
    );
    await api.refuse("voting.status", "GAME_NOT_FOUND", { query: "?gameSlug=reef" });
    await api.refuse("voting.nonce", "GAME_NOT_FOUND", { body: ballotOf(human(1), "human", "reef") });
  });

  it("counts humans and agents apart", async () => {
    expect((await cast(human(1))).body).to.include({ recorded: true, totalVotes: 1, humanVotes: 1, aiAgentVotes: 0 });
    await plantSession(suite, { wallet: agent.address, ...LONG });
    expect((await cast(agentVoter(agent), "ai_agent")).body).to.include({
      recorded: true,
      totalVotes: 2,
      humanVotes: 1,
      aiAgentVotes: 1,
    });
    expect(await status()).to.include({ totalVotes: 2, humanVotes: 1, aiAgentVotes: 1 });
    expect(await status(OTHER_GAME)).to.include({ totalVotes: 0 });
  });

  it("takes one vote per wallet and game, whatever its source", async () => {
    await api.refuse("voting.vote", "ALREADY_VOTED", { body: await prepare(human(1)) });
    await api.refuse("voting.vote", "ALREADY_VOTED", { body: await prepare(agentVoter(agent), "human") });
    expect((await cast(human(1), "human", OTHER_GAME)).body).to.include({ recorded: true, totalVotes: 1 });
    expect(await status()).to.include({ totalVotes: 2 });
  });

  it("records one of 10 votes of a wallet at once, and one of 10 on one nonce", async () => {
    const voter = human(2);
    const bodies = await Promise.all(Array.from({ length: 10 }, () => prepare(voter)));
    const answers = await Promise.all(bodies.map((body) => api.call("voting.vote", { body })));
    expect(answers.map(({ body }) => body.code ?? "recorded").sort()).to.deep.equal([
      ...Array<string>(9).fill("ALREADY_VOTED"),
      "recorded",
    ]);
    const body = await prepare(human(3));
    const same = await Promise.all(Array.from({ length: 10 }, () => api.call("voting.vote", { body })));
    expect(same.map((answer) => answer.body.code ?? "recorded").sort()).to.deep.equal([
      ...Array<string>(9).fill("NONCE_USED"),
      "recorded",
    ]);
    expect(await status()).to.include({ totalVotes: 4, humanVotes: 3 });
  });

  it("uses a nonce once, for the ballot it was given for", async () => {
    const voter = human(4);
    const ballot = await prepare(voter);
    await api.refuse("voting.vote", "NONCE_INVALID", { body: { ...ballot, nonce: "0".repeat(32) } });
    await api.refuse("voting.vote", "NONCE_INVALID", { body: { ...ballot, walletAddress: human(5).address } });
    await api.refuse("voting.vote", "NONCE_INVALID", { body: { ...ballot, gameSlug: OTHER_GAME } });
    await api.refuse("voting.vote", "NONCE_INVALID", { body: { ...ballot, voteSource: "ai_agent" } });
    const signIn = await api.succeed("auth.nonce", {
      params: { slug: "shellrunners" },
      body: { walletAddress: voter.address },
    });
    await api.refuse("voting.vote", "NONCE_INVALID", { body: { ...ballot, nonce: signIn.body.nonce } });
    await api.succeed("voting.vote", { body: ballot });
    await api.refuse("voting.vote", "NONCE_USED", { body: ballot });
  });

  it("cannot be used to sign in", async () => {
    const { nonce } = await prepare(human(5));
    expect(await withStore(suite, (store) => store.auth.findNonce(nonce))).to.include({ purpose: "vote" });
  });

  it("lets nonces expire", async () => {
    const ballot = await prepare(human(5));
    await clock.at(VOTING_TIMES.nonceTtlSeconds * 1000 + 1000, () =>
      api.refuse("voting.vote", "NONCE_EXPIRED", { body: ballot }),
    );
  });

  it("refuses what the wallet did not sign, and burns the nonce", async () => {
    const voter = human(6);
    const { body: given } = await api.succeed("voting.nonce", { body: ballotOf(voter) });
    const body = { ...ballotOf(voter), nonce: given.nonce };
    const { typedData } = given;
    const elsewhere = { ...typedData, domain: { ...typedData.domain, chainId: 1 } };
    const forged = await human(7).sign(typedData);
    const refused = await api.refuse("voting.vote", "SIGNATURE_INVALID", { body: { ...body, signature: forged } });
    expect(refused.body).to.include({ expected: voter.address, received: human(7).address });
    await api.refuse("voting.vote", "NONCE_USED", { body: { ...body, signature: await voter.sign(typedData) } });
    const wrong: ((typedData: Answer["body"]) => Promise<string>)[] = [
      (data) => voter.sign({ ...data, message: { ...data.message, gameSlug: OTHER_GAME } }),
      (data) => voter.sign({ ...data, message: { ...data.message, cycleId: "2" } }),
      () => voter.sign(elsewhere),
      async () => "0x",
      async (data) => `${await voter.sign(data)}00`,
    ];
    for (const sign of wrong) {
      const next = await api.succeed("voting.nonce", { body: ballotOf(voter) });
      const signature = await sign(next.body.typedData);
      await api.refuse("voting.vote", "SIGNATURE_INVALID", {
        body: { ...ballotOf(voter), nonce: next.body.nonce, signature },
      });
    }
  });

  it("takes a contract wallet's yes (ERC-1271)", async () => {
    // Answers the magic value to every question, whoever signed.
    const code = "0x631626ba7e60e01b60005260206000f3";
    const wallet = "0x00000000000000000000000000000000C0De1273";
    await suite.chain.request("hardhat_setCode", [wallet, code]);
    const address = (
      await api.succeed("voting.nonce", { body: { ...ballotOf(human(1)), walletAddress: wallet.toLowerCase() } })
    ).body.typedData.message.walletAddress as Hex;
    const voter: Voter = { address, sign: async () => "0x01" };
    expect((await cast(voter, "human", OTHER_GAME)).body).to.include({ recorded: true });
    const vote = await withStore(suite, (store) => store.voting.ballots(OTHER_GAME, { page: 1, limit: 100 }));
    expect(vote.items.find(({ wallet: owner }) => owner === address)).to.include({ proof: "contract" });
  });

  async function reasonsOf(player: Player): Promise<string[]> {
    const body = await prepare(agentVoter(player), "ai_agent");
    const refused = await api.refuse("voting.vote", "VOTE_NOT_ELIGIBLE", { body });
    await api.refuse("voting.vote", "NONCE_USED", { body });
    return refused.body.reasons;
  }

  it("takes an agent's vote with an identity and a verified session, and says which is missing", async () => {
    const nobody = await makePlayer(suite);
    expect(await reasonsOf(nobody)).to.deep.equal(["IDENTITY_NOT_HELD", "NO_VERIFIED_SESSION"]);
    await plantSession(suite, { wallet: nobody.address, ...LONG });
    expect(await reasonsOf(nobody)).to.deep.equal(["IDENTITY_NOT_HELD"]);
  });

  it("wants an agent's session of 10 s that can be derived again", async () => {
    const player = await makeAgent(suite);
    expect(await reasonsOf(player)).to.deep.equal(["NO_VERIFIED_SESSION"]);
    await plantSession(suite, { wallet: player.address, minScore: 0 });
    await plantSession(suite, { wallet: player.address, ...LONG, source: "browser_ws" });
    expect(await reasonsOf(player), "too short, and practice").to.deep.equal(["NO_VERIFIED_SESSION"]);
    await plantSession(suite, { wallet: player.address, ...LONG, claimedScore: 999_999 });
    expect(await reasonsOf(player), "a lie").to.deep.equal(["NO_VERIFIED_SESSION"]);
    await plantSession(suite, { wallet: player.address, ...LONG });
    expect((await cast(agentVoter(player), "ai_agent")).body).to.include({ recorded: true });
  });

  it("can read who held an identity at an earlier block", async () => {
    const { rpcUrl } = suite.chain;
    const { deployment } = suite;
    const rpc = createRpc({ rpcUrl, chainId: 31337, clock: systemClock });
    const reader = createReader({ rpc, deployment, confirmations: 1 });
    const before = (await reader.head()).number;
    const player = await makeAgent(suite);
    const after = (await reader.head()).number;
    expect(await reader.identityAt(player.address, before)).to.equal(null);
    expect(await reader.identityAt(player.address, after)).to.equal(await reader.identityOf(player.address));
    // A block whose state the node does not have.
    const fault = await reader.identityAt(player.address, after + 1_000_000).catch((error: unknown) => error);
    expect(fault).to.include({ code: "CHAIN_UNAVAILABLE" });
    expect(await reader.identityOf(player.address), "the node itself is well").to.be.a("bigint");
  });

  it("repeats the stored answer under an idempotency key", async () => {
    const body = await prepare(human(8));
    const headers = { "Idempotency-Key": "one-vote" };
    const first = await api.succeed("voting.vote", { body, headers });
    const again = await api.succeed("voting.vote", { body, headers });
    expect({ ...again.body, requestId: "" }).to.deep.equal({ ...first.body, requestId: "" });
  });

  it("keeps ballots secret while the cycle is open", async () => {
    const { body } = await api.succeed("voting.ballots", { query: `?gameSlug=${GAME}` });
    expect(body).to.deep.include({ published: false, items: [], ballots: [], total: 0 });
  });

  it("closes by the clock", async () => {
    const ballot = await prepare(human(9));
    const { cycle } = await status();
    const leftMs = Date.parse(cycle.closesAt) - Date.now();
    await clock.at(leftMs - 60_000, () => status().then((body) => expect(body.cycle.state).to.equal("open")));
    await clock.at(leftMs, async () => {
      expect((await status()).cycle.state).to.equal("closed");
      expect((await api.succeed("voting.status")).body).to.deep.include({ cycle: null, games: [] });
      await api.refuse("voting.nonce", "VOTING_CLOSED", { body: ballotOf(human(9)) });
    });
    expect((await api.call("voting.vote", { body: ballot })).status).to.equal(200);
  });

  it("closes by the operator, and refuses ballots that were signed before", async () => {
    const ballot = await prepare(human(10));
    const closed = await withStore(suite, (store) =>
      store.voting.close((tallies) => winnersOf(tallies, 1), stampOf("tester")),
    );
    expect(closed?.winners).to.deep.equal([GAME]);
    const refused = await api.refuse("voting.vote", "VOTING_CLOSED", { body: ballot });
    expect(refused.body.cycle).to.include({ id: 1, state: "closed" });
    await api.refuse("voting.vote", "NONCE_USED", { body: ballot });
    await api.refuse("voting.nonce", "VOTING_CLOSED", { body: ballotOf(human(10)) });
  });

  it("lets anybody recount a closed cycle from its ballots", async () => {
    const wanted = await status();
    expect(wanted.cycle.state).to.equal("closed");
    const counts = { human: 0, ai_agent: 0 };
    const wallets = new Set<string>();
    const nonces = new Set<string>();
    let total = Number.POSITIVE_INFINITY;
    for (let page = 1; wallets.size < total; page += 1) {
      const { body } = await api.succeed("voting.ballots", { query: `?gameSlug=${GAME}&limit=3&page=${page}` });
      expect(body.items, `page ${page}`).to.not.be.empty;
      total = body.total;
      for (const { message, signature, walletAddress, voteSource, proof } of body.ballots) {
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

  it("leaves the nonce good where the chain does not answer", async () => {
    await withStore(suite, async ({ voting }) => {
      await voting.move("reef", { from: ["applied"], to: "approved", note: null }, stampOf("tester"));
      const times = { openingBlock: 1, opensAtMs: Date.now(), closesAtMs: Date.now() + 60_000 };
      expect(await voting.open(times, ["reef"], stampOf("tester"))).to.include({ outcome: "opened" });
    });
    expect((await api.succeed("voting.status")).body).to.deep.nested.include({
      "cycle.id": 2,
      "games[0].gameSlug": "reef",
    });
    const body = await prepare(agentVoter(agent), "ai_agent", "reef");
    await cutChain(suite);
    await api.refuse("voting.vote", "CHAIN_UNAVAILABLE", { body });
    const nonce = await withStore(suite, (store) => store.auth.findNonce(body.nonce));
    expect(nonce).to.include({ usedAtMs: null });
    expect((await cast(human(11), "human", "reef")).body).to.include({ recorded: true, totalVotes: 1 });
  });

  it("has shown every code of its routes", () => {
    api.expectComplete(["voting.status", "voting.nonce", "voting.vote", "voting.ballots"]);
  });
});
