import { expect } from "chai";
import { DemoAgents } from "../../backend/live/demo-agents.ts";
import { DEMO_AGENT_NAME } from "../../domain/session.ts";
import type { Bot, Game } from "../../games/game.ts";
import { findGame } from "../../games/index.ts";
import { type LiveTestServer, startLiveTestServer } from "./live-suite.ts";

describe("the bots of the service's own agents", () => {
  let testServer: LiveTestServer;
  let demoAgents: DemoAgents;
  /** The bots that were called, in order. */
  let asked: ("reference" | "better")[];
  beforeEach(async () => {
    testServer = await startLiveTestServer();
    asked = [];
    const createBot = (name: (typeof asked)[number]) => (): Bot => () => {
      asked.push(name);
      return null;
    };
    const game = findGame("shellrunners")!;
    const bots = { ...game.bots, reference: createBot("reference"), better: createBot("better") };
    const player = { source: "browser_ws", wallet: null, agentId: null, agentName: DEMO_AGENT_NAME } as const;
    demoAgents = new DemoAgents({
      registry: testServer.game.registry,
      clock: testServer.clock,
      games: [{ ...game, bots } as Game],
      sessionsMax: 100,
      open: () => testServer.startSession(player),
      log: { debug() {}, info() {}, warn() {}, error() {} },
    });
    await demoAgents.start();
  });
  afterEach(async () => {
    await testServer.runUntilSettled(demoAgents.stop());
    await testServer.stop();
  });

  const getSession = () =>
    [...testServer.game.registry.all()].find(
      ({ row, phase }) => row.agentName === DEMO_AGENT_NAME && phase !== "ended",
    );

  const waitForBot = () =>
    testServer.waitUntil(async () => {
      await testServer.advance(50);
      return asked.length > 0;
    });

  /** The bots that play for a second. */
  async function listBots(): Promise<readonly string[]> {
    asked = [];
    await waitForBot();
    await testServer.advance(1000);
    return [...new Set(asked)];
  }

  /** Ends the demo agent's session, waits for the next one, and returns the bots that play it before a spectator. */
  async function playNext(): Promise<readonly string[]> {
    const before = getSession()!;
    before.end("yielded");
    await testServer.waitUntil(async () => {
      await testServer.advance(50);
      return getSession() !== before && getSession()?.phase === "running";
    });
    getSession()!.seats.take("spectator", null, testServer.clock.nowMs());
    return await listBots();
  }

  it("alternate between the reference and the planning bot from game to game", async () => {
    await waitForBot();
    expect([...new Set(asked)]).to.deep.equal(["reference"]);
    expect(await playNext()).to.deep.equal(["better"]);
    expect(await playNext()).to.deep.equal(["reference"]);
  });

  it("save CPU for other players: the reference bot then continues", async () => {
    expect(await playNext()).to.deep.equal(["better"]);
    await testServer.startSession({ slug: "flappybots", source: "browser_ws", wallet: null });
    expect(await listBots()).to.deep.equal(["reference"]);
  });

  it("save CPU while no one watches", async () => {
    expect(await playNext()).to.deep.equal(["better"]);
    getSession()!.seats.leave("spectator");
    expect(await listBots()).to.deep.equal(["reference"]);
  });

  it("end their games with the reason of a restart when the service stops", async () => {
    const { sessionId } = getSession()!.row;
    await testServer.runUntilSettled(demoAgents.stop());
    while (testServer.game.registry.get(sessionId)?.phase === "ended") await testServer.advance(50);
    expect((await testServer.game.find(sessionId))!.endReason).to.equal("server_restart");
  });
});
