import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { expect } from "chai";
import type { SessionRow } from "../../backend/ports/store/sessions.ts";
import { FrameScanner } from "../../backend/rate-limits/frame-scanner.ts";
import { ADDRESS_LIMITS, CHANNEL_LIMITS } from "../../domain/limits/limits.ts";
import { useEach } from "../helpers/fixture.ts";
import { startLiveTestServer } from "../live/live-suite.ts";
import type { TestSocket } from "../live/test-socket.ts";

const RATE_LIMITED = { code: 4008, reason: "RATE_LIMITED" };
/** The message before the close. */
const explain = ({ messages }: TestSocket): unknown => messages.findLast((message) => message.t === "error")?.error;
/** Frames that a play socket at 20 ticks a second may send at once. */
const BURST_FRAMES = (2 * 20 + 10) * 10;

describe("the receive budget of a socket", () => {
  let row: SessionRow;
  const testServer = useEach(() => startLiveTestServer({ limitPerIp: true }));
  beforeEach(async () => {
    row = await testServer.startSession();
  });

  const withAddress = (ip: string) => ({ headers: { "x-test-ip": ip } });
  const sendFragments = (socket: TestSocket): void => socket.ws.send('{"t":', { fin: false });
  const FRAMES: { readonly [name: string]: (socket: TestSocket) => void } = {
    ping: (socket) => socket.ws.ping(),
    pong: (socket) => socket.ws.pong(),
    "first part of a message": sendFragments,
    "second text message": (socket) => {
      socket.send({ t: "auth", token: "ap_AAAAAAAAAAAAAAAAAAAAAAAAAAAA" });
      socket.send({ t: "ping" });
    },
  };

  for (const [name, send] of Object.entries(FRAMES)) {
    it(`a ${name} before the token is accepted closes the socket with 4008`, async () => {
      const socket = await testServer.openSocket("play", row).open();
      // In one segment, as from a client that does not wait.
      const { _socket: connection } = socket.ws as unknown as { readonly _socket: Socket };
      connection.cork();
      send(socket);
      connection.uncork();
      expect(await socket.closed).to.deep.equal(RATE_LIMITED);
      const rule =
        "Expected one text message with the token, in one frame and without pings, before `hello`; received more.";
      expect(explain(socket)).to.equal(`${rule} Connect again after a second or more.`);
    });
  }

  for (const name of ["ping", "pong"]) {
    it(`a flood of ${name} frames closes the socket with 4008, without parsing frames over the budget`, async () => {
      const socket = await testServer.join("play", row);
      let pongs = 0;
      socket.ws.on("pong", () => {
        pongs += 1;
      });
      for (let i = 0; i < BURST_FRAMES * 20; i += 1) FRAMES[name]!(socket);
      expect(await socket.closed).to.deep.equal(RATE_LIMITED);
      expect(pongs).to.be.at.most(BURST_FRAMES);
      expect(explain(socket)).to.include("at most 50 frames a second");
    });
  }

  it("a flood of fragments closes the socket with 4008", async () => {
    const socket = await testServer.join("spectate", row);
    for (let i = 0; i < BURST_FRAMES + 1; i += 1) socket.ws.send("", { fin: false });
    expect((await socket.closed).code).to.equal(4008);
  });

  it("more bytes than the budget close the socket with 4008", async () => {
    const socket = await testServer.join("spectate", row);
    const message = `{"t":"ping"${" ".repeat(400)}}`;
    const budget = CHANNEL_LIMITS.bytesPerSecond.spectate * CHANNEL_LIMITS.burstSeconds;
    for (let sent = 0; sent <= budget; sent += message.length) socket.send(message);
    expect(await socket.closed).to.deep.equal(RATE_LIMITED);
    expect(explain(socket)).to.include("at most 2048 bytes a second");
  });

  it("a socket that sends as many frames as the budget allows stays open", async () => {
    const socket = await testServer.play(row);
    socket.send({ t: "cmd", cmd: "pause" });
    let pongs = 0;
    socket.ws.on("pong", () => {
      pongs += 1;
    });
    for (let second = 1; second <= 30; second += 1) {
      for (let i = 0; i < 45; i += 1) socket.ws.ping();
      await testServer.waitUntil(() => pongs === second * 45);
      await testServer.advance(1000);
    }
    expect(socket.ws.readyState).to.equal(socket.ws.OPEN);
  });

  it("sockets of one address share a budget that is separate from other addresses'", async () => {
    const other = await testServer.join("play", await testServer.startSession(), withAddress("10.0.0.2"));
    const flood: TestSocket[] = [];
    const frames = BURST_FRAMES - 10;
    for (let sent = 0; sent <= ADDRESS_LIMITS.frames.limit; sent += frames) {
      const socket = await testServer.join("play", await testServer.startSession(), withAddress("10.0.0.1"));
      for (let i = 0; i < frames; i += 1) socket.ws.ping();
      flood.push(socket);
    }
    const closed = await Promise.race(flood.map((socket) => socket.closed));
    expect(closed).to.deep.equal(RATE_LIMITED);
    other.ws.ping();
    await once(other.ws, "pong");
  });

  it("upgrades of one address are limited before the session is looked up", async () => {
    let lookUps = 0;
    const { sessions } = testServer.store;
    const { find } = sessions;
    sessions.find = (id: string) => {
      lookUps += 1;
      return find.call(sessions, id);
    };
    const unknown = { ...row, sessionId: "00000000-0000-7000-8000-000000000000" };
    const getStatus = async (ip: string) => {
      const { ws } = testServer.openSocket("play", unknown, withAddress(ip));
      const [, response] = (await once(ws, "unexpected-response")) as [unknown, IncomingMessage];
      response.resume();
      return { status: response.statusCode, retryAfter: response.headers["retry-after"] };
    };
    const { limit } = ADDRESS_LIMITS.upgrades;
    for (let i = 0; i < limit; i += 1) expect((await getStatus("10.0.0.1")).status).to.equal(404);
    expect(await getStatus("10.0.0.1")).to.deep.equal({ status: 429, retryAfter: "1" });
    expect(lookUps).to.equal(limit);
    expect((await getStatus("10.0.0.2")).status).to.equal(404);
  });

  it("unknown tokens of one address are limited before they are looked up", async () => {
    let lookUps = 0;
    const { channelTokens } = testServer.store;
    const { find } = channelTokens;
    channelTokens.find = (hash: string) => {
      lookUps += 1;
      return find.call(channelTokens, hash);
    };
    const tryToken = async (ip: string) => {
      const socket = await testServer.openSocket("play", row, withAddress(ip)).open();
      socket.send({ t: "auth", token: "ap_AAAAAAAAAAAAAAAAAAAAAAAAAAAA" });
      const { reason } = await socket.closed;
      if (reason === "RATE_LIMITED") expect(explain(socket)).to.include("20 wrong tokens in 60 s from your address");
      return reason;
    };
    const { limit } = ADDRESS_LIMITS.failedTokens;
    for (let i = 0; i < limit; i += 1) expect(await tryToken("10.0.0.1")).to.equal("TOKEN_NOT_FOUND");
    expect(await tryToken("10.0.0.1")).to.equal("RATE_LIMITED");
    expect(lookUps).to.equal(limit);
    expect(await tryToken("10.0.0.2")).to.equal("TOKEN_NOT_FOUND");
  });

  it("a player that always has a valid token is not affected by the limit on unknown ones", async () => {
    for (let i = 0; i < ADDRESS_LIMITS.failedTokens.limit * 2; i += 1) {
      const player = await testServer.join("play", row, withAddress("10.0.0.1"));
      expect(player.messages[0]).to.include({ t: "hello" });
      await player.close();
    }
  });
});

describe("the frame scanner", () => {
  /** One masked frame, as a client sends it (RFC 6455 §5.2). */
  function encode(opcode: number, length: number, fin = true): Buffer {
    const size = length < 126 ? 2 : length < 65_536 ? 4 : 10;
    const header = Buffer.alloc(size + 4);
    header[0] = (fin ? 0x80 : 0) | opcode;
    header[1] = 0x80 | (size === 2 ? length : size === 4 ? 126 : 127);
    if (size === 4) header.writeUInt16BE(length, 2);
    if (size === 10) header.writeBigUInt64BE(BigInt(length), 2);
    return Buffer.concat([header, Buffer.alloc(length, 0xff)]);
  }

  it("every frame is counted once, wherever the stream is split", () => {
    const lengths = [0, 5, 125, 126, 1000, 65_535, 65_536];
    const stream = Buffer.concat(lengths.map((length) => encode(1, length)));
    for (const size of [1, 3, 7, 1000, stream.length]) {
      const scanner = new FrameScanner();
      for (let offset = 0; offset < stream.length; offset += size) scanner.scan(stream.subarray(offset, offset + size));
      expect(scanner.frames, `chunks of ${size}`).to.equal(lengths.length);
    }
  });

  it("control frames and fragments are counted separately, and close frames are not counted", () => {
    const scanner = new FrameScanner();
    scanner.scan(Buffer.concat([encode(1, 3), encode(2, 3), encode(8, 2)]));
    expect([scanner.frames, scanner.controlsAndFragments]).to.deep.equal([3, 0]);
    scanner.scan(Buffer.concat([encode(9, 0), encode(10, 0), encode(1, 3, false), encode(0, 3)]));
    expect([scanner.frames, scanner.controlsAndFragments]).to.deep.equal([7, 4]);
  });
});
