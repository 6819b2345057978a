import { expect } from "chai";
import type { Hex } from "viem";
import { VOTING_TIMES } from "../../../domain/voting.ts";
import { withStore } from "../../../testing/ended-session.ts";
import { type ApiResponse, useTestStack } from "../../helpers/suite.ts";
import { ShiftClock } from "../support/shift-clock.ts";
import { SHOWN_BY } from "../support/shown-elsewhere.ts";
import { createBallotRequest, createVotingActions, human, OTHER_GAME, type Voter } from "../support/voting.ts";
import { createRouteTester } from "../support/watch-routes.ts";

describe("a ballot", () => {
  const clock = new ShiftClock();
  const api = createRouteTester(() => stack);
  const { prepare, cast } = createVotingActions(api);
  const stack = useTestStack({ clock, env: { ARCADE_AUTH_ALLOW_ERC1271: "true" } });
  api.checkShownAfterAll(SHOWN_BY.ballots);

  it("the nonce comes with a complete ballot to sign", async () => {
    const voter = human(1);
    const { body } = await api.expectSuccess("voting.nonce", { body: createBallotRequest(voter) });
    expect(body.typedData.primaryType).to.equal("Vote");
    expect(body.typedData.domain).to.deep.equal({ name: "AgentArcadeVoting", version: "1", chainId: 31337 });
    expect(body.typedData.message).to.deep.equal({ ...createBallotRequest(voter), nonce: body.nonce, cycleId: "1" });
    expect(body.nonce).to.match(/^[0-9a-f]{32}$/);
    expect(Date.parse(body.expiresAt) - Date.now()).to.be.within(290_000, 300_000);
  });

  it("a nonce is accepted once, for its ballot", async () => {
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

  it("a ballot that the wallet did not sign is rejected and uses up the nonce", async () => {
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

  it("a repeated vote gets the stored response under its idempotency key", async () => {
    const body = await prepare(human(8));
    const headers = { "Idempotency-Key": "one-vote" };
    const first = await api.expectSuccess("voting.vote", { body, headers });
    const again = await api.expectSuccess("voting.vote", { body, headers });
    expect(again.body).to.deep.equal(first.body);
  });
});
