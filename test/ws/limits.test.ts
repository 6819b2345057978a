import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect } from "chai";
import type { SessionRow } from "../../backend/ports/store/sessions.ts";
import { useEach } from "../helpers/fixture.ts";
import { startLiveTestServer } from "../live/live-suite.ts";
import type { TestSocket } from "../live/test-socket.ts";

describe("limits of a channel", () => {
  let row: SessionRow;
  const testServer = useEach(startLiveTestServer);
  beforeEach(async () => {
    row = await testServer.startSession();
  });

  const TOO_BIG = { code: 1009, reason: "TOO_BIG" };
  const errors = (socket: TestSocket) => socket.messages.filter((message) => message.t === "error");

  it("a first message over 512 bytes closes the socket with 1009, on both channels", async () => {
    for (const role of ["play", "spectate"] as const) {
      const socket = await testServer.openSocket(role, row).open();
      socket.send({ t: "auth", token: `ap_${"A".repeat(600)}` });
      expect(await socket.closed).to.deep.equal(TOO_BIG);
    }
  });

  it("a message over 1 kB (play) or 512 B (spectate) closes the socket with 1009", async () => {
    const player = await testServer.join("play", row);
    player.send(`{"t":"ping"${" ".repeat(1024 - 12)}}`);
    await player.waitForMessage((message) => message.t === "pong");
    player.send(`{"t":"ping"${" ".repeat(1025 - 12)}}`);
    expect(await player.closed).to.deep.equal(TOO_BIG);
    const viewer = await testServer.join("spectate", row);
    viewer.send(`{"t":"ping"${" ".repeat(513 - 12)}}`);
    expect(await viewer.closed).to.deep.equal(TOO_BIG);
  });

  it("a binary message is read as its text", async () => {
    const socket = await testServer.openSocket("play", row).open();
    socket.send(Buffer.from(JSON.stringify({ t: "auth", token: await testServer.createPlayToken(row) })));
    await socket.waitForMessage((message) => message.t === "hello");
    socket.send(Buffer.from('{"t":"ping"}'));
    await socket.waitForMessage((message) => message.t === "pong");
    socket.send(Buffer.from([0x82, 0xff]));
    const rejected = await socket.waitForMessage((message) => message.t === "error");
    expect(rejected).to.include({ code: "BAD_MESSAGE", fatal: false });
  });

  it("an unknown message is answered with BAD_MESSAGE, and ten in 10 s close the socket", async () => {
    const socket = await testServer.join("play", row);
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
    await socket.waitForMessage((message) => message.t === "pong");
    expect(errors(socket).map((error) => error.code)).to.deep.equal(bad.map(() => "BAD_MESSAGE"));
    expect(errors(socket).every((error) => !error.fatal)).to.equal(true);
    await testServer.advance(10_000);
    for (let i = 0; i < 10; i++) socket.send("text");
    expect(await socket.closed).to.deep.equal({ code: 4011, reason: "BAD_MESSAGE" });
    const said = errors(socket).map(({ error }) => String(error));
    const allowed =
      'shellrunners takes {"t":"input","dir":"none"}, {"t":"input","dir":"left"}, {"t":"input","dir":"right"}, ' +
      '{"t":"cmd","cmd":"pause"}, "resume" or "exit", and {"t":"ping"}; received ';
    bad.forEach((text, at) => {
      const received = text === "text" ? '"text", which is not JSON.' : text.replace(/ap_A+/, "ap_…");
      expect(said[at]!.startsWith(allowed + received), said[at]).to.equal(true);
    });
    expect(said[5]).to.include("Unrecognized key");
    expect(said[8]).to.include("seq: ");
    expect(errors(socket).at(-1)).to.include({ code: "BAD_MESSAGE", fatal: true });
    expect(errors(socket)).to.have.length(19);
  });

  it("a spectator may send only ping", async () => {
    const viewer = await testServer.join("spectate", row);
    for (const message of [
      { t: "input", dir: "left" },
      { t: "cmd", cmd: "exit" },
    ])
      viewer.send(message);
    viewer.send({ t: "ping" });
    await viewer.waitForMessage((message) => message.t === "pong");
    expect(errors(viewer).map((error) => error.code)).to.deep.equal(["BAD_MESSAGE", "BAD_MESSAGE"]);
    expect(errors(viewer)[0]!.error).to.match(
      /^A spectator may send {"t":"ping"}; received {"t":"input","dir":"left"}/,
    );
    expect(testServer.game.registry.getView(row.sessionId)?.phase).to.equal("ready");
  });

  it("messages above the rate are dropped with a warning after 2 s, and close the socket with 4008 after 5 s", async () => {
    const socket = await testServer.join("play", row);
    let pings = 0;
    const second = async (): Promise<void> => {
      for (let i = 0; i < 60; i++) socket.send({ t: "ping" });
      pings += 60;
      // The protocol's ping follows them. When it is answered, the server has read them all.
      const isRead = once(socket.ws, "pong");
      socket.ws.ping();
      await isRead;
      await testServer.advance(1000);
    };
    const countPongs = (): number => socket.messages.filter((message) => message.t === "pong").length - countAnswered;
    let countAnswered = 0;
    const countAnsweredAfter = async (): Promise<number> => {
      countAnswered = 0;
      const before = countPongs();
      countAnswered = before;
      await second();
      return countPongs();
    };
    expect([await countAnsweredAfter(), await countAnsweredAfter()]).to.deep.equal([60, 60]);
    expect(errors(socket)).to.deep.equal([]);
    expect([await countAnsweredAfter(), await countAnsweredAfter(), await countAnsweredAfter()]).to.deep.equal([
      40, 40, 40,
    ]);
    expect(errors(socket).map((error) => error.code)).to.deep.equal(["RATE_LIMITED", "RATE_LIMITED", "RATE_LIMITED"]);
    expect(errors(socket)[0]!.error).to.include("at most 40 messages a second");
    socket.send({ t: "ping" });
    expect(await socket.closed).to.deep.equal({ code: 4008, reason: "RATE_LIMITED" });
    expect(pings).to.equal(300);
  });

  /** A raw socket, for bytes that no WebSocket client sends. */
  async function openRawSocket(): Promise<Socket> {
    const url = new URL(testServer.url("play", row));
    const socket = connect(Number(url.port), "127.0.0.1");
    socket.on("error", () => {});
    socket.write(
      `GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
    );
    await once(socket, "data");
    return socket;
  }

  it("the server survives malformed frames", async () => {
    const player = await testServer.play(row);
    for (const bytes of [
      [0xff, 0xff, 0xff, 0xff],
      [0x81, 0x05, 1, 2, 3, 4, 5],
      [0x83, 0x80, 0, 0, 0, 0],
      [0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0],
      [0x89, 0xfe, 0x01, 0x00, 0, 0, 0, 0],
      [0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe],
    ]) {
      const socket = await openRawSocket();
      socket.resume();
      socket.write(Buffer.from(bytes));
      await testServer.waitUntil(() => testServer.sockets.stats().connections === 2);
      socket.destroy();
      await testServer.waitUntil(() => testServer.sockets.stats().connections === 1);
    }
    await testServer.advance(200);
    expect((await player.frame((frame) => frame.tick >= 3)).phase).to.equal("running");
  });

  it("the server survives upgrades that are not WebSocket handshakes", async () => {
    const url = new URL(testServer.url("play", row));
    for (const line of ["Sec-WebSocket-Version: 99", "Sec-WebSocket-Key: short", "Sec-WebSocket-Protocol: ,,"]) {
      const socket = connect(Number(url.port), "127.0.0.1");
      socket.write(
        `GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${line}\r\n\r\n`,
      );
      const [data] = await once(socket, "data");
      expect(String(data)).to.match(/^HTTP\/1\.1 400 /);
      socket.destroy();
    }
    expect(testServer.sockets.stats().connections).to.equal(0);
  });

  it("each ping of the protocol is answered once", async () => {
    const socket = await testServer.join("spectate", row);
    const pongs: string[] = [];
    socket.ws.on("pong", (data) => pongs.push(String(data)));
    for (const text of ["a", "b", "c"]) socket.ws.ping(text);
    socket.send({ t: "ping" });
    await socket.waitForMessage((message) => message.t === "pong");
    expect(pongs).to.deep.equal(["a", "b", "c"]);
  });

  it("a socket that misses two pongs is closed, and one that answers stays open", async () => {
    const dead = await testServer.join("spectate", row, { autoPong: false });
    const alive = await testServer.play(row);
    alive.send({ t: "cmd", cmd: "pause" });
    let pings = 0;
    alive.ws.on("ping", () => {
      pings += 1;
    });
    for (let i = 0; i < 4; i++) {
      await testServer.advance(10_000);
      await testServer.waitUntil(() => pings > i);
    }
    expect(await dead.closed).to.deep.equal({ code: 4012, reason: "PONG_TIMEOUT" });
    expect(testServer.game.registry.getView(row.sessionId)?.spectators.current).to.equal(0);
    expect(alive.ws.readyState).to.equal(alive.ws.OPEN);
  });
});
