import { execFile } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from "node:net";
import { promisify } from "node:util";
import { expect } from "chai";
import { postJson } from "../../../backend/adapters/node/post-json.ts";

/** Far longer than any of these requests takes. */
const LONG_MS = 30_000;
const SHORT_MS = 100;
/** An idle connection is kept for 4 s. */
const EXIT_MS_MAX = 2_000;

/** A process that prints how long it ran after its response. */
const EXIT_SCRIPT = `
const { postJson } = await import(process.argv[1]);
const url = new URL(process.argv[2]);
const { text } = await postJson({ url, headers: {}, body: "[]", timeoutMs: 30000, bytesMax: 1000 });
const answeredAtMs = performance.now();
process.on("exit", () => process.stdout.write(JSON.stringify({ text, livedMs: performance.now() - answeredAtMs })));`;

const listen = async (server: Server | TcpServer): Promise<string> => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
};

const waitForClose = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once("close", () => resolve());
  });

describe("a request with JSON", () => {
  let server: Server;
  let url: string;
  let requests: IncomingMessage[];
  let connections: number;
  /** Counts the requests' connections, not the server's. */
  let ownSockets: Socket[];
  const keepSocket = (message: unknown): void => void ownSockets.push((message as { socket: Socket }).socket);
  let respond: (response: ServerResponse, request: IncomingMessage) => void;

  before(async () => {
    server = createServer((request, response) => {
      requests.push(request);
      request.resume().on("end", () => respond(response, request));
    });
    server.on("connection", () => {
      connections += 1;
    });
    url = await listen(server);
    subscribe("net.client.socket", keepSocket);
  });
  beforeEach(() => {
    requests = [];
    connections = 0;
    ownSockets = [];
    respond = (response) => response.end("{}");
  });
  afterEach(() => server.closeAllConnections());
  after(() => {
    unsubscribe("net.client.socket", keepSocket);
    server.close();
  });

  const post = (options: { readonly url?: string; readonly timeoutMs?: number; readonly bytesMax?: number } = {}) =>
    postJson({
      headers: {},
      body: '["ä"]',
      timeoutMs: LONG_MS,
      bytesMax: 1_000,
      ...options,
      url: new URL(options.url ?? url),
    });
  const fail = (...args: Parameters<typeof post>): Promise<unknown> =>
    post(...args).then(
      () => null,
      (error: unknown) => error,
    );

  it("sends its length and type, and requests an uncompressed response", async () => {
    await post();
    const { "content-length": length, "content-type": type, "accept-encoding": encoding } = requests[0]!.headers;
    expect({ length, type, encoding }).to.deep.equal({ length: "6", type: "application/json", encoding: "identity" });
  });

  it("reads a response whose characters are split across its parts", async () => {
    const bytes = Buffer.from('"ä"');
    respond = (response) => {
      response.write(bytes.subarray(0, 2));
      setImmediate(() => response.end(bytes.subarray(2)));
    };
    expect(await post()).to.deep.equal({ ok: true, status: 200, statusText: "OK", text: '"ä"' });
  });

  it("reuses the previous request's connection, even after an error status", async () => {
    respond = (response) => response.writeHead(500).end("no");
    expect(await post()).to.include({ ok: false, status: 500, text: "no" });
    respond = (response) => response.end("{}");
    await post();
    await post();
    expect(connections).to.equal(1);
  });

  for (const [name, close] of [
    ["closed", (socket: Socket) => socket.end()],
    ["reset", (socket: Socket) => socket.resetAndDestroy()],
  ] as const)
    it(`opens a new connection after the idle one was ${name}`, async () => {
      await post();
      const closed = waitForClose(ownSockets[0]!);
      close(requests[0]!.socket);
      await closed;
      expect(await post()).to.include({ status: 200 });
      expect(connections).to.equal(2);
    });

  for (const status of [301, 302, 303, 307, 308])
    it(`follows no redirect (${status})`, async () => {
      const reached: IncomingMessage[] = [];
      const target = createServer((request, response) => {
        reached.push(request);
        response.end("{}");
      });
      const location = await listen(target);
      respond = (response) => response.writeHead(status, { location }).end("moved");
      expect(await post()).to.include({ ok: false, status, text: "moved" });
      expect([requests.length, reached.length]).to.deep.equal([1, 0]);
      target.close();
    });

  it("accepts a response of the maximum length, and closes the connection of a longer one", async () => {
    respond = (response) => response.end("x".repeat(1_000));
    expect((await post()).text).to.have.length(1_000);
    respond = (response) => response.write("x".repeat(1_001));
    expect(await fail()).to.include({ name: "BodyTooLargeError" });
    await waitForClose(requests[1]!.socket);
  });

  for (const [name, begin] of [
    ["no response", () => undefined],
    ["a response without an end", (response: ServerResponse) => response.write("[")],
    [
      "a response that grows all the time",
      (response: ServerResponse) => {
        const timer = setInterval(() => response.write(" "), 10);
        response.on("close", () => clearInterval(timer));
      },
    ],
  ] as const)
    it(`fails after its time limit with ${name}, and closes the connection`, async () => {
      respond = begin;
      const startedAtMs = performance.now();
      expect(await fail({ timeoutMs: SHORT_MS })).to.include({ name: "ResponseTimeoutError" });
      expect(performance.now() - startedAtMs).to.be.within(SHORT_MS - 1, LONG_MS / 2);
      await waitForClose(requests[0]!.socket);
    });

  for (const [name, cut] of [
    ["before its response", (response: ServerResponse) => response.destroy()],
    [
      "in the middle of its response",
      (response: ServerResponse) =>
        response.writeHead(200, { "content-length": 10 }).write("[", () => response.destroy()),
    ],
  ] as const)
    it(`fails at once when its connection is cut ${name}, and is not sent again`, async () => {
      respond = cut;
      expect(await fail()).to.include({ code: "ECONNRESET" });
      expect(requests).to.have.length(1);
    });

  it("fails when the response is not HTTP, and when nothing listens", async () => {
    const other = createTcpServer((socket) => socket.resume().end("no HTTP\r\n\r\n"));
    const otherUrl = await listen(other);
    expect(await fail({ url: otherUrl })).to.include({ code: "HPE_INVALID_CONSTANT" });
    other.close();
    await once(other, "close");
    expect(await fail({ url: otherUrl })).to.include({ code: "ECONNREFUSED" });
  });

  it("does not keep a process alive with its connection or its time limit", async () => {
    const script = new URL("../../../backend/adapters/node/post-json.ts", import.meta.url).href;
    const args = ["--input-type=module", "-e", EXIT_SCRIPT, script, url];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const { text, livedMs } = JSON.parse(stdout) as { text: string; livedMs: number };
    expect(text).to.equal("{}");
    expect(livedMs).to.be.below(EXIT_MS_MAX);
  });
});
