import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { createAgent, createPlayer } from "../../testing/player.ts";
import { useShared } from "../helpers/fixture.ts";
import { useTestStack } from "../helpers/suite.ts";
import { closeWithoutChain, stopChain } from "./support/cut-chain.ts";
import { sendCall } from "./support/on-chain.ts";
import { createRouteTester } from "./support/watch-routes.ts";

const ROUTES = ["profileGet", "profileUpsert", "profileMetadata", "metadata"].map((name) => `identity.${name}`);
const UNREGISTERED_WALLET = "0x000000000000000000000000000000000000dEaD";

describe("profiles", () => {
  let agentId: string;
  const api = createRouteTester(() => stack);
  const stack = useTestStack({}, closeWithoutChain);
  const agent = useShared(() => createAgent(stack, "Pinch"));
  before(async () => {
    agentId = (await agent.client.identity.ownershipStatus({ walletAddress: agent.address })).agentId!;
  });
  api.checkCodesAfterAll(ROUTES);

  const get = async (body: object) => (await api.expectSuccess("identity.profileGet", { body })).body.profile;
  const upsert = async (body: object, player = agent) =>
    (await api.expectSuccess("identity.profileUpsert", { token: await player.getAccessToken(), body })).body.profile;

  it("a profile is null until it is written", async () => {
    expect(await get({ walletAddress: UNREGISTERED_WALLET })).to.equal(null);
    expect(await get({ walletAddress: agent.address })).to.equal(null);
    expect(await get({ agentId })).to.equal(null);
    expect(await get({ agentId: "999" })).to.equal(null);
  });

  it("a profile starts with the fields of the registration", async () => {
    const profile = await upsert({ bio: "I run sideways." });
    expect(profile).to.deep.include({
      walletAddress: agent.address,
      agentId,
      agentName: "Pinch",
      links: [],
      image: null,
    });
    expect(await get({ walletAddress: agent.address.toLowerCase() })).to.deep.equal(profile);
    expect(await get({ agentId })).to.deep.equal(profile);
  });

  it("a change replaces the given fields and keeps the others", async () => {
    const links = ["https://example.org/pinch"];
    const services = [{ name: "A2A", endpoint: "https://example.org/a2a" }];
    await upsert({ walletAddress: agent.address, links, services, image: "ipfs://bafy/pinch.png" });
    expect(await upsert({ agentName: "Pinch II" })).to.deep.include({ bio: "I run sideways.", links, services });
    expect(await upsert({ image: null, bio: "" })).to.deep.include({
      agentName: "Pinch II",
      image: null,
      bio: "",
      links,
    });
  });

  it("two changes at the same time are both kept", async () => {
    await Promise.all([upsert({ bio: "both" }), upsert({ links: ["https://example.org/both"] })]);
    expect(await get({ agentId })).to.deep.include({ bio: "both", links: ["https://example.org/both"] });
  });

  it("a profile contains only plain text, in one form", async () => {
    expect((await upsert({ agentName: "Cafe\u0301" })).agentName).to.equal("Caf\u00e9");
    const token = await agent.getAccessToken();
    for (const body of [
      { agentName: "" },
      { agentName: "x".repeat(33) },
      { agentName: "a\u202eb" },
      { agentName: "a\u200bb" },
      { bio: "line\nbreak" },
      { bio: "x".repeat(281) },
      { links: ["http://example.org"] },
      { links: ["javascript:alert(1)"] },
      { links: Array.from({ length: 6 }, (_, index) => `https://example.org/${index}`) },
      { image: "data:image/svg+xml,x" },
    ]) {
      await api.expectError("identity.profileUpsert", "VALIDATION_FAILED", { token, body });
    }
    await api.expectError("identity.profileUpsert", "UNKNOWN_FIELD", { token, body: { agentId: "2" } });
    await api.expectError("identity.profileGet", "VALIDATION_FAILED", { body: {} });
    await api.expectError("identity.profileGet", "VALIDATION_FAILED", {
      body: { agentId, walletAddress: UNREGISTERED_WALLET },
    });
  });

  it("only the holder of an identity can write its wallet's profile", async () => {
    const token = await (await createPlayer(stack)).getAccessToken();
    await api.expectError("identity.profileUpsert", "IDENTITY_REQUIRED", { token, body: {} });
    await api.expectError("identity.profileMetadata", "IDENTITY_REQUIRED", { token, body: {} });
    await api.expectError("identity.profileUpsert", "FORBIDDEN", {
      token: await agent.getAccessToken(),
      body: { walletAddress: UNREGISTERED_WALLET },
    });
  });

  it("a repeated change gets the stored response", async () => {
    const token = await agent.getAccessToken();
    const headers = { "Idempotency-Key": randomUUID() };
    const first = await api.expectSuccess("identity.profileUpsert", { token, headers, body: { bio: "once" } });
    await upsert({ bio: "later" });
    const again = await api.expectSuccess("identity.profileUpsert", { token, headers, body: { bio: "once" } });
    expect(again.body.profile).to.deep.equal(first.body.profile);
    expect((await get({ agentId })).bio).to.equal("later");
    await api.expectError("identity.profileUpsert", "IDEMPOTENCY_CONFLICT", { token, headers, body: { bio: "twice" } });
  });

  it("the prepared call makes the profile the document of the identity", async () => {
    await upsert({
      agentName: "Pinch III",
      bio: "Sideways.",
      links: ["https://example.org/p"],
      services: [],
      image: null,
    });
    const { body } = await api.expectSuccess("identity.profileMetadata", {
      token: await agent.getAccessToken(),
      body: { bio: "Faster sideways." },
    });
    expect(body.metadata).to.deep.include({
      type: "https://eips.ethereum.org/EIPS/eip-8004#registration-v1",
      name: "Pinch III",
      description: "Faster sideways.",
      image: `${stack.httpUrl}/api/metadata/identity/${agent.address}.svg`,
      services: [{ name: "web", endpoint: "https://example.org/p" }],
      registrations: [{ agentId: Number(agentId), agentRegistry: `eip155:31337:${stack.deployment.identity}` }],
    });
    expect(body.call).to.deep.include({
      functionName: "setAgentURI",
      to: stack.deployment.identity,
      args: [agentId, body.tokenURI],
    });
    await sendCall(agent, body.call);
    const status = await agent.client.identity.ownershipStatus({ walletAddress: agent.address });
    expect(status.tokenURI).to.equal(body.tokenURI);
    expect((await get({ agentId })).bio, "preparing stores nothing").to.equal("Sideways.");

    const document = await fetch(body.tokenURI);
    const bytes = new Uint8Array(await document.arrayBuffer());
    const digest = Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex");
    expect(body.metadataDigest).to.equal(`0x${digest}`);
    expect(body.tokenURI).to.match(new RegExp(`/api/metadata/identity/${digest}\\.json$`));
    expect(document.headers.get("cache-control")).to.match(/immutable/);
    expect(JSON.parse(new TextDecoder().decode(bytes))).to.deep.equal(body.metadata);
    await api.expectSuccess("identity.metadata", { params: { digest } });
    await api.expectError("identity.metadata", "NOT_FOUND", { params: { digest: "0".repeat(64) } });
  });

  it("the profile routes answer while the chain is unavailable", async () => {
    const token = await agent.getAccessToken();
    const late = await createPlayer(stack);
    const lateToken = await late.getAccessToken();
    await stopChain(stack);
    expect((await get({ walletAddress: agent.address })).agentName).to.equal("Pinch III");
    await api.expectSuccess("identity.profileGet", { body: { agentId } });
    await api.expectError("identity.profileUpsert", "IDENTITY_REQUIRED", { token: lateToken, body: {} });
    await api.expectSuccess("identity.profileMetadata", { token, body: {} });
  });
});
