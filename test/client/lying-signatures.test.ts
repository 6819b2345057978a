import { expect } from "chai";
import { createClient } from "../../client/client.ts";
import { ArcadeApiError, ArcadeChainError } from "../../client/errors.ts";
import { castVote } from "../../client/vote.ts";
import { createBallot } from "../../domain/voting.ts";
import { loadAgentContext } from "../../scripts/agent/context.ts";
import { runAgentLifecycle } from "../../scripts/agent/run.ts";
import { CommandError } from "../../scripts/cli/failures.ts";
import { startLyingProxy } from "./lying-proxy.ts";
import { type Body, expectRefusal, getError, slug, THIEF, useLyingService } from "./lying-service.ts";

describe("client: a service that requests other signatures", () => {
  const world = useLyingService();
  let { proxy, stack, contracts, signed, sent, wallet, client } = world;
  beforeEach(() => {
    ({ proxy, stack, contracts, signed, sent, wallet, client } = world);
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
        // `npm run agent` checks this before it spends gas.
        const context = await loadAgentContext({ url: lookAlike.url, rpcUrl: null, deploymentPath: null });
        const ignore = (): void => undefined;
        const listener = { begin: ignore, done: ignore, frame: ignore, failed: ignore };
        const run = {
          context,
          wallet,
          slugs: [slug],
          sessions: 1,
          makeBot: () => () => null,
          gasless: false,
          listener,
        };
        await getError(CommandError, runAgentLifecycle(run));
        expect(sent).to.deep.equal([]);
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
    /** A permit that would give all tokens away (ERC-2612). */
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
        await expectRefusal(world, () => castVote(vote), field);
        const { message } = await getError(ArcadeChainError, castVote(vote));
        expect(message).to.match(/^The ballot's \w+: expected .+, received .+; it was not signed\./);
        expect(signed).to.deep.equal([]);
      });
  });
});
