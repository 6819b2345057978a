import type { Socket } from "node:net";
import { expect } from "chai";
import type { SessionRow } from "../../backend/ports/store/sessions.ts";
import { getRules } from "../../games/index.ts";
import { type LiveTestServer, startLiveTestServer } from "../live/live-suite.ts";
import type { TestSocket } from "../live/test-socket.ts";

/** The real rules with frames so large that a stopped reader's buffers fill within seconds. */
const createLargeFrameRules: typeof getRules = (slug, rulesVersion) => {
  const game = getRules(slug, rulesVersion);
  if (!game) return game;
  const padding = "x".repeat(100_000);
  return {
    ...game,
    frame: (state) => {
      const frame = game.frame(state);
      return { ...frame, extra: { ...frame.extra, padding } };
    },
  };
};

describe("fan-out", () => {
  let testServer: LiveTestServer;
  let row: SessionRow;
  const start = async (options: Parameters<typeof startLiveTestServer>[0] = {}) => {
    testServer = await startLiveTestServer(options);
    row = await testServer.startSession();
  };
  afterEach(() => testServer.stop());

  const current = () => testServer.game.registry.getView(row.sessionId)?.spectators.current;

  it("the player and the spectators get the same frames and events", async () => {
    await start();
    const viewers = [await testServer.join("spectate", row), await testServer.join("spectate", row)];
    expect(await viewers[0]!.waitForHello()).to.include({ role: "spectate", resumed: false });
    const player = await testServer.join("play", row);
    await testServer.advance(1500);
    await player.frame((frame) => frame.tick === 5);
    for (const viewer of viewers) {
      await viewer.frame((frame) => frame.tick === 5);
      const [seen, played] = [viewer, player].map((socket) => socket.getFrames().filter((frame) => frame.tick > 0));
      expect(seen).to.deep.equal(played);
      expect(seen?.[0]?.spectators).to.deep.equal({ current: 2, max: 5 });
    }
    player.send({ t: "cmd", cmd: "exit" });
    for (const socket of [player, ...viewers]) expect((await socket.closed).reason).to.equal("EXIT");
  });

  it("the player's frame is written before any spectator's, who get two ticks in a write", async () => {
    await start();
    const player = await testServer.play(row);
    await testServer.join("spectate", row);
    const session = testServer.game.registry.get(row.sessionId)!;
    const sent: string[] = [];
    const { Socket } = await import("node:net");
    const write = Socket.prototype.write;
    // The order of the server's writes counts. Two clients may receive them in another order.
    Socket.prototype.write = function (this: InstanceType<typeof Socket>, ...args: Parameters<typeof write>) {
      if (this.localPort === (testServer.httpServer.address() as { port: number }).port)
        sent.push(String(this.remotePort));
      return write.apply(this, args);
    } as typeof write;
    try {
      session.tick(testServer.clock.monotonicMs());
      session.tick(testServer.clock.monotonicMs());
    } finally {
      Socket.prototype.write = write;
    }
    const playerPort = (player.ws as unknown as { _socket: { localPort: number } })._socket.localPort;
    const isPlayer = sent.map((port) => port === String(playerPort));
    expect(isPlayer).to.deep.equal([true, true, false]);
  });

  it("a stopped reader skips frames, gets their number, and never delays the player", async () => {
    await start({ rules: createLargeFrameRules });
    const player = await testServer.play(row);
    const stopped = await testServer.join("spectate", row);
    stopped.ws.pause();
    await testServer.advance(10_000);
    const frames = () => player.getFrames().filter((frame) => frame.tick > 0);
    await testServer.waitUntil(() => frames().length === frames().at(-1)!.tick);
    expect(frames().every((frame) => frame.skipped === undefined)).to.equal(true);
    const reached = testServer.game.registry.getView(row.sessionId)!.tick;
    await player.frame((frame) => frame.tick === reached);
    stopped.ws.resume();
    await testServer.waitUntil(() => stopped.getFrames().length > 0);
    for (let i = 0; i < 100 && !stopped.getFrames().some((frame) => frame.skipped); i++) await testServer.advance(50);
    const late = await stopped.frame((frame) => frame.skipped !== undefined);
    const before = stopped.getFrames()[stopped.getFrames().indexOf(late) - 1]!;
    expect(late.skipped).to.be.above(0);
    expect(late.tick - before.tick - 1).to.equal(late.skipped);
  });

  it("a socket closes with 4010 after 300 skipped frames in a row, with a bounded queue", async () => {
    await start({ rules: createLargeFrameRules });
    const player = await testServer.play(row);
    player.send({ t: "cmd", cmd: "pause" });
    const stopped = await testServer.join("spectate", row);
    stopped.ws.pause();
    for (let i = 0; i < 40 && current() === 1; i++) await testServer.advance(1000);
    expect(current()).to.equal(0);
    stopped.ws.resume();
    const { code, reason } = await stopped.closed;
    // The close frame arrives if the reader resumes within 2 s. After that the socket is cut.
    expect([`4010 CONSUMER_TOO_SLOW`, "1006 "]).to.include(`${code} ${reason}`);
    expect(testServer.game.registry.getView(row.sessionId)?.phase).to.equal("paused");
  });

  it("compact spectators get the same frames in a fraction of the bytes, whenever they join", async () => {
    await start();
    const player = await testServer.play(row);
    const viewer = await testServer.join("spectate", row);
    const early = await testServer.join("spectate", row, { query: "&enc=compact" });
    await testServer.advance(2000);
    const late = await testServer.join("spectate", row, { query: "&enc=compact" });
    await testServer.advance(2000);
    const end = testServer.game.registry.getView(row.sessionId)!.tick;
    await testServer.advance(50);
    for (const socket of [player, viewer, early, late]) await socket.frame((frame) => frame.tick === end);
    const getFrames = (socket: TestSocket) => socket.getFrames().filter(({ tick }) => tick <= end);
    for (const compact of [early, late]) {
      const first = getFrames(compact)[0]!.tick;
      if (compact === early) expect(first).to.be.below(10);
      else expect(first).to.be.above(35);
      const expected = getFrames(viewer).filter(({ tick }) => tick >= first);
      expect(getFrames(compact)).to.deep.equal(expected.map(({ inputsDigest: _, ...frame }) => frame));
    }
    // Hello and dictionaries weigh more in four seconds than in a whole session.
    expect(early.receivedBytes / viewer.receivedBytes).to.be.below(0.15);
    player.send({ t: "cmd", cmd: "exit" });
    for (const socket of [early, late]) {
      expect(await socket.waitForEvent("ended")).to.include({ endReason: "exit" });
      expect((await socket.closed).reason).to.equal("EXIT");
    }
  });

  it("a stopped compact reader skips frames, gets their number, and misses no dictionary entry", async () => {
    await start({ rules: createLargeFrameRules });
    await testServer.play(row);
    const stopped = await testServer.join("spectate", row, { query: "&enc=compact" });
    stopped.ws.pause();
    await testServer.advance(10_000);
    stopped.ws.resume();
    await testServer.waitUntil(() => stopped.getFrames().length > 0);
    for (let i = 0; i < 100 && !stopped.getFrames().some((frame) => frame.skipped); i++) await testServer.advance(50);
    const late = await stopped.frame((frame) => frame.skipped !== undefined);
    const before = stopped.getFrames()[stopped.getFrames().indexOf(late) - 1]!;
    expect(late.tick - before.tick - 1).to.equal(late.skipped);
  });

  it("a seat is free when its spectator leaves, and a reserved one when it expires", async () => {
    await start({ spectatorsMax: 2 });
    const reserve = (tokenHash: string, perIpMax: number | null = null) =>
      testServer.game.registry.reserveSeat({
        sessionId: row.sessionId,
        tokenHash,
        ip: "10.0.0.1",
        expiresAtMs: testServer.clock.nowMs() + 30_000,
        perIpMax,
      });
    const viewer = await testServer.join("spectate", row);
    expect(reserve("a", 1)).to.deep.equal({ reserved: true, current: 2, max: 2 });
    expect(reserve("b")).to.deep.equal({ reserved: false, current: 2, max: 2 });
    expect(current()).to.equal(1);
    await testServer.advance(30_000);
    expect(reserve("c", 1)).to.deep.equal({ reserved: true, current: 2, max: 2 });
    await viewer.close();
    await testServer.waitUntil(() => current() === 0);
    expect(reserve("d", 1)).to.deep.equal({ reserved: false, current: 1, max: 2 });
    expect(reserve("d", 2)).to.deep.equal({ reserved: true, current: 2, max: 2 });
    expect(
      testServer.game.registry.reserveSeat({ sessionId: "x", tokenHash: "", ip: null, expiresAtMs: 0, perIpMax: 1 }),
    ).to.equal(null);
    expect(testServer.game.registry.getTotals("shellrunners")).to.deep.equal({ sessions: 1, spectators: 0 });
  });

  for (const query of ["", "&enc=compact"])
    it(`the channel of a session is removed when its last spectator leaves (${query || "JSON"})`, async () => {
      await start();
      const viewers = [
        await testServer.join("spectate", row, { query }),
        await testServer.join("spectate", row, { query }),
      ];
      await viewers[0]!.close();
      await testServer.waitUntil(() => current() === 1);
      expect(testServer.sockets.stats().channels).to.equal(1);
      await viewers[1]!.close();
      await testServer.waitUntil(() => testServer.sockets.stats().channels === 0);
      expect(current()).to.equal(0);
    });

  it("a seat is free when its spectator has sent a close frame and keeps the connection open", async () => {
    await start();
    const viewer = await testServer.join("spectate", row);
    const raw = (viewer.ws as unknown as { _socket: Socket })._socket;
    raw.removeAllListeners("data");
    raw.removeAllListeners("end");
    // A masked close frame without a code; the other side's reply is never read.
    raw.write(Buffer.from([0x88, 0x80, 0, 0, 0, 0]));
    await testServer.waitUntil(() => current() === 0);
    expect(testServer.sockets.stats().connections).to.equal(1);
    await testServer.advance(2000);
    await testServer.waitUntil(() => testServer.sockets.stats().connections === 0);
  });

  it("the server keeps nothing of ended sessions", async () => {
    await start();
    for (let i = 0; i < 50; i++) {
      const session = await testServer.startSession();
      const sockets = [await testServer.join("play", session), await testServer.join("spectate", session)];
      await testServer.game.registry.end(session.sessionId, "ended_by_player");
      for (const socket of sockets) await socket.closed;
    }
    await testServer.waitUntil(() => testServer.sockets.stats().connections === 0);
    expect(testServer.sockets.stats().channels).to.equal(0);
    expect(testServer.game.stats()).to.include({ sessions: 1, scheduled: 1, storing: 0 });
  });

  it("a session without listeners builds no frame", async () => {
    let built = 0;
    await start({
      rules: (slug, rulesVersion) => {
        const game = getRules(slug, rulesVersion);
        if (!game) return game;
        return {
          ...game,
          frame: (state) => {
            built += 1;
            return game.frame(state);
          },
        };
      },
    });
    await testServer.advance(1000);
    expect(built).to.equal(0);
    const player = await testServer.join("play", row);
    await Promise.all(Array.from({ length: 4 }, () => testServer.join("spectate", row)));
    const before = testServer.game.stats().ticks;
    await testServer.advance(500);
    expect(testServer.game.stats().ticks - before).to.be.at.least(9);
    expect(built).to.equal(testServer.game.stats().ticks - before);
    await player.frame(() => true);
  });
});
