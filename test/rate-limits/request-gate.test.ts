import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect } from "chai";
import { createLimiter } from "../../backend/rate-limits/limiter.ts";
import { GATE_SERVER_OPTIONS, RequestGate } from "../../backend/rate-limits/request-gate.ts";
import type { TrustProxy } from "../../backend/requests/client-address.ts";
import { ADDRESS_LIMITS, CONNECTION_LIMITS } from "../../domain/limits/limits.ts";
import { TestClock } from "../helpers/test-clock.ts";

const REQUEST = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
const PLAYER_REQUEST = "GET / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\n\r\n";
const LARGE_REQUEST = REQUEST.replace("/ ", "/large ");
/** More than fits into the buffers of a loopback connection. */
const LARGE = Buffer.alloc(64 * 1024 * 1024);

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
const isOpen = ({ destroyed, readyState }: Socket): boolean => !destroyed && readyState === "open";

describe("the request gate", () => {
  let server: Server;
  let handled: number;
  /** Responses that the handler has not finished yet. */
  let finishers: (() => void)[];
  let isFinishedAtOnce: boolean;
  let clock: TestClock;
  let gate: RequestGate;
  /** The server's ends of the connections. */
  let served: { readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null }[];
  const sockets: Socket[] = [];

  async function start({
    trustProxy = 0 as TrustProxy,
    inAll = CONNECTION_LIMITS.inAll as number,
  } = {}): Promise<void> {
    [handled, finishers, isFinishedAtOnce, clock] = [0, [], true, new TestClock()];
    gate = new RequestGate({ limiter: createLimiter(clock, true), clock, trustProxy, inAll });
    server = createServer(
      { ...GATE_SERVER_OPTIONS },
      gate.wrap((request, response) => {
        handled += 1;
        if (request.headers.authorization !== undefined) gate.admitPlayer(request);
        if (request.url === "/large") {
          response.end(LARGE);
          return;
        }
        if (isFinishedAtOnce) response.end("ok");
        else finishers.push(() => response.end("ok"));
      }),
    );
    gate.attach(server);
    served = [];
    server.on("connection", (socket) => served.push(socket as never));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  }
  function stop(): void {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
  }
  /** Waits until the buffers between server and clients are full. */
  async function settle(): Promise<void> {
    const count = (): number =>
      served.reduce((sum, { _handle: handle }) => sum + (handle?.bytesWritten ?? 0) - (handle?.writeQueueSize ?? 0), 0);
    for (let before = -1; before !== count(); ) {
      before = count();
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  const restart = (options: Parameters<typeof start>[0]): Promise<void> => {
    stop();
    return start(options);
  };
  beforeEach(() => start());
  afterEach(stop);

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
    await text;
    // Fewer if the turn of the event loop ended before the connection was closed.
    expect(handled).to.be.within(1, CONNECTION_LIMITS.pipelined);
  });

  it("after a flood, only new connections of its address are closed, until its debt is paid", async () => {
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
    for (let i = 0; i < CONNECTION_LIMITS.waitingPerIp; i += 1) {
      const socket = await open("127.0.0.2");
      socket.write("POST / HTTP/1.1\r\nHost: x\r\n");
      half.push(socket);
    }
    const oldestClosed = once(half[0]!, "close");
    expect(await send(REQUEST, "127.0.0.2")).to.match(/^HTTP\/1\.1 200 /);
    await oldestClosed;
    expect(half.slice(1).every((socket) => !socket.destroyed)).to.equal(true);
  });

  it("behind a proxy a whole request closes no half-sent one of its client", async () => {
    await restart({ trustProxy: 1 });
    isFinishedAtOnce = false;
    const uploads = Array.from({ length: CONNECTION_LIMITS.waitingPerIp }, () => open());
    for (const socket of await Promise.all(uploads))
      socket.write("POST / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 10.0.0.1\r\nContent-Length: 5\r\n\r\nab");
    await until(() => handled === uploads.length);
    (await open()).write(REQUEST.replace("x\r\n", "x\r\nX-Forwarded-For: 10.0.0.1\r\n"));
    await until(() => handled > uploads.length);
    expect(gate.stats()).to.deep.equal({ addresses: 1, waiting: uploads.length, places: uploads.length + 1 });
  });

  it("a request whose body has not arrived counts as half-sent, and one that is handled does not", async () => {
    isFinishedAtOnce = false;
    const whole = await open("127.0.0.2");
    whole.write(REQUEST);
    const body = await open("127.0.0.2");
    body.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab");
    await until(() => finishers.length === 2);
    const bodyClosed = once(body, "close");
    for (let i = 0; i < CONNECTION_LIMITS.waitingPerIp; i += 1) await open("127.0.0.2");
    await bodyClosed;
    expect(whole.destroyed).to.equal(false);
  });

  it("an address may have 100 connections; idle ones give way to newer ones, but players' never do", async () => {
    const opened: Socket[] = [];
    for (let i = 0; i < CONNECTION_LIMITS.perIp; i += 1) {
      const socket = await open("127.0.0.2");
      opened.push(socket);
      // The second one is a player's.
      socket.write(i === 1 ? PLAYER_REQUEST : REQUEST);
      await once(socket, "data");
    }
    expect(gate.stats()).to.deep.equal({ addresses: 1, waiting: 0, places: CONNECTION_LIMITS.perIp });
    const closed = [once(opened[0]!, "close"), once(opened[2]!, "close")];
    const others = [await open("127.0.0.2"), await open("127.0.0.2")];
    await Promise.all(closed);
    expect([opened[1]!, opened[3]!, ...others].every(isOpen)).to.equal(true);
    // The other guests leave, and only players are left.
    for (const socket of [...opened.slice(3), ...others]) socket.destroy();
    await until(() => gate.stats().places === 1);
    for (let i = 1; i < CONNECTION_LIMITS.perIp; i += 1) {
      const socket = await open("127.0.0.2");
      socket.write(PLAYER_REQUEST);
      await once(socket, "data");
    }
    expect(await readAll(await open("127.0.0.2"))).to.equal("");
    expect(await send(REQUEST, "127.0.0.3")).to.match(/^HTTP\/1\.1 200 /);
  });

  it("when all places are taken, the fullest network gives one up, but never a player's", async () => {
    await restart({ inAll: 4 });
    isFinishedAtOnce = false;
    const player = await open("127.0.1.9");
    player.write(PLAYER_REQUEST);
    const flood: Socket[] = [];
    for (const n of [1, 2, 3]) {
      const socket = await open(`127.0.1.${n}`);
      socket.write(REQUEST);
      flood.push(socket);
      await until(() => finishers.length === n + 1);
    }
    const closed = once(flood[0]!, "close");
    const [newer] = [await open("127.0.2.1"), await closed];
    expect([player, flood[1]!, flood[2]!, newer].every(isOpen)).to.equal(true);
    expect(gate.stats().places).to.equal(4);
  });

  it("a connection whose client reads nothing for 20 s is closed, but not one that reads slowly", async () => {
    const [stopped, slow] = [await open("127.0.0.2"), await open("127.0.0.3")];
    for (const socket of [stopped, slow]) {
      socket.pause();
      socket.write(LARGE_REQUEST);
    }
    await until(() => handled === 2);
    await settle();
    clock.advance(15_000);
    let takenBytes = 0;
    slow.on("data", (part) => {
      takenBytes += part.length;
      if (takenBytes > LARGE.length / 2) slow.pause();
    });
    slow.resume();
    await until(() => slow.isPaused());
    await settle();
    clock.advance(5_000);
    expect(gate.stats().places).to.equal(2);
    clock.advance(CONNECTION_LIMITS.checkMs);
    await until(() => gate.stats().places < 2);
    clock.advance(14_000);
    expect(gate.stats().places).to.equal(1);
    clock.advance(CONNECTION_LIMITS.checkMs);
    await until(() => gate.stats().places === 0);
  });

  it("behind a proxy each request holds its client's place until its response ends in any way", async () => {
    await restart({ trustProxy: 1, inAll: 3 });
    isFinishedAtOnce = false;
    const toRequest = (ip: string, rest = "\r\n") => `POST / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${ip}\r\n${rest}`;
    const begin = async (text: string): Promise<Socket> => {
      const [socket, before] = [await open(), handled];
      socket.write(text);
      await until(() => handled > before);
      return socket;
    };
    await open();
    expect(gate.stats().places, "a connection without a request").to.equal(0);
    const body = "Content-Length: 5\r\n\r\nab";
    const [upload, response] = [await begin(toRequest("10.0.0.1", body)), await begin(toRequest("10.0.0.2"))];
    expect(gate.stats()).to.deep.equal({ addresses: 2, waiting: 1, places: 2 });
    upload.destroy();
    await until(() => gate.stats().places === 1);
    response.destroy();
    await until(() => gate.stats().places === 0);
    const kept = await begin(toRequest("10.0.0.1"));
    finishers.at(-1)!();
    await once(kept, "data");
    await until(() => gate.stats().places === 0);
    expect(isOpen(kept)).to.equal(true);
    // Addresses of one /48 give way to each other, but not to others.
    const honest = await begin(toRequest("192.0.2.1"));
    const subnets = [await begin(toRequest("2001:db8:0:1::1")), await begin(toRequest("2001:db8:0:2::1"))];
    const closed = once(subnets[0]!, "close");
    await begin(toRequest("2001:db8:0:3::1"));
    await closed;
    expect([honest, subnets[1]!].every(isOpen)).to.equal(true);
  });

  it("a request without Host, or with two of them, is BAD_REQUEST with a problem document", async () => {
    for (const hosts of ["", "Host: x\r\nhost: x\r\n", "Host: x\r\nHost: y\r\n"]) {
      const text = await send(`GET / HTTP/1.1\r\n${hosts}\r\n`);
      expect(text).to.match(/^HTTP\/1\.1 400 /);
      expect(text).to.match(/content-type: application\/problem\+json/i);
      expect(JSON.parse(text.split("\r\n\r\n")[1]!)).to.include({ ok: false, code: "BAD_REQUEST", status: 400 });
    }
    expect(handled).to.equal(0);
    expect(await send("GET / HTTP/1.0\r\n\r\n")).to.match(/^HTTP\/1\.1 200 /);
  });

  it("the server closes requests that arrive slowly, and does not limit connections of proxies", async () => {
    expect([server.headersTimeout, server.requestTimeout, server.maxConnections]).to.deep.equal([
      10_000, 20_000, 10_000,
    ]);
    for (const trustProxy of [1, ["10.0.0.0/8"]]) {
      await restart({ trustProxy });
      expect(server.maxConnections).to.be.oneOf([undefined, 0]);
    }
  });
});
