/** Requests of HTTP libraries, model clients and proxies, and the answers. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { expect } from "chai";
import { WebSocket } from "ws";
import { createClient } from "../../client/client.ts";
import { isApiError } from "../../client/errors.ts";
import { useTestStack } from "../helpers/suite.ts";

const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "probe", version: "1" } },
});

/** Sends exactly these headers, since `fetch` adds some. */
async function send(url: string, headers: OutgoingHttpHeaders, body?: string | Buffer) {
  const sent = request(url, { method: "POST", headers });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return { status: response.statusCode, type: response.headers["content-type"], text: await readText(response) };
}

const BROWSER_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const SSE = "text/event-stream";
const JSON_TYPE = "application/json";

/** The type that `/mcp` returns for a client's `Accept`. */
const ACCEPTS: readonly (readonly [accept: string | null, type: string])[] = [
  [`${JSON_TYPE}, ${SSE}`, SSE],
  [`${SSE}, ${JSON_TYPE}`, SSE],
  [`${JSON_TYPE};q=0.9,${SSE};q=0.5`, SSE],
  [SSE, SSE],
  ["TEXT/EVENT-STREAM", SSE],
  ["*/*", JSON_TYPE],
  [null, JSON_TYPE],
  ["", JSON_TYPE],
  [JSON_TYPE, JSON_TYPE],
  [`${JSON_TYPE}; charset=utf-8`, JSON_TYPE],
  ["application/*", JSON_TYPE],
  [`${JSON_TYPE}, ${SSE};q=0`, JSON_TYPE],
  [BROWSER_ACCEPT, JSON_TYPE],
];

/** Bodies that count as empty. Type `null`: without Content-Type. */
const EMPTY_BODIES: readonly (readonly [type: string | null, body: string | undefined])[] = [
  [null, undefined],
  [JSON_TYPE, ""],
  ["application/x-www-form-urlencoded", ""],
  ["text/plain;charset=UTF-8", ""],
  ["multipart/form-data; boundary=x", ""],
  [JSON_TYPE, "null"],
  [null, "null"],
  ["text/plain", " null\n"],
  [JSON_TYPE, "\r\n"],
  [JSON_TYPE, "\ufeff"],
  [`${JSON_TYPE}; charset=utf-8`, "\ufeff{}"],
  [`${JSON_TYPE};charset="UTF-8"`, "{}"],
  ["Application/JSON", "{}"],
  ["application/vnd.api+json", "{}"],
  ["application/merge-patch+json; charset=utf-8", "{}"],
];

/** Bodies that are not a JSON object, and their errors. */
const WRONG_BODIES: readonly (readonly [type: string | null, body: string, code: string])[] = [
  ["text/plain", "{}", "UNSUPPORTED_MEDIA_TYPE"],
  [null, "{}", "UNSUPPORTED_MEDIA_TYPE"],
  ["application/x-www-form-urlencoded", "a=1", "UNSUPPORTED_MEDIA_TYPE"],
  [JSON_TYPE, "undefined", "BAD_JSON"],
  [JSON_TYPE, "nullnull", "BAD_JSON"],
  [JSON_TYPE, "[]", "VALIDATION_FAILED"],
  [JSON_TYPE, '"null"', "VALIDATION_FAILED"],
];

describe("clients of every kind", () => {
  const stack = useTestStack();
  const heartbeat = { url: "", authorization: "" };
  before(async () => {
    const { body } = await stack.request("POST", "/api/games/flappybots/sessions/start", {
      body: { source: "browser_ws" },
    });
    heartbeat.url = `${stack.httpUrl}/api/games/flappybots/sessions/${body.sessionId}/heartbeat`;
    heartbeat.authorization = `Bearer ${body.practiceToken}`;
  });

  for (const [accept, type] of ACCEPTS)
    it(`/mcp answers Accept: ${accept ?? "(none)"} with ${type}`, async () => {
      const headers = { "content-type": JSON_TYPE, ...(accept === null ? {} : { accept }) };
      const answer = await send(`${stack.httpUrl}/mcp`, headers, INITIALIZE);
      expect(answer.status, answer.text).to.equal(200);
      expect(answer.type).to.equal(type);
      const json = type === SSE ? answer.text.slice(answer.text.indexOf("{")) : answer.text;
      expect(JSON.parse(json)).to.have.nested.property("result.serverInfo");
    });

  /** Members that clients write as null instead of leaving them out. */
  for (const [method, params] of [
    ["tools/call", { name: "list_games", arguments: null }],
    ["tools/call", { name: "list_games", _meta: null }],
    ["tools/list", null],
    ["tools/list", { cursor: null }],
  ] as const)
    it(`/mcp treats null as absent in ${method} with ${JSON.stringify(params)}`, async () => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      const answer = await send(`${stack.httpUrl}/mcp`, { "content-type": JSON_TYPE }, body);
      expect(JSON.parse(answer.text)).to.have.property("result");
      const both = await send(
        `${stack.httpUrl}/mcp`,
        { "content-type": JSON_TYPE },
        `[${body},${body.replace('"id":1', '"id":2')}]`,
      );
      expect(JSON.parse(both.text)).to.have.length(2);
    });

  it("a tool of /mcp accepts null for optional arguments only", async () => {
    const call = async (args: object) => {
      const params = { name: "simulate", arguments: args };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
      return (await send(`${stack.httpUrl}/mcp`, { "content-type": JSON_TYPE }, body)).text;
    };
    const fitting = { slug: "flappybots", policy: "() => null", seeds: null };
    expect(JSON.parse(await call(fitting)).result.isError).to.equal(false);
    expect(await call({ ...fitting, slug: null })).to.include("VALIDATION_FAILED");
    expect(await call({ ...fitting, courses: null })).to.include("UNKNOWN_FIELD");
  });

  it("a tool of /mcp accepts numbers, booleans and objects as text, and ids as numbers", async () => {
    const call = async (name: string, args: object) => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });
      return (await send(`${stack.httpUrl}/mcp`, { "content-type": JSON_TYPE }, body)).text;
    };
    const simulation = { slug: "flappybots", policy: "() => null" };
    expect(JSON.parse(await call("simulate", { ...simulation, seeds: "2" })).result.structuredContent.runs).to.equal(2);
    const board = { hideZero: "false", limit: "5", page: 1 };
    expect(JSON.parse(await call("leaderboard", board)).result.isError).to.equal(false);
    expect(JSON.parse(await call("profile", { agentId: 1 })).result.isError).to.equal(false);
    for (const seeds of ["two", "1e9", "{}", "", true])
      expect(await call("simulate", { ...simulation, seeds }), String(seeds)).to.include("VALIDATION_FAILED");
    expect(await call("profile", { agentId: 2 ** 60 })).to.include("VALIDATION_FAILED");
    for (const name of ["toString", "constructor"])
      expect(await call("simulate", { ...simulation, [name]: null }), name).to.include("UNKNOWN_FIELD");
  });

  it("/mcp accepts JSON media types only", async () => {
    const url = `${stack.httpUrl}/mcp`;
    const statuses: (number | undefined)[] = [];
    for (const type of ["application/vnd.api+json", `${JSON_TYPE};charset=utf-8`, "text/plain"])
      statuses.push((await send(url, { "content-type": type }, INITIALIZE)).status);
    expect(statuses).to.deep.equal([200, 200, 415]);
  });

  const toHeaders = (type: string | null): OutgoingHttpHeaders => ({
    authorization: heartbeat.authorization,
    ...(type === null ? {} : { "content-type": type }),
  });
  for (const [type, body] of EMPTY_BODIES)
    it(`a body ${JSON.stringify(body) ?? "that is absent"} of type ${type} is empty`, async () => {
      const { status, text } = await send(heartbeat.url, toHeaders(type), body);
      expect(status, text).to.equal(200);
    });
  for (const [type, body, code] of WRONG_BODIES)
    it(`a body ${body} of type ${type} is ${code}`, async () => {
      const { text } = await send(heartbeat.url, toHeaders(type), body);
      expect(JSON.parse(text)).to.include({ code });
    });

  /** What programs send for a token by mistake, and what the error states about it. */
  for (const [header, received] of [
    ["Bearer undefined", 'an access token (aa_…), received "undefined"; sign in again'],
    ["Bearer ar_secret", "received a token of kind refresh (ar_…)"],
    ["Bearer aa_secret", "received one that is unknown here or revoked"],
    [`Bearer 0x${"ab".repeat(32)}`, "received 66 characters without this prefix"],
    ["secret", "received no Bearer and 0 more words"],
    ["Bearer", "received Bearer and 0 more words"],
    ["Bearer Bearer secret", "received Bearer and 2 more words"],
  ] as const)
    it(`the header Authorization: ${header} is rejected by what it is`, async () => {
      const url = `${stack.httpUrl}/api/games/flappybots/auth/session`;
      const { error } = (await (await fetch(url, { headers: { authorization: header } })).json()) as { error: string };
      expect(error).to.include(received).and.not.include("secret");
    });

  it("a trailing slash is accepted in a base URL and in every path", async () => {
    for (const path of ["//api/games/catalog", "///healthz", "/healthz/", "/healthz//", "/healthz/?x=/"])
      expect((await fetch(stack.httpUrl + path)).status, path).to.equal(200);
    for (const path of ["//mcp", "/mcp/", "/mcp/?x"])
      expect((await send(stack.httpUrl + path, { "content-type": JSON_TYPE }, INITIALIZE)).status, path).to.equal(200);
    const socket = new WebSocket(
      `${stack.httpUrl.replace("http", "ws")}//ws/flappybots/play/?sessionId=${heartbeat.url.split("/").at(-2)}`,
    );
    await once(socket, "open");
    socket.close();
  });

  it("every Accept gets JSON from a route, and instructions are Markdown only on explicit request", async () => {
    for (const accept of ["*/*", "", BROWSER_ACCEPT, SSE, "image/png"]) {
      for (const path of ["/api/games/catalog", "/api/agent-instructions"]) {
        const { headers } = await fetch(stack.httpUrl + path, { headers: { accept } });
        expect(headers.get("content-type"), `${path} ${accept}`).to.match(/^application\/json/);
      }
    }
  });
});

const HTML = "<html>502 Bad Gateway</html>";

/** Answers of proxies, and the client's errors about them. */
const PROXY_ANSWERS: readonly {
  readonly status: number;
  readonly headers?: OutgoingHttpHeaders;
  readonly retryable: boolean;
  readonly text: RegExp;
}[] = [
  { status: 200, headers: { "content-type": "text/html" }, retryable: false, text: /HTTP 200 with text\/html/ },
  {
    status: 403,
    headers: { "content-type": "text/html; charset=utf-8" },
    retryable: false,
    text: /403 with text\/html/,
  },
  { status: 408, retryable: true, text: /HTTP 408/ },
  { status: 429, headers: { "retry-after": "7" }, retryable: true, text: /HTTP 429/ },
  { status: 502, headers: { "content-type": "text/html" }, retryable: true, text: /HTTP 502 with text\/html/ },
  { status: 522, headers: { "content-type": "text/plain" }, retryable: true, text: /HTTP 522 with text\/plain/ },
  { status: 501, headers: { "content-type": "text/html" }, retryable: false, text: /HTTP 501/ },
];

describe("the client behind proxies", () => {
  let baseUrl: string;
  let answer = (_request: IncomingMessage, response: ServerResponse): unknown => response.end();
  const proxy = createServer((request, response) => answer(request, response));
  before(async () => {
    await once(proxy.listen(0, "127.0.0.1"), "listening");
    baseUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  });
  after(() => proxy.close());

  const call = async (): Promise<unknown> =>
    createClient({ baseUrl, retry: { retries: 0 } })
      .auth.nonce({ slug: "flappybots", walletAddress: `0x${"11".repeat(20)}` })
      .catch((error: unknown) => error);

  for (const { status, headers, retryable, text } of PROXY_ANSWERS)
    it(`reports what it got instead of the service's answer: ${text.source}`, async () => {
      answer = (_, response) => response.writeHead(status, headers).end(HTML);
      const error = await call();
      expect(isApiError(error, "BAD_ANSWER")).to.equal(true);
      expect(error).to.include({ status, retryable });
      expect((error as Error).message).to.match(text);
      if (headers?.["retry-after"] !== undefined) expect(error).to.include({ retryAfterSeconds: 7 });
    });

  it("reports the redirect that turned its POST into a GET", async () => {
    answer = ({ url, method }, response) =>
      url === "/moved" ? response.writeHead(405).end(method) : response.writeHead(301, { location: "/moved" }).end();
    const error = (await call()) as Error;
    expect(error.message).to.include(`HTTP 405 after a redirect to ${baseUrl}/moved`);
  });
});
