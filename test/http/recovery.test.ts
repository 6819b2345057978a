import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { WebSocket } from "ws";
import { createAgent, type Player } from "../../testing/player.ts";
import { expectProblem } from "../helpers/problem.ts";
import { startTestStack, type TestStack } from "../helpers/suite.ts";
import { ShiftClock } from "./support/shift-clock.ts";

/** Holds the 0 ms timers between which open sessions are recovered, until they are released. */
class HoldingClock extends ShiftClock {
  #held: (() => void)[] | null = [];
  #onTimer: (delayMs: number) => void = () => undefined;

  override after(delayMs: number, run: () => void): () => void {
    this.#onTimer(delayMs);
    if (delayMs > 0 || this.#held === null) return super.after(delayMs, run);
    this.#held.push(run);
    return () => {
      this.#held = this.#held?.filter((other) => other !== run) ?? null;
    };
  }

  /** Resolves when a timer of this time is set, like that of a waiting request. */
  waitForTimer(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.#onTimer = (otherMs) => {
        if (otherMs === delayMs) resolve();
      };
    });
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const run of held) run();
  }
}

/** The status of a rejected upgrade, 101 if it was accepted. */
const openSocket = (url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    socket.on("open", () => {
      socket.terminate();
      resolve(101);
    });
    socket.on("unexpected-response", (_, response) => resolve(response.statusCode!));
    socket.on("error", reject);
  });

describe("a service that recovers the open sessions of the last process", () => {
  const slug = "shellrunners";
  const clock = new HoldingClock();
  let dataDir: string;
  let stack: TestStack;
  let agents: readonly Player[];
  let sessionIds: readonly string[];

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "arcade-recovery-"));
    const first = await startTestStack({ dataDir });
    agents = [await createAgent(first), await createAgent(first), await createAgent(first)];
    const started = agents.map(({ client }) => client.sessions.start({ slug, source: "agent_api" }));
    sessionIds = (await Promise.all(started)).map(({ sessionId }) => sessionId);
    await first.close();
    stack = await startTestStack({ dataDir, clock });
  });
  after(async () => {
    clock.release();
    await stack?.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  /** The running session, and a waiting one, with its player's token. */
  async function findSessions() {
    const views = await Promise.all(
      sessionIds.map(async (id) => (await stack.request("GET", `/api/games/${slug}/sessions/${id}`)).body.session),
    );
    const index = views.findIndex(({ joinable }) => !joinable);
    const running = views.findIndex(({ joinable }) => joinable);
    const toSession = async (at: number) => ({
      sessionId: sessionIds[at]!,
      path: `/api/games/${slug}/sessions/${sessionIds[at]}`,
      token: await agents[at]!.getAccessToken(),
    });
    return { waiting: await toSession(index), running: await toSession(running) };
  }

  it("answers reads at once, and /readyz reports how many sessions run again", async () => {
    expect((await stack.request("GET", "/healthz")).status).to.equal(200);
    const { status, body } = await stack.request("GET", "/readyz");
    expect(status).to.equal(503);
    expect(body.checks.filter(({ ok }: { ok: boolean }) => !ok)).to.deep.equal([
      { name: "sessions", ok: false, required: true, sentence: "recovering: 1 of 3 open sessions run again" },
    ]);
    const { items } = (await stack.request("GET", `/api/games/${slug}/sessions/live`)).body;
    expect(items).to.have.length(3);
    expect((await stack.request("GET", "/api/leaderboard")).status).to.equal(200);
    const { running } = await findSessions();
    const { token } = running;
    expect((await stack.request("POST", `${running.path}/heartbeat`, { token })).status).to.equal(200);
  });

  it("tells requests for a session that is not running again yet to retry", async () => {
    const { waiting } = await findSessions();
    const { path, token, sessionId } = waiting;
    const wsUrl = `${stack.app.wsUrl}/ws/${slug}/spectate?sessionId=${sessionId}`;
    const [socket, ...answers] = await Promise.all([
      openSocket(wsUrl),
      stack.request("POST", `${path}/heartbeat`, { token }),
      stack.request("POST", `${path}/end`, { token }),
      stack.request("POST", `${path}/play-token`, { token }),
      stack.request("POST", `${path}/spectate-token`, { token }),
      stack.request("POST", `${path}/spectate-token-public`),
    ]);
    for (const answer of answers) {
      expectProblem(answer, "SESSION_RECOVERING");
      expect(answer.headers.get("retry-after")).to.equal("1");
    }
    expect(socket).to.equal(503);
  });

  it("answers a waiting request as soon as its session runs again, and is ready after the last one", async () => {
    const { waiting } = await findSessions();
    const { path, token } = waiting;
    const isWaiting = clock.waitForTimer(1000);
    const ended = stack.request("POST", `${path}/end`, { token });
    await isWaiting;
    clock.release();
    const { status, body } = await ended;
    expect(status).to.equal(200);
    expect(body.session).to.include({ phase: "ended", endReason: "ended_by_player" });
    while ((await stack.request("GET", "/readyz")).status !== 200);
  });
});
