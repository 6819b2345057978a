import { expect } from "chai";
import { hashTypedData, recoverTypedDataAddress } from "viem";
import { selectWinners } from "../../../domain/voting.ts";
import { addEndedSession, withStore } from "../../../testing/ended-session.ts";
import { createAgent, createPlayer, type Player } from "../../../testing/player.ts";
import { useShared } from "../../helpers/fixture.ts";
import { useTestStack } from "../../helpers/suite.ts";
import { closeWithoutChain, stopChain } from "../support/cut-chain.ts";
import { ShiftClock } from "../support/shift-clock.ts";
import { SHOWN_BY } from "../support/shown-elsewhere.ts";
import {
  createAuditStamp,
  createBallotRequest,
  createVotingActions,
  GAME,
  human,
  OTHER_GAME,
  type Voter,
} from "../support/voting.ts";
import { createRouteTester } from "../support/watch-routes.ts";

/** A score for which the reference bot plays well over 10 s. */
const LONG = { minScore: 300 };

describe("community voting", () => {
  const clock = new ShiftClock();
  const api = createRouteTester(() => stack);
  const { prepare, cast } = createVotingActions(api);

  const stack = useTestStack({ clock, env: { ARCADE_AUTH_ALLOW_ERC1271: "true" } }, closeWithoutChain);
  const agent = useShared(() => createAgent(stack));
  api.checkCodesAfterAll(["voting.status", "voting.nonce", "voting.vote", "voting.ballots"], SHOWN_BY.ballots);

  const agentVoter = (player: Player): Voter => ({
    address: player.address,
    sign: (typedData) => player.wallet.signTypedData!(typedData),
  });
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

  async function getReasons(player: Player): Promise<string[]> {
    const body = await prepare(agentVoter(player), "ai_agent");
    const rejected = await api.expectError("voting.vote", "VOTE_NOT_ELIGIBLE", { body });
    await api.expectError("voting.vote", "NONCE_USED", { body });
    return rejected.body.reasons;
  }

  it("an agent's vote needs an identity and a verified session, and the error reports which is missing", async () => {
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

  it("the operator closes the cycle, and earlier signed ballots are rejected", async () => {
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
      const { body } = await api.expectSuccess("voting.ballots", { query: `?gameSlug=${GAME}&limit=2&page=${page}` });
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
    // Only a contract wallet could have made the signature, and only the chain shows whether it is one.
    const { signature } = await prepare(human(12), "human", "reef");
    await api.expectError("voting.vote", "CHAIN_UNAVAILABLE", { body: { ...body, signature } });
    const nonce = await withStore(stack, (store) => store.auth.findNonce(body.nonce));
    expect(nonce).to.include({ usedAtMs: null });
    expect((await api.expectSuccess("voting.vote", { body })).body).to.include({ recorded: true, totalVotes: 1 });
    expect((await cast(human(11), "human", "reef")).body).to.include({ recorded: true, totalVotes: 2 });
  });
});
