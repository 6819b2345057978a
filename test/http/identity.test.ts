import { createHash } from "node:crypto";
import { expect } from "chai";
import { encodeFunctionData, parseAbi, recoverTypedDataAddress } from "viem";
import { developmentServiceAccount } from "../../backend/config/dev-keys.ts";
import { createAgent, createPlayer, type Player } from "../../testing/player.ts";
import { useShared } from "../helpers/fixture.ts";
import { useTestStack } from "../helpers/suite.ts";
import { closeWithoutChain, stopChain } from "./support/cut-chain.ts";
import { sendCall, sendWithFixedGas, transferToken } from "./support/on-chain.ts";
import { createRouteTester } from "./support/watch-routes.ts";

const WORD_MAX = (2n ** 256n - 1n).toString();
const ROUTES = ["register", "ownershipStatus", "metadata", "registrationFile"].map((name) => `identity.${name}`);

describe("identity", () => {
  const api = createRouteTester(() => stack);
  const stack = useTestStack({}, closeWithoutChain);
  const player = useShared(() => createPlayer(stack));
  api.checkCodesAfterAll(ROUTES, [
    "identity.register: AUTH_REQUIRED",
    "identity.register: SIGNATURE_INVALID",
    "identity.register: TX_FAILED",
    "identity.register: SPONSORSHIP_EXHAUSTED",
    "identity.ownershipStatus: CHAIN_UNAVAILABLE",
  ]);

  const request = (facts: object = {}) => ({
    body: { walletAddress: player.address, agentName: "Pinch", ...facts },
  });
  const getOwnershipStatus = async (body: object) =>
    (await api.expectSuccess("identity.ownershipStatus", { body })).body;
  const pendingTime = async (): Promise<number> => {
    const block = (await stack.chain.request("eth_getBlockByNumber", ["pending", false])) as { timestamp: string };
    return Number(block.timestamp);
  };
  const headTime = async (): Promise<number> => {
    const block = (await stack.chain.request("eth_getBlockByNumber", ["latest", false])) as { timestamp: string };
    return Number(block.timestamp);
  };

  it("a wallet registers with a call that it sends itself", async () => {
    const { identity, chainId } = stack.deployment;
    const earliest = await pendingTime();
    const { body } = await api.expectSuccess(
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
    expect(Number(body.deadline) - 300).to.be.within(earliest, await pendingTime());
    expect(await recoverTypedDataAddress({ ...body.typedData, signature: body.signature })).to.equal(
      developmentServiceAccount(3).address,
    );
    expect(body.metadata).to.include({ name: "Pinch", description: "Walks sideways." });

    const digest = /([0-9a-f]{64})\.json$/.exec(body.tokenURI)![1]!;
    const document = await fetch(body.tokenURI);
    const bytes = Buffer.from(await document.arrayBuffer());
    expect(createHash("sha256").update(bytes).digest("hex")).to.equal(digest);
    expect(JSON.parse(bytes.toString())).to.deep.equal(body.metadata);
    const served = await api.expectSuccess("identity.metadata", { params: { digest } });
    expect(served.headers.get("cache-control")).to.match(/immutable/);

    const before = await getOwnershipStatus({ walletAddress: player.address });
    expect(before).to.deep.include({ owned: false, agentId: null, owner: null, tokenURI: null });
    await sendCall(player, body.call);
    const after = await getOwnershipStatus({ walletAddress: player.address });
    expect(after).to.include({ owned: true, owner: player.address, registry: `eip155:${chainId}:${identity}` });
    expect(after.tokenURI).to.include(digest);
    const again = await api.expectError("identity.register", "ALREADY_REGISTERED", request());
    expect(again.body.agentId).to.equal(after.agentId);
  });

  it("the registration compares the caller's statements with the chain", async () => {
    const unregisteredPlayer = await createPlayer(stack);
    const now = await headTime();
    const other = stack.deployment.rewards;
    for (const [facts, code, fields] of [
      [{ chainId: 1 }, "UNSUPPORTED_CHAIN", { expected: 31337, received: 1 }],
      [{ verifyingContract: other }, "CONTRACT_MISMATCH", { expected: stack.deployment.identity, received: other }],
      [{ nonce: "7" }, "NONCE_MISMATCH", { expected: "0", received: "7" }],
      [{ deadline: String(now - 1) }, "DEADLINE_OUT_OF_RANGE", { received: String(now - 1) }],
      [{ deadline: String(now + 10 * 86_400) }, "DEADLINE_OUT_OF_RANGE", { received: String(now + 10 * 86_400) }],
      [{ deadline: WORD_MAX }, "DEADLINE_OUT_OF_RANGE", { received: WORD_MAX }],
      [{ nonce: WORD_MAX }, "NONCE_MISMATCH", { received: WORD_MAX }],
    ] as const) {
      const { body } = await api.expectError("identity.register", code, {
        ...request({ ...facts, walletAddress: unregisteredPlayer.address }),
      });
      expect(body).to.include(fields);
    }
    const deadline = String(now + 120);
    const registration = await api.expectSuccess(
      "identity.register",
      request({ walletAddress: unregisteredPlayer.address, deadline }),
    );
    expect(registration.body.deadline).to.equal(deadline);
  });

  it("the registration rejects deceptive names and addresses", async () => {
    const unregisteredPlayer = await createPlayer(stack);
    const bad = { walletAddress: unregisteredPlayer.address };
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
      await api.expectError("identity.register", "VALIDATION_FAILED", request({ ...bad, ...facts }));
    await api.expectError("identity.register", "UNKNOWN_FIELD", request({ ...bad, admin: true }));
    const { body } = await api.expectSuccess("identity.register", request({ ...bad, agentName: "🦀".repeat(32) }));
    expect(body.metadata.name).to.equal("🦀".repeat(32));
  });

  it("the ownership status reports the holder of any identity, including sold and never minted ones", async () => {
    const [seller, buyer] = [await createAgent(stack), await createPlayer(stack)];
    const { agentId } = await getOwnershipStatus({ walletAddress: seller.address });
    await transferToken(seller, stack.deployment.identity, buyer.address, agentId);
    const sold = await getOwnershipStatus({ walletAddress: seller.address, agentId });
    expect(sold).to.include({ owned: false, agentId, owner: buyer.address });
    expect(await getOwnershipStatus({ walletAddress: buyer.address, agentId })).to.include({ owned: true });
    expect(await getOwnershipStatus({ walletAddress: seller.address })).to.include({ owned: false, agentId: null });
    for (const unknown of ["0", "123456789", WORD_MAX])
      expect(await getOwnershipStatus({ walletAddress: seller.address, agentId: unknown })).to.include({
        owned: false,
      });
    // An id that is not a uint256 must not look like a failure of the chain, however often a client sends it.
    for (const beyond of [`${WORD_MAX.slice(0, -1)}6`, "9".repeat(78), "1".repeat(79), "-1", "1.5", "0x1"])
      for (let count = 0; count < 5; count += 1)
        await api.expectError("identity.ownershipStatus", "VALIDATION_FAILED", {
          body: { walletAddress: seller.address, agentId: beyond },
        });
    expect(await getOwnershipStatus({ walletAddress: buyer.address, agentId })).to.include({ owned: true });
  });

  it("a wallet that was sent an identity unasked is told how to choose it, and registers a new one", async () => {
    const [giver, receiver] = [await createAgent(stack), await createPlayer(stack)];
    const { agentId: gift } = await getOwnershipStatus({ walletAddress: giver.address });
    await transferToken(giver, stack.deployment.identity, receiver.address, gift);
    const wallet = { walletAddress: receiver.address };
    expect(await getOwnershipStatus({ ...wallet, agentId: gift })).to.include({ owned: true });

    const token = await receiver.getAccessToken();
    const start = { params: { slug: "shellrunners" }, token, body: { source: "agent_api" } };
    const sentence = `Expected ${receiver.address} to have a primary identity; it owns 1 and has chosen none: call setPrimaryIdentity(${gift}) of ${stack.deployment.identity}, or register one (POST /api/identity/register).`;
    for (const [route, call] of [
      ["sessions.start", start],
      ["rewards.payout", { token, body: {} }],
    ] as const) {
      const { error, next } = (await api.expectError(route, "IDENTITY_REQUIRED", call)).body;
      expect(error).to.equal(sentence);
      // The next step contains the identity that the wallet may choose.
      const { body } = await stack.request(next.method, next.path, { body: next.body });
      expect(body).to.include({ owned: true, agentId: gift, owner: receiver.address });
    }

    const registration = await api.expectSuccess("identity.register", request(wallet));
    await sendCall(receiver, registration.body.call);
    const { agentId } = await getOwnershipStatus(wallet);
    expect(agentId).to.be.a("string").and.to.not.equal(gift);
    await api.expectSuccess("sessions.start", start);
  });

  describe("the registration file", () => {
    const OPEN_ABI = parseAbi(["function setOpenRegistration(bool open)", "function register(string agentURI)"]);
    const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
    const read = async (uri: string) => {
      const response = await fetch(uri);
      expect(response.headers.get("cache-control")).to.match(/no-cache/);
      return response.text();
    };
    const mint = async (agent: Player) => {
      const { body } = await api.expectSuccess("identity.register", request({ walletAddress: agent.address }));
      const before = await read(body.tokenURI);
      await sendCall(agent, body.call);
      const status = await getOwnershipStatus({ walletAddress: agent.address });
      const name = { agentId: Number(status.agentId), agentRegistry: status.registry };
      return { ...status, before, name, digest: /([0-9a-f]{64})\.json$/.exec(body.tokenURI)![1]! };
    };

    it("contains its registration from the mint on, and is otherwise the minted document", async () => {
      const { tokenURI, before, name, digest } = await mint(await createPlayer(stack));
      expect(hash(before)).to.equal(digest);
      const file = await read(tokenURI);
      expect(JSON.parse(file).registrations).to.deep.equal([name]);
      expect(hash(file.replace(/"registrations":\[[^\]]*\]/, '"registrations":[]'))).to.equal(digest);
      const document = await api.expectSuccess("identity.metadata", { params: { digest } });
      expect({ ...document.body, registrations: [name] }).to.deep.equal(JSON.parse(file));
      await api.expectSuccess("identity.registrationFile", { params: { digest: digest.toUpperCase() } });
    });

    it("lists every identity that its wallet minted with it, but none of another wallet with its URI", async () => {
      const [agent, other] = [await createPlayer(stack), await createPlayer(stack)];
      const first = await mint(agent);
      await transferToken(agent, stack.deployment.identity, other.address, first.agentId);
      const second = await mint(agent);
      expect(second.tokenURI).to.equal(first.tokenURI);
      const to = stack.deployment.identity;
      const open = (isOpen: boolean) =>
        sendWithFixedGas(stack, developmentServiceAccount(0).privateKey, {
          to,
          data: encodeFunctionData({ abi: OPEN_ABI, functionName: "setOpenRegistration", args: [isOpen] }),
        });
      await open(true);
      const data = encodeFunctionData({ abi: OPEN_ABI, functionName: "register", args: [first.tokenURI] });
      await sendCall(other, { to, data });
      await open(false);
      expect((await getOwnershipStatus({ walletAddress: other.address })).tokenURI).to.equal(first.tokenURI);
      const { registrations } = JSON.parse(await read(first.tokenURI));
      expect(registrations).to.deep.equal([first.name, second.name]);
    });
  });

  it("an unknown digest has no document and no registration file", async () => {
    for (const digest of ["0", "0".repeat(64), "..%2f..%2fetc%2fpasswd"])
      for (const route of ["identity.metadata", "identity.registrationFile"] as const)
        await api.expectError(route, "NOT_FOUND", { params: { digest } });
  });

  describe("while the chain is unavailable", () => {
    it("a registration reports the unavailable chain, and the ownership status is known", async () => {
      await stopChain(stack);
      await api.expectError("identity.register", "CHAIN_UNAVAILABLE", request());
      const body = { walletAddress: player.address };
      expect((await api.expectSuccess("identity.ownershipStatus", { body })).body.asOf.block).to.be.greaterThan(0);
    });
  });
});
