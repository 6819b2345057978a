import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect } from "chai";
import { createLimiter } from "../../backend/rate-limits/limiter.ts";
import { GATE_SERVER_OPTIONS, RequestGate } from "../../backend/rate-limits/request-gate.ts";
import { ADDRESS_LIMITS, CONNECTION_LIMITS } from "../../domain/limits/limits.ts";
import { TestClock } from "../helpers/test-clock.ts";

const REQUEST = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

describe("the request gate", () => {
  let server: Server;
  let handled: number;
  /** Responses that the handler has not finished yet. */
  let finishers: (() => void)[];
  let isFinishedAtOnce: boolean;
  let clock: TestClock;
  const sockets: Socket[] = [];

  beforeEach(async () => {
    [handled, finishers, isFinishedAtOnce, clock] = [0, [], true, new TestClock()];
    const gate = new RequestGate(createLimiter(clock, true), false);
    server = createServer(
      { ...GATE_SERVER_OPTIONS },
      gate.wrap((_, response) => {
        handled += 1;
        if (isFinishedAtOnce) response.end("ok");
        else finishers.push(() => response.end("ok"));
      }),
    );
    gate.attach(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
  });

  /** Loopback has many addresses: `127.0.0.n`. */
  async function open(localAddress = "127.0.0.1"): Promise<Socket> {
    const { port } = server.address() as AddressInfo;
    const socket = connect({ host: "127.0.0.1", port, localAddress });
    socket.on("error", () => {});
    sockets.push(socket);
    await once(socket, "connect");
    return socket;
  }
  const readAll = async (socket: Socket): Promise<string> => {
    let text = "";
    socket.on("data", (data) => {
      text += data;
    });
    await once(socket, "close");
    return text;
  };
  async function send(text: string, localAddress?: string): Promise<string> {
    const socket = await open(localAddress);
    socket.write(text);
    const [data] = await once(socket, "data");
    socket.destroy();
    return String(data);
  }
  it("a connection gets one 429 with Retry-After and is closed when its address has sent too many requests", async () => {
    const socket = await open();
    for (let i = 0; i < ADDRESS_LIMITS.requests.limit; i += 1) {
      socket.write(REQUEST);
      await once(socket, "data");
    }
    const text = readAll(socket);
    socket.write(REQUEST);
    expect(await text).to.match(/^HTTP\/1\.1 429 .*\r\nRetry-After: 1\r\n/s);
    expect(await text).to.include('"code":"RATE_LIMITED"');
    expect(handled).to.equal(ADDRESS_LIMITS.requests.limit);
  });

  it("pipelined requests beyond the limit are not handled, and their connection is closed", async () => {
    isFinishedAtOnce = false;
    const socket = await open();
    const text = readAll(socket);
    // Far fewer than the address may send.
    socket.write(REQUEST.repeat(20));
    while (finishers.length < CONNECTION_LIMITS.pipelined) await new Promise((resolve) => setImmediate(resolve));
    await text;
    expect(handled).to.equal(CONNECTION_LIMITS.pipelined);
  });

  it("after a flood new connections of its address are closed until its debt is paid, and those of others are accepted", async () => {
    const flood = await open("127.0.0.2");
    flood.write(REQUEST.repeat(2000));
    await readAll(flood);
    expect(await readAll(await open("127.0.0.2"))).to.equal("");
    expect(await send(REQUEST, "127.0.0.3")).to.match(/^HTTP\/1\.1 200 /);
    clock.advance(ADDRESS_LIMITS.requests.windowSeconds * 2000);
    expect(await send(REQUEST, "127.0.0.2")).to.match(/^HTTP\/1\.1 200 /);
  });

  it("half-sent requests of an address give way to newer ones, the oldest first", async () => {
    const half = [];
    for (let i = 0; i < CONNECTION_LIMITS.receivingPerIp; i += 1) {
      const socket = await open("127.0.0.2");
      socket.write("POST / HTTP/1.1\r\nHost: x\r\n");
      half.push(socket);
    }
    const oldestClosed = once(half[0]!, "close");
    expect(await send(REQUEST, "127.0.0.2")).to.match(/^HTTP\/1\.1 200 /);
    await oldestClosed;
    expect(half.slice(1).every((socket) => !socket.destroyed)).to.equal(true);
  });

  it("a request whose body has not arrived counts as half-sent, and one that is handled does not", async () => {
    isFinishedAtOnce = false;
    const whole = await open("127.0.0.2");
    whole.write(REQUEST);
    const body = await open("127.0.0.2");
    body.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab");
    while (finishers.length < 2) await new Promise((resolve) => setImmediate(resolve));
    const bodyClosed = once(body, "close");
    for (let i = 0; i < CONNECTION_LIMITS.receivingPerIp; i += 1) await open("127.0.0.2");
    await bodyClosed;
    expect(whole.destroyed).to.equal(false);
  });

  it("an address may have 100 connections", async () => {
    for (let i = 0; i < CONNECTION_LIMITS.perIp; i += 1) {
      const socket = await open("127.0.0.2");
      socket.write(REQUEST);
      await once(socket, "data");
    }
    expect(await readAll(await open("127.0.0.2"))).to.equal("");
    expect(await send(REQUEST, "127.0.0.3")).to.match(/^HTTP\/1\.1 200 /);
  });

  it("a request without Host is BAD_REQUEST with a problem document", async () => {
    const text = await send("GET / HTTP/1.1\r\n\r\n");
    expect(text).to.match(/^HTTP\/1\.1 400 /);
    expect(text).to.match(/content-type: application\/problem\+json/i);
    expect(JSON.parse(text.split("\r\n\r\n")[1]!)).to.include({ ok: false, code: "BAD_REQUEST", status: 400 });
    expect(handled).to.equal(0);
  });

  it("the server closes requests that arrive slowly", () => {
    expect([server.headersTimeout, server.requestTimeout, server.maxConnections]).to.deep.equal([10_000, 20_000, 5000]);
  });
});
