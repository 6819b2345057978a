/** N1: SIGTERM with 20 running ranked games: 503 at once, 1012 to every socket, exit within 10 s, and nothing lost. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { type ArcadeClient, registerAgent } from "../../client/index.ts";
import { findFreePort } from "../../scripts/fleet/free-port.ts";
import { TestSocket } from "../../test/live/test-socket.ts";
import { type DrillAgent, fund, makeDrillAgent } from "./support/agent.ts";
import {
  expectFigure,
  FigureError,
  IS_SELF_TEST,
  PATIENT_WITH_CHAIN,
  printFigures,
  waitUntil,
} from "./support/drill.ts";
import { type ArcadeProcess, startProcess } from "./support/process.ts";

/** Each plays both games: a wallet has one open session of a game. */
const AGENTS = 10;
const SLUGS = ["shellrunners", "flappybots"];
/** The ticks that a stop may lose: only frames in transit. */
const LOST_TICKS_MAX = 2;

interface Player {
  readonly agent: DrillAgent;
  readonly slug: string;
  readonly sessionId: string;
  readonly socket: TestSocket;
}

async function connectSocket(ticket: { readonly token: string; readonly wsUrl: string }): Promise<TestSocket> {
  const socket = await new TestSocket(ticket.wsUrl).open();
  socket.send({ t: "auth", token: ticket.token });
  await socket.waitForHello();
  return socket;
}

describe("N1: a stop with games running", function () {
  this.timeout(300_000);
  let dataDir: string;
  let env: { [name: string]: string };
  let arcade: ArcadeProcess;
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "arcade-drill-"));
    // It restarts on the same ports, for the same clients.
    const ports = { ARCADE_PORT: String(await findFreePort()), ARCADE_RPC_PORT: String(await findFreePort()) };
    env = { ...PATIENT_WITH_CHAIN, ...ports };
    arcade = await startProcess({ dataDir, env });
  });
  after(async () => {
    arcade.kill("SIGKILL");
    await arcade.exited;
    await rm(dataDir, { recursive: true, force: true });
  });

  const connectClient = ({ agent }: { readonly agent: DrillAgent }): ArcadeClient => agent.connect(arcade.ready);

  async function register(agent: DrillAgent): Promise<void> {
    await fund(arcade.ready, agent.address);
    await registerAgent({ client: connectClient({ agent }), agentName: "Stopped" });
  }

  const startPlayers = (agent: DrillAgent): Promise<Player[]> =>
    Promise.all(
      SLUGS.map(async (slug) => {
        const started = await connectClient({ agent }).sessions.start({ slug, source: "agent_api" });
        const { sessionId, playToken, wsUrl } = started;
        return { agent, slug, sessionId, socket: await connectSocket({ token: playToken, wsUrl }) };
      }),
    );

  /** Reconnects to a game, continues it, and ends it. Returns the score that the server stored. */
  async function finishGame(player: Player): Promise<number> {
    const { slug, sessionId } = player;
    const client = connectClient(player);
    const socket = await connectSocket(await client.sessions.playToken({ slug, sessionId }));
    expect((await socket.waitForHello()).resumed).to.equal(true);
    const { tick } = player.socket.getFrames().at(-1)!;
    await socket.frame((frame) => frame.tick > tick);
    socket.send({ t: "cmd", cmd: "exit" });
    await socket.closed;
    const { session } = await client.sessions.get({ slug, sessionId });
    expect(session.phase).to.equal("ended");
    return session.score;
  }

  it("a stop is reported to balancers and players at once, ends in time and loses no tick", async () => {
    const agents = Array.from({ length: AGENTS }, () => makeDrillAgent());
    await Promise.all(agents.map(register));
    const players = (await Promise.all(agents.map(startPlayers))).flat();
    await Promise.all(players.map(({ socket }) => socket.frame(({ phase }) => phase === "running")));
    // A game without inputs is over after some seconds.
    const isOpen = ({ socket: { ws } }: Player): boolean => ws.readyState === ws.OPEN;
    expectFigure(() => expect(players.filter(isOpen), "games that run at the stop").to.have.length(players.length));
    const { httpUrl } = arcade.ready;
    const stoppedMs = performance.now();
    arcade.kill(IS_SELF_TEST ? "SIGKILL" : "SIGTERM");
    let unreadyMs = Number.NaN;
    await waitUntil("readiness is refused", async () => {
      const response = await fetch(`${httpUrl}/readyz`).catch(() => null);
      // The port stays open for a second, which may be too short for this test on a busy machine.
      if (response === null) throw new FigureError("the server closed the port before it answered 503");
      if (response.status === 503) unreadyMs = performance.now() - stoppedMs;
      return response.status === 503;
    });
    const closes = await Promise.all(players.map(({ socket }) => socket.closed));
    const code = await arcade.exited;
    const exitMs = performance.now() - stoppedMs;
    expect(code).to.equal(0);
    expect(new Set(closes.map(({ code, reason }) => `${code} ${reason}`))).to.deep.equal(
      new Set(["1012 SERVER_RESTART"]),
    );
    expectFigure(() => expect(exitMs).to.be.below(10_000));

    arcade = await startProcess({ dataDir, env });
    let lost = 0;
    for (const player of players) {
      const { slug, sessionId, socket } = player;
      const seen = socket.getFrames().at(-1)!;
      const { session } = await connectClient(player).sessions.get({ slug, sessionId });
      lost = Math.max(lost, seen.tick - session.tick);
      expect(session.score, sessionId).to.be.at.least(seen.tick - session.tick > 0 ? 0 : seen.score.current);
    }
    const scores = await Promise.all(players.map(finishGame));
    for (const [i, { socket }] of players.entries()) {
      expect(scores[i], "the score at the end").to.be.at.least(socket.getFrames().at(-1)!.score.current);
    }
    printFigures({
      games: players.length,
      "503 after": `${unreadyMs.toFixed(0)} ms`,
      "exit after": `${exitMs.toFixed(0)} ms`,
      "ticks lost": lost,
    });
    expect(lost).to.be.at.most(LOST_TICKS_MAX);
  });
});
