import { expect } from "chai";
import type { Hex } from "viem";
import { type ArcadeClient, createClient } from "../../client/client.ts";
import type { ArcadeContracts } from "../../client/contracts.ts";
import { ArcadeApiError, ArcadeChainError } from "../../client/errors.ts";
import { mintOrUpgradeNft, registerAgent, snapshotScore } from "../../client/flows.ts";
import { sendPayoutFromWallet } from "../../client/payout-flows.ts";
import { snapshotScores } from "../../client/snapshot-scores.ts";
import { castVote } from "../../client/vote.ts";
import type { ArcadeWallet } from "../../client/wallet.ts";
import { createCall } from "../../domain/typed-data/calls.ts";
import { createBallot } from "../../domain/voting.ts";
import { createPlayer } from "../helpers/player.ts";
import { startTestStack, type TestStack } from "../helpers/suite.ts";
import { addEndedSession } from "../http/support/plant-session.ts";
import { startLyingProxy } from "./lying-proxy.ts";

const THIEF = "0x000000000000000000000000000000000000dEaD";
const SIGNATURE: Hex = `0x${"11".repeat(65)}`;
const HASH: Hex = `0x${"22".repeat(32)}`;
const slug = "shellrunners";

async function getError<T extends Error>(type: new (...args: never[]) => T, operation: Promise<unknown>): Promise<T> {
  const error = await operation.then(
    () => null,
    (error: unknown) => error,
  );
  expect(error, String(error)).to.be.instanceOf(type);
  return error as T;
}

describe("client: a service that lies", function () {
  this.timeout(60_000);
  let proxy: Awaited<ReturnType<typeof startLyingProxy>>;
  let stack: TestStack;
  let contracts: ArcadeContracts;
  /** What the wallet was made to do. */
  let signed: string[];
  let sent: string[];
  let wallet: ArcadeWallet;
  let client: ArcadeClient;
  before(async () => {
    proxy = await startLyingProxy();
    stack = await startTestStack({ env: { ARCADE_PUBLIC_URL: proxy.url } });
    proxy.forwardTo(stack.httpUrl);
    const { chainId, identity, rewards, nft } = stack.deployment;
    contracts = { chainId, identity, rewards, nft };
  });
  after(async () => {
    await proxy.close();
    await stack.close();
  });
  beforeEach(async () => {
    proxy.tellTheTruth();
    [signed, sent] = [[], []];
    const { wallet: real } = await createPlayer(stack);
    wallet = {
      ...real,
      signMessage: (message) => {
        signed.push(message);
        return real.signMessage(message);
      },
      signTypedData: (typedData) => {
        signed.push(typedData.primaryType);
        return real.signTypedData!(typedData);
      },
      sendCall: (call) => {
        sent.push(call.functionName);
        return real.sendCall(call);
      },
    };
    client = createClient({ baseUrl: proxy.url, wallet, contracts, retry: { retries: 0 } });
  });

  /** The flow refuses the lie about `field` and sends nothing; the truth passes afterwards. */
  async function expectRefusal(operation: () => Promise<unknown>, field: string): Promise<void> {
    const error = await getError(ArcadeChainError, operation());
    expect(error.code, error.message).to.equal("CALL_REFUSED");
    expect(error.mismatch?.field, error.message).to.equal(field);
    expect(error.mismatch?.expected).to.not.equal(error.mismatch?.received);
    expect(sent).to.deep.equal([]);
  }

  type Facts = { wallet: string; contracts: ArcadeContracts };
  // biome-ignore lint/suspicious/noExplicitAny: the JSON of any answer
  type Body = any;

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
        await expectRefusal(register, field);
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
        sent = [];
        proxy.lie("/api/rewards/snapshot", (body) => void change(body));
        await expectRefusal(() => snapshotScore({ client, sessionId, score }), field);
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
        sent = [];
        proxy.lie("/api/rewards/snapshot", (body) => void change(body));
        await expectRefusal(() => snapshotScores({ client }), field);
        proxy.tellTheTruth();
        const { sessions } = await snapshotScores({ client });
        expect(sessions.map(({ sessionId }) => sessionId)).to.deep.equal(rows.map(({ sessionId }) => sessionId));
      });
  });

  describe("about the sessions of a batch", () => {
    const path = "/api/rewards/snapshot";
    for (const sponsor of [false, true])
      it(`the flow refuses none with more to come, ${sponsor ? "sponsored" : "from the wallet"}`, async () => {
        const relay = { txHash: HASH, txStatus: "confirmed" };
        let asked = 0;
        proxy.lie(path, () => {
          asked += 1;
          return asked > 3
            ? { error: "asked again" }
            : { mode: sponsor ? "relayed" : "sign", sessions: [], more: true, relay };
        });
        await expectRefusal(() => snapshotScores({ client, sponsor }), "sessions");
        expect(asked).to.equal(1);
      });

    it("the flow refuses a session of another game than was asked for", async () => {
      await addEndedSession(stack, { wallet: wallet.address, minScore: 5 });
      await registerAgent({ client, agentName: "Truthful" });
      sent = [];
      proxy.lie(path, (body) => {
        body.sessions[0].gameSlug = "flappybots";
      });
      await expectRefusal(() => snapshotScores({ client, gameSlug: slug }), "gameSlug");
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
    it("the flow refuses another game's contract", async () => {
      lie(contracts.nft.flappybots!, "mintSigned", [wallet.address, "1", "50"]);
      await expectRefusal(mint, "to");
    });
    it("the flow refuses an upgrade in place of a mint", async () => {
      lie(contracts.nft[slug]!, "upgradeSigned", [wallet.address, "1", "50"]);
      await expectRefusal(mint, "functionName");
    });
    it("the flow refuses a mint for another wallet, and of another score", async () => {
      lie(contracts.nft[slug]!, "mintSigned", [THIEF, "1", "50"]);
      await expectRefusal(mint, "args[0]");
      lie(contracts.nft[slug]!, "mintSigned", [wallet.address, "1", "51"]);
      await expectRefusal(mint, "args[2]");
    });
  });

  describe("about a payout from the wallet", () => {
    const lie = (to: Hex, wallet: Hex, leastAmount = "7") =>
      proxy.lie("/api/rewards/payout", () => ({
        mode: "self",
        amount: "7",
        call: createCall(31337, to, "payoutAtLeast", [wallet, leastAmount]),
      }));
    it("the flow refuses another contract, another wallet, and another amount than the answer's", async () => {
      lie(contracts.identity, wallet.address);
      await expectRefusal(() => sendPayoutFromWallet({ client }), "to");
      lie(contracts.rewards, THIEF);
      await expectRefusal(() => sendPayoutFromWallet({ client }), "args[0]");
      lie(contracts.rewards, wallet.address, "6");
      await expectRefusal(() => sendPayoutFromWallet({ client }), "args[1]");
    });
  });

  describe("about the sign-in", () => {
    const path = `/api/games/${slug}/auth/nonce`;
    const edits: readonly (readonly [field: string, edit: (message: string) => string])[] = [
      ["domain", (text) => text.replace(/^http:\/\/\S+/, "http://bank.example")],
      ["domain", (text) => text.replace(/^http:\/\//, "http://bank.example@")],
      ["scheme", (text) => text.replace(/^http:/, "https:")],
      ["uri", (text) => text.replace(/URI: \S+/, "URI: https://bank.example/login")],
      ["statement", (text) => text.replace(/Sign in .*\./, "I sell everything.")],
      ["address", (text) => text.replace(/0x[0-9a-fA-F]{40}/, THIEF)],
      ["chainId", (text) => text.replace("Chain ID: 31337", "Chain ID: 1")],
      ["nonce", (text) => text.replace(/Nonce: \w+/, "Nonce: 0123456789abcdef")],
      ["notBefore", (text) => `${text}\nNot Before: 2030-01-01T00:00:00Z`],
      ["requestId", (text) => `${text}\nRequest ID: order-7`],
      ["resources", (text) => `${text}\nResources:\n- https://bank.example/transfer`],
      ["expirationTime", (text) => text.replace(/(Expiration Time: )\S+/, "$12099-01-01T00:00:00Z")],
      ["text", () => "I owe you everything."],
    ];
    for (const [field, edit] of edits)
      it(`the client does not sign a message whose ${field} is not the expected one: ${edit("http://x").slice(0, 20)}`, async () => {
        proxy.lie(path, (body) => ({ ...body, message: edit(body.message) }));
        const error = await getError(ArcadeApiError, client.signIn.signIn());
        expect(error.code).to.equal("MESSAGE_MISMATCH");
        expect(error.fields.field, error.message).to.equal(field);
        expect(signed).to.deep.equal([]);
        proxy.tellTheTruth();
        expect((await client.signIn.signIn()).walletAddress).to.equal(wallet.address);
      });

    it("the client signs nothing for a look-alike that relays another service's message", async () => {
      const lookAlike = await startLyingProxy();
      try {
        lookAlike.forwardTo(stack.httpUrl);
        const deceived = createClient({ baseUrl: lookAlike.url, wallet, contracts, retry: { retries: 0 } });
        const error = await getError(ArcadeApiError, deceived.signIn.signIn());
        expect(error.fields).to.include({ field: "domain", expected: new URL(lookAlike.url).host });
        expect(signed).to.deep.equal([]);
      } finally {
        await lookAlike.close();
      }
    });
  });

  describe("about the ballot", () => {
    const path = "/api/voting/nonce";
    const gameSlug = "demo-tidepool";
    const createTypedVote = (facts: object): Body => ({
      ...createBallot(contracts.chainId, {
        walletAddress: wallet.address,
        gameSlug,
        voteSource: "ai_agent",
        nonce: "n1",
        cycleId: "1",
        ...facts,
      }),
    });
    /** Lets the token's owner give all tokens away (ERC-2612). */
    const createPermit = (): Body => ({
      domain: { name: "Arcade", version: "1", chainId: contracts.chainId, verifyingContract: THIEF },
      types: { Permit: [{ name: "spender", type: "address" }] },
      primaryType: "Permit",
      message: { spender: THIEF, cycleId: "1" },
    });
    for (const [what, field, create] of [
      ["another message", "ballot.domain", createPermit],
      ["a vote for another game", "ballot.message", () => createTypedVote({ gameSlug: "demo-kelpkart" })],
      ["a vote on another chain", "ballot.domain", () => ({ ...createTypedVote({}), domain: { chainId: 1 } })],
      ["a vote of another cycle", "ballot.message", () => createTypedVote({ cycleId: "2" })],
    ] as const)
      it(`the flow does not sign ${what}`, async () => {
        proxy.lie(path, () => ({ nonce: "n1", typedData: create(), expiresAt: "" }));
        const vote = { client, gameSlug, voteSource: "ai_agent", cycleId: 1 } as const;
        await expectRefusal(() => castVote(vote), field);
        const { message } = await getError(ArcadeChainError, castVote(vote));
        expect(message).to.match(/^The ballot's \w+: expected .+, received .+; it was not signed\./);
        expect(signed).to.deep.equal([]);
      });
  });

  describe("about its contracts", () => {
    it("the client calls the contracts of its options when the service names others", async () => {
      proxy.lie("/api/agent-instructions", (body) => ({ ...body, contracts: { ...body.contracts, identity: THIEF } }));
      proxy.lie("/api/identity/register", ({ call, ...body }) => ({ ...body, call: { ...call, to: THIEF } }));
      await expectRefusal(() => registerAgent({ client, agentName: "Truthful" }), "to");
    });

    it("the client takes the service's own contracts on the local chain only", async () => {
      const unpinned = createClient({ baseUrl: proxy.url, wallet, retry: { retries: 0 } });
      proxy.lie("/api/agent-instructions", (body) => ({ ...body, chainId: 8453 }));
      const error = await getError(ArcadeChainError, registerAgent({ client: unpinned, agentName: "Truthful" }));
      expect(error.code).to.equal("CONTRACTS_UNKNOWN");
      proxy.tellTheTruth();
      expect(await unpinned.getContracts()).to.deep.equal(contracts);
    });
  });
});
