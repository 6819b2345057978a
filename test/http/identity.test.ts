import { createHash } from "node:crypto";
import { expect } from "chai";
import { recoverTypedDataAddress } from "viem";
import { developmentServiceAccount } from "../../backend/config/dev-keys.ts";
import { makeAgent, makePlayer, type Player } from "../helpers/player.ts";
import { type Suite, startSuite } from "../helpers/suite.ts";
import { cutChain, endWithoutChain } from "./support/cut-chain.ts";
import { giveAway, sendCall } from "./support/on-chain.ts";
import { watchRoutes } from "./support/watch-routes.ts";

const WORD_MAX = (2n ** 256n - 1n).toString();
const ROUTES = ["register", "ownershipStatus", "metadata"].map((name) => `identity.${name}`);

describe("identity", () => {
  let suite: Suite;
  let player: Player;
  const api = watchRoutes(() => suite);
  before(async () => {
    suite = await startSuite();
    player = await makePlayer(suite);
  });
  after(() => endWithoutChain(suite));

  const request = (facts: object = {}) => ({
    body: { walletAddress: player.address, agentName: "Pinch", ...facts },
  });
  const statusOf = async (body: object) => (await api.succeed("identity.ownershipStatus", { body })).body;
  const headTime = async (): Promise<number> => {
    const block = (await suite.chain.request("eth_getBlockByNumber", ["latest", false])) as { timestamp: string };
    return Number(block.timestamp);
  };

  it("registers with a call that the wallet sends itself", async () => {
    const { identity, chainId } = suite.deployment;
    const { body } = await api.succeed(
      "identity.register",
      request({
        agentType: "bot",
        description: "Walks sideways.",
        services: [{ name: "web", endpoint: "https://pinch.example/" }],
        chainId,
        verifyingContract: identity,
        nonce: "0",
      }),
    );
    expect(body).to.include({ verifyingContract: identity, nonce: "0" });
    expect(body.call).to.deep.include({ functionName: "mintIdentityWithSignature", to: identity, chainId });
    expect(Number(body.deadline) - (await headTime())).to.equal(300);
    expect(await recoverTypedDataAddress({ ...body.typedData, signature: body.signature })).to.equal(
      developmentServiceAccount(3).address,
    );
    expect(body.metadata).to.include({ name: "Pinch", description: "Walks sideways." });

    const digest = /([0-9a-f]{64})\.json$/.exec(body.tokenURI)![1]!;
    const document = await fetch(body.tokenURI);
    const bytes = Buffer.from(await document.arrayBuffer());
    expect(createHash("sha256").update(bytes).digest("hex")).to.equal(digest);
    expect(JSON.parse(bytes.toString())).to.deep.equal(body.metadata);
    const served = await api.succeed("identity.metadata", { params: { digest } });
    expect(served.headers.get("cache-control")).to.match(/immutable/);

    const before = await statusOf({ walletAddress: player.address });
    expect(before).to.deep.include({ owned: false, agentId: null, owner: null, tokenURI: null });
    await sendCall(player, body.call);
    const after = await statusOf({ walletAddress: player.address });
    expect(after).to.include({ owned: true, owner: player.address, registry: `eip155:${chainId}:${identity}` });
    expect(after.tokenURI).to.include(digest);
    const again = await api.refuse("identity.register", "ALREADY_REGISTERED", request());
    expect(again.body.agentId).to.equal(after.agentId);
  });

  it("compares what a caller states with the chain", async () => {
    const stranger = await makePlayer(suite);
    const now = await headTime();
    const other = suite.deployment.rewards;
    for (const [facts, code, fields] of [
      [{ chainId: 1 }, "UNSUPPORTED_CHAIN", { expected: 31337, received: 1 }],
      [{ verifyingContract: other }, "CONTRACT_MISMATCH", { expected: suite.deployment.identity, received: other }],
      [{ nonce: "7" }, "NONCE_MISMATCH", { expected: "0", received: "7" }],
      [{ deadline: String(now - 1) }, "DEADLINE_OUT_OF_RANGE", { received: String(now - 1) }],
      [{ deadline: String(now + 10 * 86_400) }, "DEADLINE_OUT_OF_RANGE", { received: String(now + 10 * 86_400) }],
      [{ deadline: WORD_MAX }, "DEADLINE_OUT_OF_RANGE", { received: WORD_MAX }],
      [{ nonce: WORD_MAX }, "NONCE_MISMATCH", { received: WORD_MAX }],
    ] as const) {
      const { body } = await api.refuse("identity.register", code, {
        ...request({ ...facts, walletAddress: stranger.address }),
      });
      expect(body).to.include(fields);
    }
    const deadline = String(now + 120);
    const asked = await api.succeed("identity.register", request({ walletAddress: stranger.address, deadline }));
    expect(asked.body.deadline).to.equal(deadline);
  });

  it("refuses names and addresses that deceive the eye", async () => {
    const stranger = await makePlayer(suite);
    const bad = { walletAddress: stranger.address };
    for (const facts of [
      { agentName: "" },
      { agentName: "   " },
      { agentName: "x".repeat(33) },
      { agentName: "a\u202Eb" },
      { agentName: "a\u200Bb" },
      { agentName: "a\nb" },
      { description: "x".repeat(281) },
      { image: "javascript:alert(1)" },
      { services: [{ name: "x", endpoint: "http://plain.example" }] },
      { walletAddress: "0x12" },
    ])
      await api.refuse("identity.register", "VALIDATION_FAILED", request({ ...bad, ...facts }));
    await api.refuse("identity.register", "UNKNOWN_FIELD", request({ ...bad, admin: true }));
    const { body } = await api.succeed("identity.register", request({ ...bad, agentName: "🦀".repeat(32) }));
    expect(body.metadata.name).to.equal("🦀".repeat(32));
  });

  it("tells who holds any identity, also one that is sold or was never minted", async () => {
    const [seller, buyer] = [await makeAgent(suite), await makePlayer(suite)];
    const { agentId } = await statusOf({ walletAddress: seller.address });
    await giveAway(seller, suite.deployment.identity, buyer.address, agentId);
    const sold = await statusOf({ walletAddress: seller.address, agentId });
    expect(sold).to.include({ owned: false, agentId, owner: buyer.address });
    expect(await statusOf({ walletAddress: buyer.address, agentId })).to.include({ owned: true });
    expect(await statusOf({ walletAddress: seller.address })).to.include({ owned: false, agentId: null });
    for (const unknown of ["0", "123456789", WORD_MAX])
      expect(await statusOf({ walletAddress: seller.address, agentId: unknown })).to.include({ owned: false });
    // A number that no contract can be asked about must not look like a fault of the chain, whoever sends how many.
    for (const beyond of [`${WORD_MAX.slice(0, -1)}6`, "9".repeat(78), "1".repeat(79), "-1", "1.5", "0x1"])
      for (let count = 0; count < 5; count += 1)
        await api.refuse("identity.ownershipStatus", "VALIDATION_FAILED", {
          body: { walletAddress: seller.address, agentId: beyond },
        });
    expect(await statusOf({ walletAddress: buyer.address, agentId })).to.include({ owned: true });
  });

  it("knows no document by another name", async () => {
    for (const digest of ["0", "0".repeat(64), "..%2f..%2fetc%2fpasswd"])
      await api.refuse("identity.metadata", "NOT_FOUND", { params: { digest } });
  });

  describe("with the chain away", () => {
    it("waits", async () => {
      await cutChain(suite);
      await api.refuse("identity.register", "CHAIN_UNAVAILABLE", request());
      const body = { walletAddress: player.address };
      await api.refuse("identity.ownershipStatus", "CHAIN_UNAVAILABLE", { body });
    });

    it("has shown every code of its routes", () => api.expectComplete(ROUTES));
  });
});
