import { expect } from "chai";
import type { Hex } from "viem";
import { createClient } from "../../client/client.ts";
import type { ArcadeContracts } from "../../client/contracts.ts";
import { ArcadeChainError } from "../../client/errors.ts";
import { mintOrUpgradeNft, registerAgent, snapshotScore } from "../../client/flows.ts";
import { sendPayoutFromWallet } from "../../client/payout-flows.ts";
import { snapshotScores } from "../../client/snapshot-scores.ts";
import { createCall } from "../../domain/typed-data/calls.ts";
import { addEndedSession } from "../../testing/ended-session.ts";
import { type Body, expectRefusal, getError, slug, THIEF, useLyingService } from "./lying-service.ts";

const SIGNATURE: Hex = `0x${"11".repeat(65)}`;
const HASH: Hex = `0x${"22".repeat(32)}`;

describe("client: a service that lies", () => {
  const world = useLyingService();
  let { proxy, stack, contracts, wallet, client } = world;
  beforeEach(() => {
    ({ proxy, stack, contracts, wallet, client } = world);
  });

  type Facts = { wallet: string; contracts: ArcadeContracts };

  describe("about the call that registers an identity", () => {
    const register = () => registerAgent({ client, agentName: "Truthful" });
    const lies: readonly (readonly [what: string, field: string, change: (body: Body, facts: Facts) => void])[] = [
      ["another chain", "chainId", ({ call }) => Object.assign(call, { chainId: 1 })],
      ["another contract", "to", ({ call }, facts) => Object.assign(call, { to: facts.contracts.rewards })],
      [
        "the right to take every identity",
        "functionName",
        (body, facts) => {
          body.call = createCall(31337, facts.contracts.identity, "setApprovalForAll", [THIEF, true]);
        },
      ],
      [
        "an identity for somebody else",
        "args[0]",
        (body, facts) => {
          const args = [THIEF, ...body.call.args.slice(1)];
          body.call = createCall(31337, facts.contracts.identity, "mintIdentityWithSignature", args);
        },
      ],
      ["a payment", "value", ({ call }) => Object.assign(call, { value: "1000000000000000000" })],
      [
        "arguments that do not fit, without data",
        "data",
        ({ call }) => Object.assign(call, { args: [...call.args, "0"], data: null }),
      ],
      [
        "data of another call",
        "data",
        ({ call }, facts) =>
          Object.assign(call, { data: createCall(31337, facts.contracts.rewards, "payout", [facts.wallet]).data }),
      ],
    ];
    for (const [what, field, change] of lies)
      it(`the flow refuses ${what} and names ${field}`, async () => {
        proxy.lie("/api/identity/register", (body) => void change(body, { wallet: wallet.address, contracts }));
        await expectRefusal(world, register, field);
        proxy.tellTheTruth();
        expect((await register()).receipt?.status).to.equal("success");
      });
  });

  describe("about the call that brings a score on chain", () => {
    const lies: readonly (readonly [what: string, field: string, change: (body: Body) => void])[] = [
      [
        "the right to take every identity",
        "to",
        (body) => {
          body.call = createCall(31337, contracts.identity, "setApprovalForAll", [THIEF, true]);
        },
      ],
      [
        "a score for another wallet",
        "args[0]",
        ({ call }) =>
          Object.assign(call, createCall(31337, call.to, call.functionName, [THIEF, ...call.args.slice(1)])),
      ],
      [
        "another amount",
        "args[2]",
        ({ call }) => {
          const args = call.args.with(2, "1");
          Object.assign(call, createCall(31337, call.to, call.functionName, args));
        },
      ],
      ["another score than the player saw", "score", (body) => Object.assign(body, { scoreDelta: 1 })],
      [
        "another session's hash",
        "args[3]",
        ({ call }) => Object.assign(call, createCall(31337, call.to, call.functionName, call.args.with(3, HASH))),
      ],
    ];
    for (const [what, field, change] of lies)
      it(`the flow refuses ${what} and names ${field}`, async () => {
        const { sessionId, score } = await addEndedSession(stack, { wallet: wallet.address, minScore: 5 });
        await registerAgent({ client, agentName: "Truthful" });
        world.sent.length = 0;
        proxy.lie("/api/rewards/snapshot", (body) => void change(body));
        await expectRefusal(world, () => snapshotScore({ client, sessionId, score }), field);
        proxy.tellTheTruth();
        expect((await snapshotScore({ client, sessionId, score })).mode).to.equal("recorded");
      });
  });

  describe("about the call that brings all scores on chain", () => {
    const changeItems = ({ call }: Body, change: (items: Body[]) => Body[]) => {
      const args = call.args.with(1, change(call.args[1]));
      Object.assign(call, createCall(31337, call.to, call.functionName, args));
    };
    const lies: readonly (readonly [what: string, field: string, change: (body: Body) => void])[] = [
      [
        "scores for another wallet",
        "args[0]",
        ({ call }) => Object.assign(call, createCall(31337, call.to, call.functionName, call.args.with(0, THIEF))),
      ],
      [
        "another score of the second session",
        "args[1]",
        (body) => changeItems(body, ([first, second]) => [first, { ...second, score: "1" }]),
      ],
      ["fewer sessions", "args[1]", (body) => changeItems(body, ([first]) => [first])],
      ["a session more", "args[1]", (body) => changeItems(body, (items) => [...items, items[0]])],
    ];
    for (const [what, field, change] of lies)
      it(`the flow refuses ${what} and names ${field}`, async () => {
        const rows = [];
        for (let count = 0; count < 2; count += 1)
          rows.push(await addEndedSession(stack, { wallet: wallet.address, minScore: 5 }));
        await registerAgent({ client, agentName: "Truthful" });
        world.sent.length = 0;
        proxy.lie("/api/rewards/snapshot", (body) => void change(body));
        await expectRefusal(world, () => snapshotScores({ client }), field);
        proxy.tellTheTruth();
        const { sessions } = await snapshotScores({ client });
        expect(sessions.map(({ sessionId }) => sessionId)).to.deep.equal(rows.map(({ sessionId }) => sessionId));
      });
  });

  describe("about the sessions of a batch", () => {
    const path = "/api/rewards/snapshot";
    for (const sponsor of [false, true])
      it(`the flow rejects an empty batch with more to come, ${sponsor ? "sponsored" : "from the wallet"}`, async () => {
        const relay = { txHash: HASH, txStatus: "confirmed" };
        let asked = 0;
        proxy.lie(path, () => {
          asked += 1;
          return asked > 3
            ? { error: "asked again" }
            : { mode: sponsor ? "relayed" : "sign", sessions: [], more: true, relay };
        });
        await expectRefusal(world, () => snapshotScores({ client, sponsor }), "sessions");
        expect(asked).to.equal(1);
      });

    it("the flow rejects a session of another game than requested", async () => {
      await addEndedSession(stack, { wallet: wallet.address, minScore: 5 });
      await registerAgent({ client, agentName: "Truthful" });
      world.sent.length = 0;
      proxy.lie(path, (body) => {
        body.sessions[0].gameSlug = "flappybots";
      });
      await expectRefusal(world, () => snapshotScores({ client, gameSlug: slug }), "gameSlug");
      proxy.tellTheTruth();
      expect((await snapshotScores({ client, gameSlug: slug })).sessions).to.have.length(1);
    });
  });

  describe("about the game's NFT", () => {
    const path = `/api/games/${slug}/nft/prepare`;
    const mint = () => mintOrUpgradeNft({ client, slug });
    const lie = (to: Hex, functionName: "mintSigned" | "upgradeSigned", args: readonly unknown[]) =>
      proxy.lie(path, () => ({
        action: "mint",
        score: 50,
        tier: 1,
        tokenId: null,
        call: createCall(31337, to, functionName, [...args, "1", SIGNATURE]),
      }));
    it("the flow rejects another game's contract", async () => {
      lie(contracts.nft.flappybots!, "mintSigned", [wallet.address, "1", "50"]);
      await expectRefusal(world, mint, "to");
    });
    it("the flow rejects an upgrade instead of a mint", async () => {
      lie(contracts.nft[slug]!, "upgradeSigned", [wallet.address, "1", "50"]);
      await expectRefusal(world, mint, "functionName");
    });
    it("the flow rejects a mint for another wallet or of another score", async () => {
      lie(contracts.nft[slug]!, "mintSigned", [THIEF, "1", "50"]);
      await expectRefusal(world, mint, "args[0]");
      lie(contracts.nft[slug]!, "mintSigned", [wallet.address, "1", "51"]);
      await expectRefusal(world, mint, "args[2]");
    });
  });

  describe("about a payout from the wallet", () => {
    const lie = (to: Hex, wallet: Hex, leastAmount = "7") =>
      proxy.lie("/api/rewards/payout", () => ({
        mode: "self",
        amount: "7",
        call: createCall(31337, to, "payoutAtLeast", [wallet, leastAmount]),
      }));
    it("the flow rejects another contract, another wallet, and an amount other than the answer's", async () => {
      lie(contracts.identity, wallet.address);
      await expectRefusal(world, () => sendPayoutFromWallet({ client }), "to");
      lie(contracts.rewards, THIEF);
      await expectRefusal(world, () => sendPayoutFromWallet({ client }), "args[0]");
      lie(contracts.rewards, wallet.address, "6");
      await expectRefusal(world, () => sendPayoutFromWallet({ client }), "args[1]");
    });
  });

  describe("about its contracts", () => {
    it("the client calls the contracts in its options when the service returns others", async () => {
      proxy.lie("/api/agent-instructions", (body) => ({ ...body, contracts: { ...body.contracts, identity: THIEF } }));
      proxy.lie("/api/identity/register", ({ call, ...body }) => ({ ...body, call: { ...call, to: THIEF } }));
      await expectRefusal(world, () => registerAgent({ client, agentName: "Truthful" }), "to");
    });

    it("the client uses the service's contracts only on the local chain", async () => {
      const unpinned = createClient({ baseUrl: proxy.url, wallet, retry: { retries: 0 } });
      proxy.lie("/api/agent-instructions", (body) => ({ ...body, chainId: 8453 }));
      const error = await getError(ArcadeChainError, registerAgent({ client: unpinned, agentName: "Truthful" }));
      expect(error.code).to.equal("CONTRACTS_UNKNOWN");
      proxy.tellTheTruth();
      expect(await unpinned.getContracts()).to.deep.equal(contracts);
    });
  });
});
