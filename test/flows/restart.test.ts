import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { findGame } from "../../backend/games/index.ts";
import {
  type ArcadeClient,
  type HelloMessage,
  type PlayFrame,
  playSession,
  registerAgent,
  requestPayout,
  snapshotScore,
} from "../../client/index.ts";
import { fund, makeDrillAgent } from "../drills/support/agent.ts";
import { type ArcadeProcess, startProcess } from "../drills/support/process.ts";
import { sendRequest } from "../helpers/suite.ts";

const SLUG = "shellrunners";
const TICKS_A_SECOND = findGame(SLUG)!.tickHz;

/** A promise with its `resolve` outside. */
function latch<T>(): { readonly reached: Promise<T>; readonly reach: (value: T) => void } {
  let reach: (value: T) => void = () => undefined;
  const reached = new Promise<T>((resolve) => {
    reach = resolve;
  });
  return { reached, reach };
}

async function passSeconds(rpcUrl: string, seconds: number): Promise<void> {
  for (const [method, params] of [
    ["evm_increaseTime", [seconds]],
    ["evm_mine", []],
  ])
    await sendRequest(rpcUrl, "POST", "", { body: { jsonrpc: "2.0", id: 1, method, params } });
}

describe("the real process", () => {
  let dataDir: string;
  let arcade: ArcadeProcess;
  const agent = makeDrillAgent();
  const stopped: ArcadeProcess[] = [];
  const bot = findGame(SLUG)!.bots.reference;

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "arcade-restart-"));
    arcade = await startProcess({ dataDir });
  });
  after(async () => {
    for (const running of [...stopped, arcade]) running?.kill("SIGKILL");
    await arcade?.exited;
    await rm(dataDir, { recursive: true, force: true });
  });

  /** Plays until a frame fits, and answers that frame; the channel is left open. */
  function playUntil(
    client: ArcadeClient,
    session: Parameters<typeof playSession>[0]["session"],
    fits: (frame: PlayFrame) => boolean,
  ) {
    const leaving = new AbortController();
    const { reached, reach } = latch<PlayFrame>();
    const hello = latch<HelloMessage>();
    const end = playSession({
      client,
      session,
      bot: bot(),
      signal: leaving.signal,
      onHello: hello.reach,
      onFrame: (frame) => {
        if (fits(frame)) reach(frame);
      },
    });
    end.catch(() => undefined);
    return { reached, hello: hello.reached, end, leave: () => leaving.abort(new Error("left")) };
  }

  const factsOf = async (client: ArcadeClient) => {
    const { owned, agentId, owner } = await client.identity.ownershipStatus({ walletAddress: agent.address });
    const { score, snapshots, lastSnapshotAt, pending, byGame } = await client.rewards.scorebank({});
    const { items } = await client.rewards.payoutHistory({});
    return {
      identity: { owned, agentId, owner },
      bank: { score, snapshots, lastSnapshotAt, pending, byGame },
      payouts: items.map(({ finality: _, ...entry }) => entry),
    };
  };

  it("finds everything after kill -9 in the middle of a game, which goes on where it was", async () => {
    const client = agent.at(arcade.ready);
    await fund(arcade.ready, agent.address);
    await registerAgent({ client, agentName: "Survivor" });
    const first = await client.sessions.start({ slug: SLUG, source: "agent_api" });
    const scored = playUntil(client, first, (frame) => frame.score.current > 0);
    await scored.reached;
    await client.sessions.end({ slug: SLUG, sessionId: first.sessionId });
    const confirmed = await scored.end;
    await snapshotScore({ client, sessionId: first.sessionId });
    await passSeconds(arcade.ready.rpcUrl, 6);
    const outcome = await requestPayout({ client });
    expect(outcome.paid).to.equal(true);
    const before = await factsOf(client);
    expect(before.payouts).to.have.length(1);

    const second = await client.sessions.start({ slug: SLUG, source: "agent_api" });
    const game = playUntil(client, second, (frame) => frame.tick >= 2 * TICKS_A_SECOND);
    const seen = await game.reached;
    arcade.kill("SIGKILL");
    await arcade.exited;
    game.leave();

    arcade = await startProcess({ dataDir });
    const again = agent.at(arcade.ready);
    expect(await factsOf(again)).to.deep.equal(before);
    const { session: kept } = await again.sessions.get({ slug: SLUG, sessionId: first.sessionId });
    expect(kept).to.include({ phase: "ended", score: confirmed.score, endReason: "ended_by_player" });
    const { session: open } = await again.sessions.get({ slug: SLUG, sessionId: second.sessionId });
    expect(open.phase).to.equal("paused");
    // One second of play, and the ticks between the frame that was seen and the kill.
    expect(open.tick).to.be.at.least(seen.tick - TICKS_A_SECOND);

    const resumed = playUntil(
      again,
      { slug: SLUG, sessionId: second.sessionId },
      (frame) => frame.tick > seen.tick + 5,
    );
    expect(await resumed.hello).to.include({ resumed: true, tick: open.tick });
    await resumed.reached;
    await again.sessions.end({ slug: SLUG, sessionId: second.sessionId });
    const end = await resumed.end;
    if (end.score > 0) {
      const snapshot = await snapshotScore({ client: again, sessionId: second.sessionId });
      expect(snapshot).to.include({ mode: "recorded", scoreDelta: end.score });
    }
  });

  it("drains at SIGTERM: 503 at /readyz, 1012 to players, exit code 0, and the game goes on afterwards", async () => {
    const client = agent.at(arcade.ready);
    const session = await client.sessions.start({ slug: SLUG, source: "agent_api", forfeitPending: true });
    const socket = new WebSocket(session.wsUrl);
    const closed = new Promise<CloseEvent>((resolve) => socket.addEventListener("close", resolve));
    const greeted = latch<void>();
    socket.addEventListener("message", () => greeted.reach());
    socket.addEventListener("open", () => socket.send(JSON.stringify({ t: "auth", token: session.playToken })));
    await greeted.reached;

    arcade.kill("SIGTERM");
    expect(await closed).to.include({ code: 1012, reason: "SERVER_RESTART" });
    const readyz = await sendRequest(arcade.ready.httpUrl, "GET", "/readyz");
    expect(readyz.status).to.equal(503);
    expect(readyz.body.ready).to.equal(false);
    const refused = await sendRequest(arcade.ready.httpUrl, "POST", `/api/games/${SLUG}/sessions/start`, {
      body: { source: "browser_ws" },
    });
    expect(refused.body).to.include({ code: "SHUTTING_DOWN", retryable: true });
    expect(refused.headers.get("retry-after")).to.match(/^\d+$/);
    expect(await arcade.exited).to.equal(0);

    arcade = await startProcess({ dataDir });
    const again = agent.at(arcade.ready);
    const { session: open } = await again.sessions.get({ slug: SLUG, sessionId: session.sessionId });
    expect(open.phase).to.equal("paused");
    await again.sessions.end({ slug: SLUG, sessionId: session.sessionId });
  });

  it("insists on a port that was set, and says so when it is busy", async () => {
    const busy = createServer();
    await new Promise<void>((resolve) => busy.listen(0, "127.0.0.1", resolve));
    const { port } = busy.address() as { port: number };
    arcade.kill("SIGINT");
    expect(await arcade.exited).to.equal(0);
    try {
      for (const name of ["ARCADE_RPC_PORT", "ARCADE_PORT"]) {
        const fault = await startProcess({ dataDir, env: { [name]: String(port) } }).then(
          (started) => stopped.push(started),
          (error: Error) => error.message,
        );
        expect(fault)
          .to.match(/ended with 1/)
          .and.include(String(port))
          .and.include(name);
      }
    } finally {
      busy.close();
    }
  });

  it("forgets everything with --fresh", async () => {
    arcade = await startProcess({ dataDir, args: ["--fresh"] });
    const client = agent.at(arcade.ready);
    const walletAddress = agent.address;
    expect(await client.identity.ownershipStatus({ walletAddress })).to.include({ owned: false, agentId: null });
    const live = await sendRequest(arcade.ready.httpUrl, "GET", `/api/games/${SLUG}/sessions/live`);
    expect(live.body.total).to.equal(0);
    expect(await client.rewards.scorebank({})).to.include({ score: 0, snapshots: 0 });
  });
});
