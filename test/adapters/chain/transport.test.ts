import type { ServerResponse } from "node:http";
import { inspect } from "node:util";
import { expect } from "chai";
import { createNodeTransport } from "../../../backend/adapters/chain/transport.ts";
import { type HttpServer, startServer } from "../../helpers/http-server.ts";

/** Includes the shortest secrets that are hidden: a path segment of 12 characters, and a user of 4. */
const SECRETS = ["u9w2", "passsecret3456", "pathsecret12", "querysecret5678"];
const LONG_MS = 30_000;
const SHORT_MS = 100;
/** A port on which nothing listens. */
const CLOSED_PORT = 9;

describe("the transport to a node", () => {
  let server: HttpServer;
  let url = "";
  let respond: (response: ServerResponse, path: string) => void;

  before(async () => {
    server = await startServer((_, response, request) => {
      url = request.url ?? "";
      respond(response, url);
    });
  });
  after(() => server.close());

  /** The error with all its fields and causes, as a text. */
  async function fail(options: { readonly port?: number; readonly timeoutMs?: number } = {}): Promise<string> {
    const rpcUrl = `http://u9w2:passsecret3456@127.0.0.1:${options.port ?? server.port}/v2/pathsecret12?key=querysecret5678`;
    const { request } = createNodeTransport(rpcUrl, options.timeoutMs ?? LONG_MS)({ retryCount: 0 });
    return await request({ method: "eth_chainId" }).then(
      () => "no error",
      (error: unknown) => inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true }),
    );
  }
  function expectHidden(shown: string, expected: string | RegExp): void {
    expect(shown).to.match(new RegExp(expected));
    for (const secret of SECRETS) expect(shown).to.not.include(secret);
  }

  it("sends requests to the path and query of the node's address", async () => {
    respond = (response) => response.writeHead(500).end();
    await fail();
    expect(url).to.equal("/v2/pathsecret12?key=querysecret5678");
  });

  const failures: readonly (readonly [string, string, (response: ServerResponse, path: string) => void])[] = [
    ["a status", "HttpRequestError", (response, path) => response.writeHead(401).end(`no access at ${path}`)],
    ["a refusal", "over its limit", (response) => response.writeHead(429).end(`${SECRETS.join()} is over its limit`)],
    ["a redirect", "307", (response, path) => response.writeHead(307, { location: `${path}/` }).end(`see ${path}`)],
    ["no JSON", "SyntaxError", (response, path) => response.end(path)],
    ["a cut connection", "ECONNRESET", (response) => response.destroy()],
    ["no HTTP", "HPE_INVALID", (response, path) => response.socket!.end(`${path}\r\n\r\n`)],
  ];
  for (const [name, expected, fault] of failures)
    it(`hides the node's address in the error of ${name}`, async () => {
      respond = fault;
      expectHidden(await fail(), expected);
    });

  it("hides the node's address in the errors of a late and of an unavailable node", async () => {
    respond = () => undefined;
    expectHidden(await fail({ timeoutMs: SHORT_MS }), "TimeoutError");
    expectHidden(await fail({ port: CLOSED_PORT }), "ECONNREFUSED");
  });
});
