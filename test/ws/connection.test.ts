import { EventEmitter } from "node:events";
import { Writable } from "node:stream";
import { expect } from "chai";
import * as wsModule from "ws";
import { MessageRate } from "../../backend/rate-limits/message-rate.ts";
import { Connection } from "../../backend/ws/connection.ts";
import { CHANNEL_LIMITS } from "../../domain/limits/limits.ts";
import type { TickBuffers } from "../../domain/protocol/session-tick.ts";
import { encodeTextFrame } from "../../domain/protocol/websocket-frames.ts";
import { TestClock } from "../helpers/test-clock.ts";

// `ws` exports its receiver, its types do not.
const { Receiver } = wsModule as unknown as { readonly Receiver: new (options: object) => Writable };

/** A peer that reads only while `isReading` is true. */
class SlowPeer extends Writable {
  readonly received: Buffer[] = [];
  #waiting: (() => void)[] = [];
  isReading = true;

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.received.push(chunk);
    if (this.isReading) done();
    else this.#waiting.push(done);
  }

  resume(): void {
    this.isReading = true;
    for (const done of this.#waiting.splice(0)) done();
  }
}

class FakeWebSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  closed: string | null = null;
  terminated = false;
  close(code: number, reason: string): void {
    this.readyState = 2;
    this.closed = `${code} ${reason}`;
  }
  terminate(): void {
    this.terminated = true;
    this.emit("close");
  }
  ping(): void {}
  pong(_data: Buffer): void {}
}

describe("backpressure", () => {
  const createConnection = () => {
    const ws = new FakeWebSocket();
    const peer = new SlowPeer();
    const clock = new TestClock();
    let closedCount = 0;
    const connection = new Connection(ws as unknown as wsModule.WebSocket, peer as never, clock, () => {
      closedCount += 1;
    });
    return { ws, peer, clock, connection, left: () => closedCount };
  };
  const createTick = (n: number, bytes = 1000, events: Buffer | null = null): TickBuffers => ({
    count: 1,
    events,
    whole: Buffer.alloc(bytes, n),
    withSkipped: (skipped) => Buffer.from(`skipped ${skipped}`),
  });

  it("a connection queues at most 64 kB of frames, then sends the latest one with its count", () => {
    const { peer, connection } = createConnection();
    peer.isReading = false;
    for (let n = 0; n < 200; n++) connection.sendTick(createTick(n));
    expect(peer.writableLength).to.be.within(CHANNEL_LIMITS.queuedBytes, CHANNEL_LIMITS.queuedBytes + 1000);
    const queued = Math.ceil(CHANNEL_LIMITS.queuedBytes / 1000);
    peer.resume();
    connection.sendTick(createTick(200));
    connection.sendTick(createTick(201));
    expect(peer.received.slice(-2).map((chunk) => String(chunk.subarray(0, 20)))).to.deep.equal([
      `skipped ${200 - queued}`,
      String(Buffer.alloc(20, 201)),
    ]);
  });

  it("a connection closes with 4010 at the 300th skipped frame and terminates a peer that does not answer", () => {
    const { ws, peer, clock, connection, left: closedCount } = createConnection();
    peer.isReading = false;
    connection.sendTick(createTick(0, CHANNEL_LIMITS.queuedBytes + 1));
    for (let n = 1; n < 300; n++) connection.sendTick(createTick(n));
    expect(ws.closed).to.equal(null);
    connection.sendTick(createTick(300));
    expect(ws.closed).to.equal("4010 CONSUMER_TOO_SLOW");
    expect([closedCount(), connection.isOpen]).to.deep.equal([1, false]);
    clock.advance(1999);
    expect(ws.terminated).to.equal(false);
    clock.advance(1);
    expect(ws.terminated).to.equal(true);
    expect(closedCount()).to.equal(1);
  });

  it("a connection never skips events, and closes when too many are queued", () => {
    const { ws, peer, connection } = createConnection();
    peer.isReading = false;
    const event = Buffer.alloc(5000, 1);
    for (let n = 0; n < 200 && ws.closed === null; n++) connection.sendTick(createTick(n, 6000, event));
    expect(ws.closed).to.equal("4010 CONSUMER_TOO_SLOW");
    expect(peer.writableLength).to.be.below(CHANNEL_LIMITS.queuedEventBytes + 6000);
  });

  it("the queue for a peer that sends and never reads stays bounded", () => {
    const { ws, peer, connection } = createConnection();
    let pongs = 0;
    ws.pong = () => {
      pongs += 1;
      peer.write(Buffer.alloc(127));
    };
    ws.emit("ping", Buffer.from("x"));
    expect(pongs).to.equal(1);
    peer.isReading = false;
    for (let n = 0; n < 10_000; n++) ws.emit("ping", Buffer.alloc(125));
    expect(peer.writableLength).to.be.below(CHANNEL_LIMITS.queuedBytes + 200);
    for (let n = 0; n < 30_000; n++) connection.send({ t: "pong" });
    expect(ws.closed).to.equal("4010 CONSUMER_TOO_SLOW");
    expect(peer.writableLength).to.be.below(CHANNEL_LIMITS.queuedEventBytes + 200);
  });

  it("a WebSocket receiver reads encoded text of every length", async () => {
    for (const length of [0, 1, 125, 126, 65535, 65536, 70000]) {
      const text = `é${"a".repeat(length)}`.slice(length === 0 ? 2 : 0);
      const receiver = new Receiver({ isServer: false, allowSynchronousEvents: true });
      const received: string[] = [];
      receiver.on("message", (data: Buffer) => received.push(String(data)));
      receiver.write(encodeTextFrame(text));
      expect(received).to.deep.equal([text]);
    }
  });
});

describe("the message rate", () => {
  it("the rate allows twice the tick rate and a short burst, and drops a flood at once", () => {
    const rate = new MessageRate(20, 0);
    for (let second = 0; second < 60; second++) {
      for (let i = 0; i < 40; i++) expect(rate.count(second * 1000 + i)).to.equal("ok");
    }
    const results = Array.from({ length: 500 }, () => rate.count(60_000));
    expect(results.filter((result) => result === "ok")).to.have.length(400);
    expect(results.filter((result) => result === "warn")).to.have.length(1);
  });

  it("the count starts again after a second within the rate", () => {
    const rate = new MessageRate(20, 0);
    const second = (n: number, messages: number) =>
      Array.from({ length: messages }, () => rate.count(n * 1000)).filter((result) => result === "ok").length;
    expect([second(0, 50), second(1, 50), second(2, 50)]).to.deep.equal([50, 50, 40]);
    expect([second(3, 40), second(4, 50), second(5, 50), second(6, 50)]).to.deep.equal([40, 50, 50, 40]);
    second(7, 50);
    second(8, 50);
    expect(rate.count(9000)).to.equal("close");
  });
});

describe("missed pongs", () => {
  it("close a socket at the ping after the last one that it may miss, counted from its last pong", () => {
    const ws = new FakeWebSocket();
    const connection = new Connection(
      ws as unknown as wsModule.WebSocket,
      new SlowPeer() as never,
      new TestClock(),
      () => {},
    );
    for (let round = 0; round < 3; round += 1) {
      for (let missed = 0; missed < CHANNEL_LIMITS.missedPongs; missed += 1) connection.ping();
      expect(ws.closed, `round ${round}`).to.equal(null);
      ws.emit("pong");
    }
    for (let missed = 0; missed < CHANNEL_LIMITS.missedPongs; missed += 1) connection.ping();
    expect(ws.closed).to.equal(null);
    connection.ping();
    expect(ws.closed).to.include("PONG_TIMEOUT");
  });
});
