import { expect } from "chai";
import { drawGameNft } from "../../backend/services/metadata/images/game-nft.ts";
import { drawIdentity } from "../../backend/services/metadata/images/identity.ts";
import { snapshotScore } from "../../client/index.ts";
import { findGame } from "../../games/index.ts";
import { addEndedSession } from "../../testing/ended-session.ts";
import { createAgent } from "../../testing/player.ts";
import { useShared } from "../helpers/fixture.ts";
import { useTestStack } from "../helpers/suite.ts";
import { closeWithoutChain, stopChain } from "./support/cut-chain.ts";
import { sendCall, transferToken } from "./support/on-chain.ts";
import { createRouteTester } from "./support/watch-routes.ts";

const ROUTES = ["identityImage", "gameNft", "gameNftImage", "agentRegistration"].map((name) => `metadata.${name}`);
const FIRST_TIER = 220;
const HOSTILE = `<script>"&'`;

/** Expects well-formed SVG without external references and without scripts. */
function expectPicture(svg: string): void {
  expect(svg).to.match(
    /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 600 600"[^>]*><title>[^<]+<\/title>/,
  );
  const open: string[] = [];
  for (const [, close, name, rest] of svg.matchAll(/<(\/?)([a-zA-Z]+)((?:[^<>"]|"[^"<]*")*)>/g)) {
    if (close === "/") expect(open.pop()).to.equal(name);
    else if (!rest!.endsWith("/")) open.push(name!);
  }
  expect(open).to.deep.equal([]);
  expect(svg).to.not.match(/<script|\son[a-z]+=|href|<foreignObject|NaN|undefined/i);
}

describe("pictures", () => {
  const wallet = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

  it("the picture of an agent is the same for a wallet, and differs between wallets", () => {
    const alice = drawIdentity({ wallet, agentId: "1", name: "Pinch" });
    expectPicture(alice);
    expect(drawIdentity({ wallet, agentId: "1", name: "Pinch" })).to.equal(alice);
    const bob = drawIdentity({ wallet: "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC", agentId: "1", name: "Pinch" });
    expect(bob.replace(/0x\w+…\w+/, "")).to.not.equal(alice.replace(/0x\w+…\w+/, ""));
    expectPicture(drawIdentity({ wallet, agentId: null, name: null }));
  });

  it("a picture shows any name as text", () => {
    const svg = drawIdentity({ wallet, agentId: "1", name: HOSTILE });
    expectPicture(svg);
    expect(svg).to.include("&lt;script&gt;&quot;&amp;&#39;");
  });

  it("the picture of a game NFT differs by tier, and also exists for a game without art", () => {
    const facts = { tokenId: "7", agentName: HOSTILE, score: 12_345, tierName: "Some", tierCount: 4 };
    for (const slug of ["shellrunners", "flappybots", "another"]) {
      const images = [1, 2, 3, 4].map((tier) =>
        drawGameNft({ ...facts, slug, title: `The ${slug}`, tier }, findGame(slug)?.nftArt),
      );
      for (const svg of images) expectPicture(svg);
      expect(new Set(images).size).to.equal(4);
    }
  });
});

describe("metadata of tokens", () => {
  let agentId: string;
  let score: number;
  const api = createRouteTester(() => stack);
  const stack = useTestStack({}, closeWithoutChain);
  const agent = useShared(() => createAgent(stack, "Pinch"));
  before(async () => {
    agentId = (await agent.client.identity.ownershipStatus({ walletAddress: agent.address })).agentId!;
    const row = await addEndedSession(stack, { wallet: agent.address, minScore: FIRST_TIER });
    score = row.score;
    await snapshotScore({ client: agent.client, sessionId: row.sessionId });
    const mint = await agent.client.nft.prepare({ slug: "shellrunners" });
    if (mint.action === "none") throw new Error(mint.reason);
    await sendCall(agent, mint.call);
  });
  api.checkCodesAfterAll(ROUTES);

  const nft = (tokenId: string, slug = "shellrunners") => ({ params: { slug, tokenId } });

  it("the service draws the picture that a registration refers to", async () => {
    const { tokenURI } = await agent.client.identity.ownershipStatus({ walletAddress: agent.address });
    const digest = /([0-9a-f]{64})\.json$/.exec(tokenURI!)![1]!;
    const { image } = (await stack.request("GET", `/api/metadata/identity/${digest}.json`)).body;
    expect(image).to.equal(`${stack.httpUrl}/api/metadata/identity/${agent.address}.svg`);
    const byWallet = await api.expectSuccess("metadata.identityImage", { params: { holder: agent.address } });
    expect(byWallet.headers.get("content-type")).to.match(/^image\/svg\+xml/);
    expect(byWallet.headers.get("content-security-policy")).to.match(/default-src 'none'/);
    expectPicture(byWallet.body);
    expect(byWallet.body).to.include(">Pinch<").and.include(`>#${agentId}<`);
    const byId = await api.expectSuccess("metadata.identityImage", { params: { holder: agentId } });
    expect(byId.body).to.equal(byWallet.body);
    const unregistered = await api.expectSuccess("metadata.identityImage", {
      params: { holder: `0x${"ab".repeat(20)}` },
    });
    expect(unregistered.body).to.include("unnamed agent");
  });

  it("the picture shows the profile's name once there is one", async () => {
    await agent.client.identity.profileUpsert({ agentName: "Pincher" });
    const { body } = await api.expectSuccess("metadata.identityImage", { params: { holder: agent.address } });
    expect(body).to.include(">Pincher<");
  });

  it("the metadata of a game NFT comes from the chain", async () => {
    const { body } = await api.expectSuccess("metadata.gameNft", nft(agentId));
    expect(body.name).to.equal(`Shellrunners Hermit #${agentId}`);
    expect(body.image).to.equal(`${stack.httpUrl}/api/metadata/shellrunners/${agentId}.svg`);
    expect(body.description).to.include("Pinch").and.include(String(score));
    const traits = Object.fromEntries(
      body.attributes.map((it: { trait_type: string; value: unknown }) => [it.trait_type, it.value]),
    );
    expect(traits).to.deep.equal({
      Game: "Shellrunners",
      Tier: "Hermit",
      "Tier level": 1,
      Score: score,
      Agent: "Pinch",
    });
    const picture = await api.expectSuccess("metadata.gameNftImage", nft(agentId));
    expectPicture(picture.body);
    expect(picture.body).to.include(">Hermit<");
  });

  it("the metadata stays the same when the token is transferred", async () => {
    const { body: before } = await api.expectSuccess("metadata.gameNft", nft(agentId));
    await transferToken(agent, stack.deployment.nft.shellrunners!, `0x${"12".repeat(20)}`, agentId);
    expect((await api.expectSuccess("metadata.gameNft", nft(agentId))).body).to.deep.equal(before);
  });

  it("metadata of an unknown token is NOT_FOUND", async () => {
    for (const holder of ["0", "999", "nobody", "0x12", "1e3", "9".repeat(80), "../x"]) {
      await api.expectError("metadata.identityImage", "NOT_FOUND", { params: { holder: encodeURIComponent(holder) } });
    }
    for (const tokenId of ["0", "999", "nope", "-1", "9".repeat(80)]) {
      await api.expectError("metadata.gameNft", "NOT_FOUND", nft(tokenId));
      await api.expectError("metadata.gameNftImage", "NOT_FOUND", nft(tokenId));
    }
    await api.expectError("metadata.gameNft", "GAME_NOT_FOUND", nft("1", "tetris"));
    await api.expectError("metadata.gameNftImage", "GAME_NOT_FOUND", nft("1", "tetris"));
  });

  it("the registration file describes the service", async () => {
    const { body } = await api.expectSuccess("metadata.agentRegistration");
    expect(body).to.deep.include({
      type: "https://eips.ethereum.org/EIPS/eip-8004#registration-v1",
      name: "Agent Arcade",
      active: true,
      registrations: [],
      agentRegistry: `eip155:31337:${stack.deployment.identity}`,
    });
    const svg = Buffer.from(body.image.replace("data:image/svg+xml;base64,", ""), "base64").toString();
    expectPicture(svg);
    for (const { name, endpoint } of body.services) {
      if (endpoint.startsWith("http") && name !== "web") expect((await fetch(endpoint)).status, endpoint).to.equal(200);
    }
  });

  it("the metadata routes answer while the chain is unavailable", async () => {
    await stopChain(stack);
    await api.expectSuccess("metadata.identityImage", { params: { holder: agentId } });
    await api.expectSuccess("metadata.gameNft", nft(agentId));
    await api.expectSuccess("metadata.gameNftImage", nft(agentId));
    await api.expectSuccess("metadata.identityImage", { params: { holder: agent.address } });
  });
});
