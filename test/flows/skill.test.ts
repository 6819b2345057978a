import { expect } from "chai";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { Bot } from "../../games/game.ts";
import { createFastClock } from "../../testing/clock.ts";
import { followInstructions, type StepResult } from "../helpers/instructed-agent.ts";
import { createSkillBot, readSkill } from "../helpers/skill-agent.ts";
import { useTestStack } from "../helpers/suite.ts";
import { untilPoints } from "../helpers/until-points.ts";

const BYTES_MAX = 6000;

describe("a program that knows only the text of /skill.md", () => {
  let text: string;
  const stack = useTestStack({ clock: createFastClock(4) });
  before(async () => {
    text = (await stack.request("GET", "/skill.md")).body;
  });

  it("gets a text that fits a model's context", () => {
    expect(Buffer.byteLength(text)).to.be.at.most(BYTES_MAX);
  });

  it("finds this service's actual values", async () => {
    const { body } = await stack.request("GET", "/api/agent-instructions");
    const { identity, rewards, token, nft } = body.contracts;
    for (const value of [body.baseUrl, body.wsUrl, body.rpcUrl, identity, rewards, token, ...Object.values(nft)])
      expect(text).to.include(value as string);
    for (const { slug, actions, nft: token } of body.games) {
      expect(text).to.include(`\`${slug}\``);
      for (const action of actions) expect(text).to.include(JSON.stringify(action));
      for (const { minScore } of token.tiers) expect(text).to.match(new RegExp(`\\b${minScore}\\b`));
    }
  });

  it("gets from an empty wallet to a payout, with every request of the text accepted", async () => {
    const { instructions, slug, moves, frame } = readSkill(text);
    expect(frame).to.include({ v: 1, phase: "running", slug });
    /** Plays until it has points, then lets itself lose. */
    const createBot = (): Bot => {
      const play = createSkillBot(moves);
      return (frame) => (frame.score.current === 0 ? play(frame) : null);
    };
    const runAgent = () =>
      followInstructions({
        instructions,
        account: privateKeyToAccount(generatePrivateKey()),
        slug,
        bot: createBot,
        // The cooldown before a payout passes on the chain, not in the test.
        beforeStep: async ({ title }) => {
          if (title !== "Check readiness") return;
          await stack.chain.request("evm_increaseTime", [6]);
          await stack.chain.request("evm_mine", []);
        },
      });
    const { results, values } = await untilPoints(runAgent);
    const find = (title: string): StepResult["body"] => results.find(({ step }) => step.title === title)!.body;
    expect((values.end as { score: number }).score).to.be.greaterThan(0);
    expect(find("Confirm the snapshot")).to.include({ mode: "recorded" });
    expect(find("Follow the payout")).to.include({ status: "included" });
    for (const { body } of results) {
      const { call } = body as { readonly call?: { readonly to: string; readonly value: string } };
      if (call === undefined || call === null) continue;
      expect(text).to.include(call.to);
      expect(call.value).to.equal("0");
    }
    // A score below the first tier mints no NFT, so its transaction is not recorded either.
    const left = instructions.steps.filter((step) => step.request !== null && !results.some((r) => r.step === step));
    expect(left.map(({ title }) => title)).to.deep.equal(values.nftTxHash === undefined ? ["Record the NFT"] : []);
  });
});
