import { expect } from "chai";
import { createPublicClient, http, parseAbi } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { ConfigError, readConfig } from "../../backend/config/config.ts";
import {
  mintOrUpgradeNft,
  playSession,
  type SessionRecord,
  snapshotScore,
  spectate,
  verifyReplay,
} from "../../client/index.ts";
import { toSeed } from "../../scripts/evaluate/play.ts";
import { createFastClock } from "../../testing/clock.ts";
import { createAgent } from "../../testing/player.ts";
import { DemoRun } from "../../web/session/demo-run.ts";
import { drawSample } from "../../web/session/drawing.ts";
import { findGame, gameList, games, getRules } from "../fixtures/games.ts";
import { lanternlanes } from "../fixtures/lanternlanes/game.ts";
import { useShared } from "../helpers/fixture.ts";
import { useTestStack } from "../helpers/suite.ts";
import { createCheckingContext } from "./checking-context.ts";

const { slug } = lanternlanes;
const NFT_KEY = `0x${"5a".repeat(32)}` as const;
const SETTINGS = { ARCADE_TICK_HZ_LANTERNLANES: "30", ARCADE_NFT_SIGNER_KEY_LANTERNLANES: NFT_KEY };

describe("a third game, added as one folder and one line", () => {
  const stack = useTestStack({ clock: createFastClock(4), gameList, env: SETTINGS });
  const agent = useShared(() => createAgent(stack, "Lantern"));

  it("is in the catalog with its actions, kinds, tiers, channels and contract", async () => {
    const { body } = await stack.request("GET", "/api/games/catalog");
    const entry = body.items.find((game: { slug: string }) => game.slug === slug);
    expect(entry).to.deep.include({ title: "Lanternlanes", tickHz: 30, rulesVersion: 1 });
    expect(entry.actions).to.deep.equal(lanternlanes.inputs.map(({ message }) => message));
    expect(entry.frameSchema.entities.map(({ kind }: { kind: string }) => kind)).to.deep.equal([
      "cobweb",
      "nectar",
      "spark",
    ]);
    expect(entry.nft).to.deep.include({ name: "Agent Arcade Lanternlanes", address: stack.deployment.nft[slug] });
    expect(entry.ws.play).to.match(/\/ws\/lanternlanes\/play$/);
  });

  it("is in the agent's instructions and in the AsyncAPI document", async () => {
    const instructions = await stack.request("GET", "/api/agent-instructions");
    expect(JSON.stringify(instructions.body)).to.include(slug);
    const asyncapi = await stack.request("GET", "/asyncapi.json");
    expect(asyncapi.body.channels.play.parameters.slug.enum).to.include(slug);
  });

  it("has its own settings for the tick rate and the signing key", async () => {
    const client = createPublicClient({ transport: http(stack.chain.rpcUrl) });
    const isSigner = await client.readContract({
      address: stack.deployment.nft[slug]!,
      abi: parseAbi(["function isSigner(address account) view returns (bool)"]),
      functionName: "isSigner",
      args: [privateKeyToAddress(NFT_KEY)],
    });
    expect(isSigner, "the contract counts the configured key").to.equal(true);
    expect(() => readConfig({ ARCADE_TICK_HZ_LANTERNLANES: "25" }, games)).to.throw(ConfigError, "LANTERNLANES");
    expect(() => readConfig(SETTINGS), "a game that is not in the list").to.throw(ConfigError, "unknown setting");
  });

  it("is played and watched over its channels, verified, snapshotted, and paid, with an NFT", async () => {
    const session = await agent.client.sessions.start({ slug, source: "agent_api" });
    const { sessionId } = session;
    const seenKinds: string[] = [];
    const spectatedEnd = spectate({
      client: agent.client,
      slug,
      sessionId,
      onFrame: (frame) => void seenKinds.push(...frame.entities.map(({ kind }) => kind)),
    });
    const end = await playSession({ client: agent.client, session, bot: lanternlanes.bots.quick!(24_000) });
    expect(end).to.include({ sessionId, endReason: "lives_lost" });
    expect(end.score).to.be.at.least(lanternlanes.nft.tiers[0]!.minScore);
    expect(await spectatedEnd).to.deep.equal(end);
    expect([...new Set(seenKinds)]).to.have.members(["cobweb", "nectar", "spark"]);

    const { body: replay } = await stack.request("GET", `/api/games/${slug}/sessions/${sessionId}/replay`);
    const verification = await verifyReplay(replay, { getRules, replayDigest: end.replayDigest as `0x${string}` });
    expect(verification.differences).to.deep.equal([]);
    expect(verification.finalScore).to.equal(end.score);
    expect(replay).to.include({ slug, tickHz: 30 });

    const snapshot = await snapshotScore({ client: agent.client, sessionId });
    expect(snapshot).to.include({ mode: "recorded", scoreDelta: end.score });
    const record: SessionRecord = (await agent.client.sessions.get({ slug, sessionId })).session;
    expect(record.snapshot.state).to.equal("included");
    const { body: board } = await stack.request("GET", `/api/leaderboard?game=${slug}`);
    expect(
      board.items.map(({ walletAddress, score, rank }: (typeof board.items)[0]) => [walletAddress, score, rank]),
    ).to.deep.equal([[agent.address, end.score, 1]]);
    const { body: others } = await stack.request("GET", "/api/leaderboard?game=shellrunners");
    expect(others.items).to.deep.equal([]);

    const nft = await mintOrUpgradeNft({ client: agent.client, slug });
    expect(nft.action).to.equal("mint");
    const again = await mintOrUpgradeNft({ client: agent.client, slug });
    expect(again.action).to.equal("none");
    const scorebank = await agent.client.rewards.scorebank({});
    expect(scorebank.byGame).to.deep.equal({ [slug]: end.score });
  });

  it("is shown by the viewer with its own drawing", () => {
    const run = new DemoRun(findGame(slug)!, () => toSeed(1));
    run.advance(4000, true);
    const ctx = createCheckingContext();
    drawSample(ctx, findGame(slug)!, run.sample());
    expect(ctx.calls).to.be.above(50);
    expect(ctx.texts, "lives, hunger and score stand beside the picture").to.equal(0);
  });

  it("is not a game of a service without its line in the list", async () => {
    const { games } = await import("../../games/index.ts");
    expect(games.map((game) => game.slug)).not.to.include(slug);
  });
});
