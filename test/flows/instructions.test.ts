import { expect } from "chai";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { AGENT_STEPS } from "../../backend/http/instructions/steps.ts";
import { routes } from "../../backend/http/routes/index.ts";
import type { Instructions } from "../../client/api.ts";
import type { Bot } from "../../games/game.ts";
import { findGame } from "../../games/index.ts";
import { createFastClock } from "../../testing/clock.ts";
import { EASY_GAMES } from "../helpers/easy-games.ts";
import { followInstructions, type StepResult } from "../helpers/instructed-agent.ts";
import { useTestStack } from "../helpers/suite.ts";
import { untilItLasts, untilPoints } from "../helpers/until-points.ts";

/** Fields that depend on whether a call was needed. The example shows a response with the call. */
const OPTIONAL_FIELDS = new Set(["practiceToken"]);

const SLUG = "flappybots";

/** A vote needs a session of 10 s. */
const PLAY_MS = 12_000;

/** Plays well until it has enough points for the first NFT tier and may vote, and then falls on purpose. */
function createPointsBot(): Bot {
  const play = findGame(SLUG)!.bots.reference();
  return (frame) => (frame.score.current === 0 || frame.tMs < PLAY_MS ? play(frame) : null);
}

describe("an agent that knows only /api/agent-instructions", () => {
  let stepResults: StepResult[];
  let values: { readonly [name: string]: unknown };
  async function runAgent() {
    const account = privateKeyToAccount(generatePrivateKey());
    await stack.request("POST", "/api/dev/faucet", { body: { address: account.address } });
    const response = await stack.request("GET", "/api/agent-instructions");
    return followInstructions({
      instructions: response.body as Instructions,
      account,
      slug: SLUG,
      bot: createPointsBot,
      leastPlayMs: PLAY_MS,
      // The cooldown before a payout passes on the chain, not in the test.
      beforeStep: async ({ title }) => {
        if (title !== "Check readiness") return;
        await stack.chain.request("evm_increaseTime", [6]);
        await stack.chain.request("evm_mine", []);
      },
    });
  }

  const stack = useTestStack({ clock: createFastClock(4), gameList: EASY_GAMES });
  before(async () => {
    // If an agent has no points, or loses its lives too early to vote, another one tries.
    ({ results: stepResults, values } = await untilItLasts(() => untilPoints(runAgent)));
  });

  it("the agent takes every step that has a route, to the last", () => {
    const expected = AGENT_STEPS.filter(({ route }) => routes.some(({ name }) => name === route));
    expect(stepResults.map(({ step }) => step.title)).to.deep.equal(expected.map(({ title }) => title));
  });

  it("the agent ends registered, signed in, snapshotted, with its NFT, and paid", () => {
    const getBody = (title: string) => stepResults.find(({ step }) => step.title === title)!.body;
    expect(getBody("Check ownership")).to.include({ owned: true, owner: values.walletAddress });
    expect(getBody("Confirm the snapshot")).to.include({ mode: "recorded" });
    expect(getBody("Record the NFT")).to.include({ recorded: true, action: "mint" });
    expect(getBody("Check readiness")).to.deep.include({ ready: true, reasons: [] });
    expect(getBody("Follow the payout")).to.include({ status: "included", score: getBody("Read the scorebank").score });
    expect(getBody("Read the history")).to.include({ total: 1 });
  });

  it("the agent has offered its NFT for sale, and voted", async () => {
    const { body } = await stack.request("GET", `/api/market/listings?seller=${values.walletAddress}`);
    expect(body).to.include({ total: 1 });
    expect(body.items[0]).to.include({ listingId: values.listingId });
    const votes = await stack.request("GET", `/api/voting/status?gameSlug=${values.candidate}`);
    expect(votes.body).to.include({ aiAgentVotes: 1 });
  });

  it("the agent gets responses in the form of the examples", () => {
    for (const { step, status, body } of stepResults) {
      expect(status, step.title).to.be.oneOf([200, 202]);
      const shown = Object.keys(step.response!.body).filter((field) => !OPTIONAL_FIELDS.has(field));
      expect(body, step.title).to.include.keys(shown);
    }
  });

  it("the text has the same steps", async () => {
    const text = await stack.request("GET", "/api/agent-instructions", { headers: { Accept: "text/markdown" } });
    for (const { step } of stepResults) {
      expect(text.body).to.include(step.title).and.include(`${step.request!.method} ${step.request!.path}`);
      // The text shortens long values, but has every field of the answer.
      for (const field of Object.keys(step.response!.body)) expect(text.body, step.title).to.include(`"${field}":`);
    }
  });
});
