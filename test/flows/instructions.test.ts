import { expect } from "chai";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { AGENT_LOOP } from "../../backend/domain/agent-loop.ts";
import type { Bot } from "../../backend/games/game.ts";
import { findGame } from "../../backend/games/index.ts";
import { routes } from "../../backend/http/routes/index.ts";
import type { Instructions } from "../../client/types.ts";
import { makeFastClock } from "../helpers/fast-clock.ts";
import { followInstructions, type Taken } from "../helpers/instructed-agent.ts";
import { type Suite, startSuite } from "../helpers/suite.ts";

/** Fields of an answer that say whether a call was needed; the example shows the way on which it was. */
const MAY_LACK = new Set(["practiceToken"]);

const SLUG = "flappybots";

/** Plays well until the first NFT tier is reached, then lets itself fall. */
function tierBot(): Bot {
  const { bots, nft } = findGame(SLUG)!;
  const play = bots.reference();
  return (frame) => (frame.score.current < nft.tiers[0]!.minScore ? play(frame) : null);
}

describe("an agent that knows only /api/agent-instructions", () => {
  let suite: Suite;
  let taken: Taken[];
  let values: { readonly [name: string]: unknown };
  async function liveOnce() {
    const account = privateKeyToAccount(generatePrivateKey());
    await suite.request("POST", "/api/dev/faucet", { body: { address: account.address } });
    const answer = await suite.request("GET", "/api/agent-instructions");
    return followInstructions({
      instructions: answer.body as Instructions,
      account,
      slug: SLUG,
      bot: tierBot,
      // The cooldown before a payout passes on the chain, not in the test.
      before: async ({ title }) => {
        if (title !== "Check readiness") return;
        await suite.chain.request("evm_increaseTime", [6]);
        await suite.chain.request("evm_mine", []);
      },
    });
  }

  before(async () => {
    suite = await startSuite({ clock: makeFastClock(4) });
    // Even the reference bot falls early now and then: another agent tries then.
    for (let tries = 0; tries < 4; tries += 1) {
      ({ taken, values } = await liveOnce());
      if (values.nftTxHash !== undefined) return;
    }
  });
  after(() => suite.close());

  it("takes every step that has a route, to the last", () => {
    const expected = AGENT_LOOP.filter(({ route }) => routes.some(({ name }) => name === route));
    expect(taken.map(({ step }) => step.title)).to.deep.equal(expected.map(({ title }) => title));
  });

  it("ends registered, signed in, snapshotted, with its NFT, and paid", () => {
    const bodyOf = (title: string) => taken.find(({ step }) => step.title === title)!.body;
    expect(bodyOf("Check ownership")).to.include({ owned: true, owner: values.walletAddress });
    expect(bodyOf("Confirm the snapshot")).to.include({ mode: "recorded" });
    expect(bodyOf("Record the NFT")).to.include({ recorded: true, action: "mint" });
    expect(bodyOf("Check readiness")).to.deep.include({ ready: true, reasons: [] });
    expect(bodyOf("Follow the payout")).to.include({ status: "included", score: bodyOf("Read the scorebank").score });
    expect(bodyOf("Read the history")).to.include({ total: 1 });
  });

  it("has offered its NFT for sale, and voted", async () => {
    const { body } = await suite.request("GET", `/api/market/listings?seller=${values.walletAddress}`);
    expect(body).to.include({ total: 1 });
    expect(body.listings[0]).to.include({ listingId: values.listingId });
    const votes = await suite.request("GET", `/api/voting/status?gameSlug=${values.candidate}`);
    expect(votes.body).to.include({ aiAgentVotes: 1 });
  });

  it("gets answers of the form that each example shows", () => {
    for (const { step, status, body } of taken) {
      expect(status, step.title).to.be.oneOf([200, 202]);
      const shown = Object.keys(step.response!.body).filter((field) => !MAY_LACK.has(field));
      expect(body, step.title).to.include.keys(shown);
    }
  });

  it("reads the same steps as text", async () => {
    const text = await suite.request("GET", "/api/agent-instructions", { headers: { Accept: "text/markdown" } });
    for (const { step } of taken) {
      expect(text.body).to.include(step.title).and.include(`${step.request!.method} ${step.request!.path}`);
      expect(text.body).to.include(JSON.stringify(step.response!.body));
    }
  });
});
