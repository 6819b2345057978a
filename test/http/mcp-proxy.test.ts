import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type RequestListener, request, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { serveMcp } from "../../backend/http/server/mcp-proxy.ts";
import { createMcpHttpServer } from "../../mcp/http-server.ts";

const HOST = "arcade.example";
const SMUGGLED = `POST /smuggled HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 0\r\n\r\n`;

const createChunkedRequest = (method: string, body: string): string =>
  `${method} /mcp HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

/** Sends bytes and returns everything received until the connection ends. */
async function exchange(port: number, bytes: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  socket.write(bytes);
  await once(socket, "close");
  return text;
}

describe("requests of /mcp on their way to its process", () => {
  let folder: string;
  let handle: RequestListener;
  let paths: string[];
  let target: Server;
  let server: Server;
  let port: number;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "arcade-mcp-test-"));
    const socketPath = join(folder, "mcp.sock");
    target = createServer((incoming, response) => {
      paths.push(`${incoming.method} ${incoming.url}`);
      handle(incoming, response);
    }).listen(socketPath);
    const proxy = serveMcp(
      {
        getSocketPath: async () => socketPath,
        origins: () => [`http://${HOST}`],
        allowsPrivateNames: false,
        trustProxy: 0,
        draining: () => false,
      },
      (_, response) => response.writeHead(404).end(),
    );
    server = createServer(proxy).listen(0, "127.0.0.1");
    await Promise.all([once(target, "listening"), once(server, "listening")]);
    port = (server.address() as AddressInfo).port;
  });
  beforeEach(() => {
    paths = [];
    handle = (_, response) => response.end("done");
  });
  after(async () => {
    for (const each of [server, target]) {
      each.close();
      each.closeAllConnections();
    }
    await rm(folder, { recursive: true });
  });

  it("are POST only, so that another method's body is not read as a request", async () => {
    for (const method of ["GET", "HEAD", "DELETE", "OPTIONS", "TRACE", "PUT"]) {
      const text = await exchange(port, createChunkedRequest(method, SMUGGLED));
      expect(text, method).to.match(/^HTTP\/1\.1 405 [\s\S]*\r\nAllow: POST\r\n/);
    }
    expect(paths).to.deep.equal([]);
    expect(await exchange(port, createChunkedRequest("POST", SMUGGLED))).to.match(/^HTTP\/1\.1 200 /);
    expect(paths).to.deep.equal(["POST /mcp"]);
  });

  it("come from accepted pages of another port, whose preflights are answered", async () => {
    const send = (method: string, origin: string) =>
      exchange(
        port,
        `${method} /mcp HTTP/1.1\r\nHost: ${HOST}\r\nOrigin: ${origin}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
      );
    const page = `http://${HOST}`;
    const preflight = await send("OPTIONS", page);
    expect(preflight).to.match(/^HTTP\/1\.1 204 /);
    expect(preflight).to.include("\r\nAccess-Control-Allow-Headers: *, Authorization\r\n");
    for (const text of [preflight, await send("POST", page), await send("GET", page)])
      expect(text).to.include(`\r\nAccess-Control-Allow-Origin: ${page}\r\n`);
    for (const method of ["OPTIONS", "POST"]) {
      const text = await send(method, "http://evil.example");
      expect(text).to.match(/^HTTP\/1\.1 403 /);
      expect(text).to.not.include("Access-Control-Allow-Origin");
    }
  });

  it("end when the process ends in the middle of its answer", async () => {
    handle = (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(": open\n\n", () => response.destroy());
    };
    const sent = request({ port, host: "127.0.0.1", path: "/mcp", method: "POST", headers: { host: HOST } });
    sent.end("{}");
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    await once(answer.resume(), "close").catch(() => undefined);
    expect(answer.complete).to.equal(false);
  });
});

describe("the HTTP server of /mcp", () => {
  it("continues after input that the protocol library cannot handle", async () => {
    const server = createMcpHttpServer({ fetch: async () => new Response("done") }, 1024).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    try {
      const head = `Host: ${HOST}\r\nConnection: close\r\n\r\n`;
      expect(await exchange(port, `TRACE /mcp HTTP/1.1\r\n${head}`)).to.equal("");
      expect(await exchange(port, `POST /mcp HTTP/1.1\r\nHost: a[b\r\nConnection: close\r\n\r\n`)).to.equal("");
      expect(await exchange(port, `POST /mcp HTTP/1.1\r\nContent-Length: 0\r\n${head}`)).to.match(/^HTTP\/1\.1 200 /);
    } finally {
      server.close();
    }
  });
});
