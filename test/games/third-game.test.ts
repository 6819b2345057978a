import { expect } from "chai";
import {
  playSession,
  progressNft,
  type SessionRecord,
  snapshotScore,
  spectate,
  verifyReplay,
} from "../../client/index.ts";
import { gameList, rulesOf } from "../fixtures/games.ts";
import { lanternlanes } from "../fixtures/lanternlanes/game.ts";
import { makeFastClock } from "../helpers/fast-clock.ts";
import { makeAgent, type Player } from "../helpers/player.ts";
import { type Suite, startSuite } from "../helpers/suite.ts";

const { slug } = lanternlanes;

describe("a third game, by one folder and one line", () => {
  let suite: Suite;
  let agent: Player;
  before(async () => {
    suite = await startSuite({ clock: makeFastClock(4), gameList });
    agent = await makeAgent(suite, "Lantern");
  });
  after(() => suite.close());

  it("stands in the catalog with its actions, kinds, tiers, channels and contract", async () => {
    const { body } = await suite.request("GET", "/api/games/catalog");
    const entry = body.games.find((game: { slug: string }) => game.slug === slug);
    expect(entry).to.deep.include({ title: "Lanternlanes", tickHz: 20, rulesVersion: 1 });
    expect(entry.actions).to.deep.equal(lanternlanes.inputs.map(({ message }) => message));
    expect(entry.frameSchema.entities.map(({ kind }: { kind: string }) => kind)).to.deep.equal([
      "cobweb",
      "nectar",
      "spark",
    ]);
    expect(entry.nft).to.deep.include({ name: "Agent Arcade Lanternlanes", address: suite.deployment.nft[slug] });
    expect(entry.ws.play).to.match(/\/ws\/lanternlanes\/play$/);
  });

  it("stands in the agent's instructions and in the AsyncAPI document", async () => {
    const instructions = await suite.request("GET", "/api/agent-instructions");
    expect(JSON.stringify(instructions.body)).to.include(slug);
    const asyncapi = await suite.request("GET", "/asyncapi.json");
    expect(asyncapi.body.channels.play.parameters.slug.enum).to.include(slug);
  });

  it("is played and watched over its channels, verified, snapshotted, and pays with its own NFT", async () => {
    const session = await agent.client.sessions.start({ slug, source: "agent_api" });
    const { sessionId } = session;
    const seen: string[] = [];
    const watched = spectate({
      client: agent.client,
      slug,
      sessionId,
      compact: true,
      onFrame: (frame) => void seen.push(...frame.entities.map(({ kind }) => kind)),
    });
    const end = await playSession({ client: agent.client, session, bot: lanternlanes.bots.quick!(24_000) });
    expect(end).to.include({ sessionId, endReason: "lives_lost" });
    expect(end.score).to.be.at.least(lanternlanes.nft.tiers[0]!.minScore);
    expect(await watched).to.deep.equal(end);
    expect([...new Set(seen)]).to.have.members(["cobweb", "nectar", "spark"]);

    const { body: replay } = await suite.request("GET", `/api/games/${slug}/sessions/${sessionId}/replay`);
    const verdict = await verifyReplay(replay, { rulesOf, replayDigest: end.replayDigest as `0x${string}` });
    expect(verdict.differences).to.deep.equal([]);
    expect(verdict.finalScore).to.equal(end.score);

    const snapshot = await snapshotScore({ client: agent.client, sessionId });
    expect(snapshot).to.include({ mode: "recorded", scoreDelta: end.score });
    const record: SessionRecord = (await agent.client.sessions.get({ slug, sessionId })).session;
    expect(record.snapshot.state).to.equal("included");
    const nft = await progressNft({ client: agent.client, slug });
    expect(nft.action).to.equal("mint");
    const again = await progressNft({ client: agent.client, slug });
    expect(again.action).to.equal("none");
    const bank = await agent.client.rewards.scorebank({});
    expect(bank.byGame).to.deep.equal({ [slug]: end.score });
  });

  it("is no game of a service that was not told of it", async () => {
    const { games } = await import("../../backend/games/index.ts");
    expect(games.map((game) => game.slug)).not.to.include(slug);
  });
});
