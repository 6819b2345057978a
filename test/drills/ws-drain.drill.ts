/** N1: SIGTERM with 20 games running: 503 at once, 1012 to every socket, out within 10 s, and nothing lost. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { TestSocket } from "../runtime/test-socket.ts";
import { IS_PLANTED, tell, until } from "./support/drill.ts";
import { type ArcadeProcess, startProcess } from "./support/process.ts";

const GAMES = 20;
/** What a stop may cost: nothing beyond the frames that were on their way. */
const LOST_TICKS_MAX = 2;

interface Started {
  readonly sessionId: string;
  readonly wsUrl: string;
  readonly playToken: string;
}

describe("N1: a stop with games running", function () {
  this.timeout(180_000);
  let dataDir: string;
  let arcade: ArcadeProcess;
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "arcade-drill-"));
    arcade = await startProcess({ dataDir });
  });
  after(async () => {
    arcade.kill("SIGKILL");
    await arcade.exited;
    await rm(dataDir, { recursive: true, force: true });
  });

  const start = async (slug: string): Promise<Started> => {
    const response = await fetch(`${arcade.ready.httpUrl}/api/games/${slug}/sessions/start`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ source: "browser_ws" }),
    });
    return (await response.json()) as Started;
  };

  it("is told to balancers and players at once, ends in time and loses no tick", async () => {
    const players: { readonly slug: string; readonly sessionId: string; readonly socket: TestSocket }[] = [];
    for (let i = 0; i < GAMES; i++) {
      const slug = i % 2 === 0 ? "shellrunners" : "flappybots";
      const { sessionId, wsUrl, playToken } = await start(slug);
      const socket = await new TestSocket(wsUrl).open();
      socket.send({ t: "auth", token: playToken });
      await socket.hello();
      players.push({ slug, sessionId, socket });
    }
    await Promise.all(players.map(({ socket }) => socket.frame(({ phase }) => phase === "running")));
    const { httpUrl } = arcade.ready;
    const stoppedMs = performance.now();
    arcade.kill(IS_PLANTED ? "SIGKILL" : "SIGTERM");
    let refusedMs = Number.NaN;
    await until("readiness is refused", async () => {
      const response = await fetch(`${httpUrl}/readyz`).catch(() => null);
      if (response === null) throw new Error("the door was shut before it said 503");
      if (response.status === 503) refusedMs = performance.now() - stoppedMs;
      return response.status === 503;
    });
    const closes = await Promise.all(players.map(({ socket }) => socket.closed));
    const code = await arcade.exited;
    const exitMs = performance.now() - stoppedMs;
    expect(code).to.equal(0);
    expect(new Set(closes.map(({ code, reason }) => `${code} ${reason}`))).to.deep.equal(
      new Set(["1012 SERVER_RESTART"]),
    );
    expect(exitMs).to.be.below(10_000);

    arcade = await startProcess({ dataDir });
    let lost = 0;
    for (const { slug, sessionId, socket } of players) {
      const seen = socket.frames().at(-1)!;
      const response = await fetch(`${arcade.ready.httpUrl}/api/games/${slug}/sessions/${sessionId}`);
      const { session } = (await response.json()) as { session: { tick: number; score: number; phase: string } };
      lost = Math.max(lost, seen.tick - session.tick);
      expect(session.score, sessionId).to.be.at.least(seen.tick - session.tick > 0 ? 0 : seen.score.current);
    }
    tell({
      games: GAMES,
      "503 after": `${refusedMs.toFixed(0)} ms`,
      "exit after": `${exitMs.toFixed(0)} ms`,
      "ticks lost": lost,
    });
    expect(lost).to.be.at.most(LOST_TICKS_MAX);
  });
});
