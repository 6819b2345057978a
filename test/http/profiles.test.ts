import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { makeAgent, makePlayer, type Player } from "../helpers/player.ts";
import { type Suite, startSuite } from "../helpers/suite.ts";
import { cutChain, endWithoutChain } from "./support/cut-chain.ts";
import { sendCall } from "./support/on-chain.ts";
import { watchRoutes } from "./support/watch-routes.ts";

const ROUTES = ["profileGet", "profileUpsert", "profileMetadata", "metadata"].map((name) => `identity.${name}`);
const STRANGER = "0x000000000000000000000000000000000000dEaD";

describe("profiles", () => {
  let suite: Suite;
  let agent: Player;
  let agentId: string;
  const api = watchRoutes(() => suite);
  before(async () => {
    suite = await startSuite();
    agent = await makeAgent(suite, "Pinch");
    agentId = (await agent.client.identity.ownershipStatus({ walletAddress: agent.address })).agentId!;
  });
  after(() => endWithoutChain(suite));

  const get = async (body: object) => (await api.succeed("identity.profileGet", { body })).body.profile;
  const upsert = async (body: object, player = agent) =>
    (await api.succeed("identity.profileUpsert", { token: await player.token(), body })).body.profile;

  it("are null until they are written", async () => {
    expect(await get({ walletAddress: STRANGER })).to.equal(null);
    expect(await get({ walletAddress: agent.address })).to.equal(null);
    expect(await get({ agentId })).to.equal(null);
    expect(await get({ agentId: "999" })).to.equal(null);
  });

  it("begin with what the agent was registered with", async () => {
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

  it("keep what a change does not name, and clear what it names", async () => {
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

  it("take two changes at once without losing one", async () => {
    await Promise.all([upsert({ bio: "both" }), upsert({ links: ["https://example.org/both"] })]);
    expect(await get({ agentId })).to.deep.include({ bio: "both", links: ["https://example.org/both"] });
  });

  it("hold plain text alone, in one form", async () => {
    expect((await upsert({ agentName: "Cafe\u0301" })).agentName).to.equal("Caf\u00e9");
    const token = await agent.token();
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
      await api.refuse("identity.profileUpsert", "VALIDATION_FAILED", { token, body });
    }
    await api.refuse("identity.profileUpsert", "UNKNOWN_FIELD", { token, body: { agentId: "2" } });
    await api.refuse("identity.profileGet", "VALIDATION_FAILED", { body: {} });
    await api.refuse("identity.profileGet", "VALIDATION_FAILED", { body: { agentId, walletAddress: STRANGER } });
  });

  it("are written by the holder of an identity for its own wallet", async () => {
    const token = await (await makePlayer(suite)).token();
    await api.refuse("identity.profileUpsert", "IDENTITY_REQUIRED", { token, body: {} });
    await api.refuse("identity.profileMetadata", "IDENTITY_REQUIRED", { token, body: {} });
    await api.refuse("identity.profileUpsert", "FORBIDDEN", {
      token: await agent.token(),
      body: { walletAddress: STRANGER },
    });
  });

  it("answer a repeated change from memory", async () => {
    const token = await agent.token();
    const headers = { "Idempotency-Key": randomUUID() };
    const first = await api.succeed("identity.profileUpsert", { token, headers, body: { bio: "once" } });
    await upsert({ bio: "later" });
    const again = await api.succeed("identity.profileUpsert", { token, headers, body: { bio: "once" } });
    expect(again.body.profile).to.deep.equal(first.body.profile);
    expect((await get({ agentId })).bio).to.equal("later");
    await api.refuse("identity.profileUpsert", "IDEMPOTENCY_CONFLICT", { token, headers, body: { bio: "twice" } });
  });

  it("become the document of the identity through the prepared call", async () => {
    await upsert({
      agentName: "Pinch III",
      bio: "Sideways.",
      links: ["https://example.org/p"],
      services: [],
      image: null,
    });
    const { body } = await api.succeed("identity.profileMetadata", {
      token: await agent.token(),
      body: { bio: "Faster sideways." },
    });
    expect(body.metadata).to.deep.include({
      type: "https://eips.ethereum.org/EIPS/eip-8004#registration-v1",
      name: "Pinch III",
      description: "Faster sideways.",
      image: `${suite.httpUrl}/api/metadata/identity/${agent.address}.svg`,
      services: [{ name: "web", endpoint: "https://example.org/p" }],
      registrations: [{ agentId: Number(agentId), agentRegistry: `eip155:31337:${suite.deployment.identity}` }],
    });
    expect(body.call).to.deep.include({
      functionName: "setAgentURI",
      to: suite.deployment.identity,
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
    await api.succeed("identity.metadata", { params: { digest } });
    await api.refuse("identity.metadata", "NOT_FOUND", { params: { digest: "0".repeat(64) } });
  });

  it("say when the chain is away", async () => {
    const token = await agent.token();
    const late = await makePlayer(suite);
    const lateToken = await late.token();
    await cutChain(suite);
    expect((await get({ walletAddress: agent.address })).agentName).to.equal("Pinch III");
    await api.refuse("identity.profileGet", "CHAIN_UNAVAILABLE", { body: { agentId } });
    await api.refuse("identity.profileUpsert", "CHAIN_UNAVAILABLE", { token: lateToken, body: {} });
    await api.refuse("identity.profileMetadata", "CHAIN_UNAVAILABLE", { token, body: {} });
    api.expectComplete(ROUTES);
  });
});
