import type { Socket } from "node:net";
import { expect } from "chai";
import { rulesOf } from "../../backend/games/index.ts";
import type { SessionRow } from "../../backend/ports.ts";
import { type LiveSuite, startLiveSuite } from "../runtime/live-suite.ts";

/** The real rules with frames so large that a stopped reader's buffers fill within seconds. */
const largeFrames: typeof rulesOf = (slug, rulesVersion) => {
  const game = rulesOf(slug, rulesVersion);
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
  let suite: LiveSuite;
  let row: SessionRow;
  const start = async (options: Parameters<typeof startLiveSuite>[0] = {}) => {
    suite = await startLiveSuite(options);
    row = await suite.startSession();
  };
  afterEach(() => suite.stop());

  const current = () => suite.game.live.view(row.sessionId)?.spectators.current;

  it("gives player and spectators the same frames and events", async () => {
    await start();
    const viewers = [await suite.join("spectate", row), await suite.join("spectate", row)];
    expect(await viewers[0]!.hello()).to.include({ role: "spectate", resumed: false });
    const player = await suite.join("play", row);
    await suite.run(1500);
    await player.frame((frame) => frame.tick === 5);
    for (const viewer of viewers) {
      await viewer.frame((frame) => frame.tick === 5);
      const [seen, played] = [viewer, player].map((socket) => socket.frames().filter((frame) => frame.tick > 0));
      expect(seen).to.deep.equal(played);
      expect(seen?.[0]?.spectators).to.deep.equal({ current: 2, max: 5 });
    }
    player.send({ t: "cmd", cmd: "exit" });
    for (const socket of [player, ...viewers]) expect((await socket.closed).reason).to.equal("EXIT");
  });

  it("writes a player's frame before any spectator's", async () => {
    await start();
    await suite.join("spectate", row);
    const player = await suite.play(row);
    const session = suite.game.live.get(row.sessionId)!;
    const sent: string[] = [];
    const { Socket } = await import("node:net");
    const write = Socket.prototype.write;
    // The order on the server's side is what counts; two clients' ears may hear otherwise.
    Socket.prototype.write = function (this: InstanceType<typeof Socket>, ...args: Parameters<typeof write>) {
      if (this.localPort === (suite.server.address() as { port: number }).port) sent.push(String(this.remotePort));
      return write.apply(this, args);
    } as typeof write;
    try {
      session.tick(suite.clock.monotonicMs());
    } finally {
      Socket.prototype.write = write;
    }
    const playerPort = (player.ws as unknown as { _socket: { localPort: number } })._socket.localPort;
    expect(sent).to.have.length(2);
    expect(sent[0]).to.equal(String(playerPort));
  });

  it("skips frames of a stopped reader, tells how many, and never delays the player", async () => {
    await start({ rules: largeFrames });
    const player = await suite.play(row);
    const stopped = await suite.join("spectate", row);
    stopped.ws.pause();
    await suite.run(10_000);
    const frames = () => player.frames().filter((frame) => frame.tick > 0);
    await suite.until(() => frames().length === frames().at(-1)!.tick);
    expect(frames().every((frame) => frame.skipped === undefined)).to.equal(true);
    const reached = suite.game.live.view(row.sessionId)!.tick;
    await player.frame((frame) => frame.tick === reached);
    stopped.ws.resume();
    await suite.until(() => stopped.frames().length > 0);
    for (let i = 0; i < 100 && !stopped.frames().some((frame) => frame.skipped); i++) await suite.run(50);
    const late = await stopped.frame((frame) => frame.skipped !== undefined);
    const before = stopped.frames()[stopped.frames().indexOf(late) - 1]!;
    expect(late.skipped).to.be.above(0);
    expect(late.tick - before.tick - 1).to.equal(late.skipped);
  });

  it("closes 4010 after 300 skipped frames in a row, with its queue still bounded", async () => {
    await start({ rules: largeFrames });
    const player = await suite.play(row);
    player.send({ t: "cmd", cmd: "pause" });
    const stopped = await suite.join("spectate", row);
    stopped.ws.pause();
    for (let i = 0; i < 40 && current() === 1; i++) await suite.run(1000);
    expect(current()).to.equal(0);
    stopped.ws.resume();
    const { code, reason } = await stopped.closed;
    // The close frame arrives where the reader comes back within 2 s; after that the socket is cut.
    expect([`4010 CONSUMER_TOO_SLOW`, "1006 "]).to.include(`${code} ${reason}`);
    expect(suite.game.live.view(row.sessionId)?.phase).to.equal("paused");
  });

  it("gives compact viewers the same frames in a fraction of the bytes, whenever they come", async () => {
    await start();
    const player = await suite.play(row);
    const viewer = await suite.join("spectate", row);
    const early = await suite.join("spectate", row, { query: "&enc=compact" });
    await suite.run(2000);
    const late = await suite.join("spectate", row, { query: "&enc=compact" });
    await suite.run(2000);
    const end = suite.game.live.view(row.sessionId)!.tick;
    for (const socket of [player, viewer, early, late]) await socket.frame((frame) => frame.tick === end);
    for (const compact of [early, late]) {
      const first = compact.frames()[0]!.tick;
      if (compact === early) expect(first).to.be.below(10);
      else expect(first).to.be.above(35);
      expect(compact.frames()).to.deep.equal(viewer.frames().filter(({ tick }) => tick >= first));
    }
    // Hello and dictionaries weigh more in four seconds than in a whole session.
    expect(early.received / viewer.received).to.be.below(0.15);
    player.send({ t: "cmd", cmd: "exit" });
    for (const socket of [early, late]) {
      expect(await socket.event("ended")).to.include({ endReason: "exit" });
      expect((await socket.closed).reason).to.equal("EXIT");
    }
  });

  it("skips frames of a stopped compact reader, tells how many, and loses no entry of the dictionaries", async () => {
    await start({ rules: largeFrames });
    await suite.play(row);
    const stopped = await suite.join("spectate", row, { query: "&enc=compact" });
    stopped.ws.pause();
    await suite.run(10_000);
    stopped.ws.resume();
    await suite.until(() => stopped.frames().length > 0);
    for (let i = 0; i < 100 && !stopped.frames().some((frame) => frame.skipped); i++) await suite.run(50);
    const late = await stopped.frame((frame) => frame.skipped !== undefined);
    const before = stopped.frames()[stopped.frames().indexOf(late) - 1]!;
    expect(late.tick - before.tick - 1).to.equal(late.skipped);
  });

  it("frees a seat when its viewer leaves, and keeps reserved ones until they expire", async () => {
    await start({ spectatorsMax: 2 });
    const reserve = (tokenHash: string, perIpMax: number | null = null) =>
      suite.game.live.reserveSeat({
        sessionId: row.sessionId,
        tokenHash,
        ip: "10.0.0.1",
        expiresAtMs: suite.clock.nowMs() + 30_000,
        perIpMax,
      });
    const viewer = await suite.join("spectate", row);
    expect(reserve("a", 1)).to.deep.equal({ reserved: true, current: 2, max: 2 });
    expect(reserve("b")).to.deep.equal({ reserved: false, current: 2, max: 2 });
    expect(current()).to.equal(1);
    await suite.run(30_000);
    expect(reserve("c", 1)).to.deep.equal({ reserved: true, current: 2, max: 2 });
    await viewer.close();
    await suite.until(() => current() === 0);
    expect(reserve("d", 1)).to.deep.equal({ reserved: false, current: 1, max: 2 });
    expect(reserve("d", 2)).to.deep.equal({ reserved: true, current: 2, max: 2 });
    expect(
      suite.game.live.reserveSeat({ sessionId: "x", tokenHash: "", ip: null, expiresAtMs: 0, perIpMax: 1 }),
    ).to.equal(null);
    expect(suite.game.live.totals("shellrunners")).to.deep.equal({ sessions: 1, spectators: 0 });
  });

  it("frees the seat of a viewer that has said goodbye and keeps its connection open", async () => {
    await start();
    const viewer = await suite.join("spectate", row);
    const raw = (viewer.ws as unknown as { _socket: Socket })._socket;
    raw.removeAllListeners("data");
    raw.removeAllListeners("end");
    // A masked close frame without a code; the other side's answer is never read.
    raw.write(Buffer.from([0x88, 0x80, 0, 0, 0, 0]));
    await suite.until(() => current() === 0);
    expect(suite.sockets.stats().connections).to.equal(1);
    await suite.run(2000);
    await suite.until(() => suite.sockets.stats().connections === 0);
  });

  it("keeps nothing of sessions that have ended", async () => {
    await start();
    for (let i = 0; i < 50; i++) {
      const session = await suite.startSession();
      const sockets = [await suite.join("play", session), await suite.join("spectate", session)];
      await suite.game.live.end(session.sessionId, "ended_by_player");
      for (const socket of sockets) await socket.closed;
    }
    await suite.until(() => suite.sockets.stats().connections === 0);
    expect(suite.sockets.stats().channels).to.equal(0);
    expect(suite.game.stats()).to.include({ sessions: 1, scheduled: 1, storing: 0 });
  });

  it("builds no frame while nobody listens", async () => {
    let built = 0;
    await start({
      rules: (slug, rulesVersion) => {
        const game = rulesOf(slug, rulesVersion);
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
    await suite.run(1000);
    expect(built).to.equal(0);
    const player = await suite.join("play", row);
    await Promise.all(Array.from({ length: 4 }, () => suite.join("spectate", row)));
    const before = suite.game.stats().ticks;
    await suite.run(500);
    expect(suite.game.stats().ticks - before).to.be.at.least(9);
    expect(built).to.equal(suite.game.stats().ticks - before);
    await player.frame(() => true);
  });
});
