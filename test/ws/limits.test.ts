import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect } from "chai";
import type { SessionRow } from "../../backend/ports.ts";
import { type LiveSuite, startLiveSuite } from "../runtime/live-suite.ts";
import type { TestSocket } from "../runtime/test-socket.ts";

describe("limits of a channel", () => {
  let suite: LiveSuite;
  let row: SessionRow;
  beforeEach(async () => {
    suite = await startLiveSuite();
    row = await suite.startSession();
  });
  afterEach(() => suite.stop());

  const TOO_BIG = { code: 1009, reason: "TOO_BIG" };
  const errors = (socket: TestSocket) => socket.messages.filter((message) => message.t === "error");

  it("closes 1009 over 512 bytes before authentication, on both channels", async () => {
    for (const role of ["play", "spectate"] as const) {
      const socket = await suite.socket(role, row).open();
      socket.send({ t: "auth", token: `ap_${"A".repeat(600)}` });
      expect(await socket.closed).to.deep.equal(TOO_BIG);
    }
  });

  it("closes 1009 over 1 kB (play), over 512 B (spectate) and on a binary message", async () => {
    const player = await suite.join("play", row);
    player.send(`{"t":"ping"${" ".repeat(1024 - 12)}}`);
    await player.find((message) => message.t === "pong");
    player.send(`{"t":"ping"${" ".repeat(1025 - 12)}}`);
    expect(await player.closed).to.deep.equal(TOO_BIG);
    const viewer = await suite.join("spectate", row);
    viewer.send(`{"t":"ping"${" ".repeat(513 - 12)}}`);
    expect(await viewer.closed).to.deep.equal(TOO_BIG);
    const again = await suite.join("play", row);
    again.send(Buffer.from('{"t":"ping"}'));
    expect(await again.closed).to.deep.equal(TOO_BIG);
  });

  it("answers what it does not know with BAD_MESSAGE and closes after ten in 10 s", async () => {
    const socket = await suite.join("play", row);
    const bad = [
      "text",
      "null",
      '{"t":"input"}',
      '{"t":"input","dir":"up"}',
      '{"t":"action","action":"FLAP"}',
      '{"t":"input","dir":"left","speed":2}',
      '{"t":"cmd","cmd":"restart"}',
      '{"t":"auth","token":"ap_AAAAAAAAAAAAAAAAAAAAAAAAAAAA"}',
      '{"t":"input","dir":"left","seq":-1}',
    ];
    for (const text of bad) socket.send(text);
    socket.send({ t: "ping" });
    await socket.find((message) => message.t === "pong");
    expect(errors(socket).map((error) => error.code)).to.deep.equal(bad.map(() => "BAD_MESSAGE"));
    expect(errors(socket).every((error) => !error.fatal)).to.equal(true);
    await suite.run(10_000);
    for (let i = 0; i < 10; i++) socket.send("text");
    expect(await socket.closed).to.deep.equal({ code: 4011, reason: "BAD_MESSAGE" });
    expect(errors(socket).at(-1)?.fatal).to.equal(true);
    expect(errors(socket)).to.have.length(19);
  });

  it("lets a spectator say nothing but ping", async () => {
    const viewer = await suite.join("spectate", row);
    for (const message of [
      { t: "input", dir: "left" },
      { t: "cmd", cmd: "exit" },
    ])
      viewer.send(message);
    viewer.send({ t: "ping" });
    await viewer.find((message) => message.t === "pong");
    expect(errors(viewer).map((error) => error.code)).to.deep.equal(["BAD_MESSAGE", "BAD_MESSAGE"]);
    expect(suite.game.live.view(row.sessionId)?.phase).to.equal("ready");
  });

  it("warns and drops after 2 s above the rate, and closes 4008 after 5 s", async () => {
    const socket = await suite.join("play", row);
    let pings = 0;
    const second = async (): Promise<void> => {
      for (let i = 0; i < 60; i++) socket.send({ t: "ping" });
      pings += 60;
      await suite.until(() => socket.messages.length > 0 && heard() >= 40);
      await suite.run(1000);
    };
    const heard = (): number => socket.messages.filter((message) => message.t === "pong").length - answered;
    let answered = 0;
    const answeredAfter = async (): Promise<number> => {
      answered = 0;
      const before = heard();
      answered = before;
      await second();
      return heard();
    };
    expect([await answeredAfter(), await answeredAfter()]).to.deep.equal([60, 60]);
    expect(errors(socket)).to.deep.equal([]);
    expect([await answeredAfter(), await answeredAfter(), await answeredAfter()]).to.deep.equal([40, 40, 40]);
    expect(errors(socket).map((error) => error.code)).to.deep.equal(["RATE_LIMITED", "RATE_LIMITED", "RATE_LIMITED"]);
    socket.send({ t: "ping" });
    expect(await socket.closed).to.deep.equal({ code: 4008, reason: "RATE_LIMITED" });
    expect(pings).to.equal(300);
  });

  /** A socket below `ws`, to send what no WebSocket client would. */
  async function rawSocket(): Promise<Socket> {
    const url = new URL(suite.url("play", row));
    const socket = connect(Number(url.port), "127.0.0.1");
    socket.on("error", () => {});
    socket.write(
      `GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
    );
    await once(socket, "data");
    return socket;
  }

  it("survives malformed frames", async () => {
    const player = await suite.play(row);
    for (const bytes of [
      [0xff, 0xff, 0xff, 0xff],
      [0x81, 0x05, 1, 2, 3, 4, 5],
      [0x83, 0x80, 0, 0, 0, 0],
      [0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0],
      [0x89, 0xfe, 0x01, 0x00, 0, 0, 0, 0],
      [0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe],
    ]) {
      const socket = await rawSocket();
      socket.resume();
      socket.write(Buffer.from(bytes));
      await suite.until(() => suite.sockets.stats().connections === 2);
      socket.destroy();
      await suite.until(() => suite.sockets.stats().connections === 1);
    }
    await suite.run(200);
    expect((await player.frame((frame) => frame.tick >= 3)).phase).to.equal("running");
  });

  it("survives upgrades that are no WebSocket handshakes", async () => {
    const url = new URL(suite.url("play", row));
    for (const line of ["Sec-WebSocket-Version: 99", "Sec-WebSocket-Key: short", "Sec-WebSocket-Protocol: ,,"]) {
      const socket = connect(Number(url.port), "127.0.0.1");
      socket.write(
        `GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${line}\r\n\r\n`,
      );
      const [data] = await once(socket, "data");
      expect(String(data)).to.match(/^HTTP\/1\.1 400 /);
      socket.destroy();
    }
    expect(suite.sockets.stats().connections).to.equal(0);
  });

  it("answers each ping of the protocol once", async () => {
    const socket = await suite.join("spectate", row);
    const pongs: string[] = [];
    socket.ws.on("pong", (data) => pongs.push(String(data)));
    for (const text of ["a", "b", "c"]) socket.ws.ping(text);
    socket.send({ t: "ping" });
    await socket.find((message) => message.t === "pong");
    expect(pongs).to.deep.equal(["a", "b", "c"]);
  });

  it("cuts a socket that misses two pongs and keeps one that answers", async () => {
    const dead = await suite.join("spectate", row, { autoPong: false });
    const alive = await suite.play(row);
    alive.send({ t: "cmd", cmd: "pause" });
    let pings = 0;
    alive.ws.on("ping", () => {
      pings += 1;
    });
    for (let i = 0; i < 4; i++) {
      await suite.run(10_000);
      await suite.until(() => pings > i);
    }
    expect((await dead.closed).code).to.equal(1006);
    expect(suite.game.live.view(row.sessionId)?.spectators.current).to.equal(0);
    expect(alive.ws.readyState).to.equal(alive.ws.OPEN);
  });
});
