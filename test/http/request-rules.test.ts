import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { text as readText } from "node:stream/consumers";
import { setImmediate as nextTurn } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { expectProblem } from "../helpers/problem.ts";
import { type ApiResponse, useTestStack } from "../helpers/suite.ts";
import { readRaw } from "./support/read-raw.ts";

const WALLET = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const NONCE_PATH = "/api/games/shellrunners/auth/nonce";

describe("the rules of every request", () => {
  const stack = useTestStack({ env: { ARCADE_RATE_LIMITS: "on" } });

  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    stack.request("POST", path, { body, headers });

  it("a response is a flat envelope with the request's id in a header", async () => {
    const response = await stack.request("GET", "/api/games/catalog", { headers: { "X-Request-Id": "my-request.01" } });
    expect(response.status).to.equal(200);
    expect(response.body).to.include({ ok: true }).and.not.have.property("requestId");
    expect(response.headers.get("x-request-id")).to.equal("my-request.01");
  });

  it("the service makes an id if the client's is malformed", async () => {
    const response = await stack.request("GET", "/api/games/catalog", { headers: { "X-Request-Id": "no" } });
    expect(response.headers.get("x-request-id")).to.match(/^[0-9a-f-]{36}$/);
  });

  it("an unknown path is NOT_FOUND and an unknown method METHOD_NOT_ALLOWED", async () => {
    expectProblem(await stack.request("GET", "/api/nothing"), "NOT_FOUND");
    const wrongMethod = await stack.request("GET", NONCE_PATH);
    expectProblem(wrongMethod, "METHOD_NOT_ALLOWED");
    expect(wrongMethod.headers.get("allow")).to.match(/POST/);
  });

  it("an unknown slug is GAME_NOT_FOUND, and an old spelling is accepted", async () => {
    expectProblem(await stack.request("GET", "/api/games/tetris"), "GAME_NOT_FOUND");
    for (const spelling of ["flappy-bots", "flappy_bots", "FlappyBot", "FLAPPY", "flappybots"]) {
      const response = await stack.request("GET", `/api/games/${spelling}`);
      expect(response.body.game.slug, spelling).to.equal("flappybots");
    }
  });

  it("an unknown session id of any form is SESSION_NOT_FOUND", async () => {
    for (const id of ["nope", "0190f1d5-7c4e-7abc-8def-0123456789ab", "..%2f", "1".repeat(300)]) {
      expectProblem(await stack.request("GET", `/api/games/shellrunners/sessions/${id}`), "SESSION_NOT_FOUND");
    }
  });

  it("a body that is not JSON, nested too deep or with prototype keys is BAD_JSON", async () => {
    expectProblem(await post(NONCE_PATH, "{"), "BAD_JSON");
    for (const [levels, code] of [
      [10, "VALIDATION_FAILED"],
      [11, "BAD_JSON"],
    ] as const)
      expectProblem(await post(NONCE_PATH, `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`), code);
    for (const key of ["__proto__", "constructor", "prototype"]) {
      expectProblem(await post(NONCE_PATH, `{"${key}":{"x":1}}`), "BAD_JSON");
    }
  });

  it("an invalid body is VALIDATION_FAILED with the path of every issue", async () => {
    const response = await post(NONCE_PATH, { walletAddress: "0x12" });
    expectProblem(response, "VALIDATION_FAILED");
    expect(response.body.issues[0]).to.include({ path: "body.walletAddress" });
  });

  it("a value of another type is shown as it was received", async () => {
    const { body } = await post("/api/games/flappybots/sessions/start", { source: "browser_ws", lockstep: 42 });
    expect(body.issues[0].message).to.equal("expected boolean, received 42");
    for (const limit of ["", "10.0", "ten"]) {
      const page = await stack.request("GET", `/api/games/flappybots/runs?limit=${limit}`);
      expectProblem(page, "VALIDATION_FAILED");
      expect(page.body.issues[0].message).to.equal(`expected number, received "${limit}"`);
    }
  });

  it("an address is accepted in any case, and becomes the one with a checksum", async () => {
    for (const walletAddress of [WALLET, WALLET.toLowerCase(), WALLET.replace("C51812", "c51812")]) {
      const response = await post(NONCE_PATH, { walletAddress });
      expect(response.status).to.equal(200);
      expect(response.body.message).to.include(WALLET);
    }
  });

  it("an unknown key is UNKNOWN_FIELD", async () => {
    const response = await post(NONCE_PATH, { walletAddress: WALLET, extra: 1 });
    expectProblem(response, "UNKNOWN_FIELD");
    expect(response.body.issues[0].keys).to.deep.equal(["extra"]);
    expect(response.body.error).to.include('unknown field "extra"; expected only walletAddress.');
    const { body } = await stack.request("GET", "/api/games/catalog?live=true");
    expect(body.error).to.include('unknown field "live"; expected no fields.');
  });

  it("a number where a decimal string belongs is rejected with the string's form", async () => {
    const response = await post("/api/agents/profile/get", { agentId: 1 });
    expectProblem(response, "VALIDATION_FAILED");
    expect(response.body.error).to.include('body.agentId: expected a decimal string like "1", received 1.');
  });

  it("a large body is BODY_TOO_LARGE, and another media type UNSUPPORTED_MEDIA_TYPE", async () => {
    expectProblem(await post(NONCE_PATH, { walletAddress: WALLET, pad: "x".repeat(20_000) }), "BODY_TOO_LARGE");
    expectProblem(
      await post(NONCE_PATH, "walletAddress=1", { "Content-Type": "application/x-www-form-urlencoded" }),
      "UNSUPPORTED_MEDIA_TYPE",
    );
  });

  it("a body may come in pieces, without its length, or compressed", async () => {
    const text = JSON.stringify({ walletAddress: WALLET });
    const compressed = gzipSync(text);
    const forms: [string, Record<string, string | number>, readonly (string | Buffer)[]][] = [
      ["in pieces", { "Content-Length": text.length }, [text.slice(0, 7), text.slice(7)]],
      ["in chunks", {}, [text.slice(0, 7), text.slice(7)]],
      ["with a charset", { "Content-Type": "application/json; charset=utf-8", "Content-Length": text.length }, [text]],
      ["compressed", { "Content-Encoding": "gzip", "Content-Length": compressed.length }, [compressed]],
    ];
    for (const [form, headers, pieces] of forms) {
      const request = httpRequest(`${stack.httpUrl}${NONCE_PATH}`, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...headers },
      });
      for (const piece of pieces) {
        request.write(piece);
        await nextTurn();
      }
      request.end();
      const [response] = (await once(request, "response")) as [IncomingMessage];
      expect(response.statusCode, form).to.equal(200);
      expect(await readText(response), form).to.include(WALLET);
    }
  });

  it("a body that ends too early is not handled, but the next request is", async () => {
    const request = httpRequest(`${stack.httpUrl}${NONCE_PATH}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "Content-Length": 1_000 },
    });
    request.on("error", () => undefined);
    request.write("{");
    await once(request, "socket");
    request.destroy();
    expect((await post(NONCE_PATH, { walletAddress: WALLET })).status).to.equal(200);
  });

  it("the body of a GET request is ignored", async () => {
    const headers = { "Content-Type": "application/json", "Content-Length": "3" };
    expect(
      (await readRaw(`${stack.httpUrl}/api/games/shellrunners/sessions/live`, headers, "GET", "{x}")).status,
    ).to.equal(200);
  });

  it("the token is checked before the body", async () => {
    expectProblem(await post("/api/rewards/scorebank", "{"), "AUTH_REQUIRED");
    expectProblem(
      await stack.request("POST", "/api/rewards/scorebank", { token: "aa_unknown", body: "{" }),
      "TOKEN_INVALID",
    );
  });

  it("a page out of range and an unknown query field are rejected", async () => {
    for (const query of ["limit=0", "limit=101", "page=0", "page=1001", "limit=x"]) {
      expectProblem(await stack.request("GET", `/api/games/shellrunners/sessions/live?${query}`), "VALIDATION_FAILED");
    }
    expectProblem(await stack.request("GET", "/api/games/shellrunners/sessions/live?order=up"), "UNKNOWN_FIELD");
  });

  it("a path with repeated slashes is found, and a channel's address without a WebSocket is explained", async () => {
    expect((await stack.request("GET", "/api//games///catalog/")).status).to.equal(200);
    const response = await stack.request("GET", "/ws/flappybots/play?sessionId=1");
    expectProblem(response, "NOT_FOUND");
    expect(response.body.error).to.match(/^Expected a WebSocket at .*play, received a plain GET; .*Upgrade/);
  });

  it("every origin may read, and preflights are answered", async () => {
    const response = await fetch(`${stack.httpUrl}/api/rewards/payout`, {
      method: "OPTIONS",
      headers: { Origin: "https://example.org", "Access-Control-Request-Method": "POST" },
    });
    expect(response.status).to.equal(204);
    expect(response.headers.get("access-control-allow-origin")).to.equal("*");
    // Pages with tracing add `traceparent`, `sentry-trace` and others to every call.
    expect(response.headers.get("access-control-allow-headers")).to.equal("*, Authorization");
    const { headers } = await stack.request("GET", "/healthz", { headers: { Origin: "https://example.org" } });
    const exposed = headers.get("access-control-expose-headers")!.split(", ");
    expect(exposed).to.have.members([
      "X-Request-Id",
      "Retry-After",
      "RateLimit",
      "RateLimit-Policy",
      "ETag",
      "Arcade-Block",
    ]);
  });

  it("requests are limited by address and by wallet, with headers that count down", async () => {
    const other = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
    const responses: ApiResponse[] = [];
    for (let count = 0; count < 11; count += 1) responses.push(await post(NONCE_PATH, { walletAddress: other }));
    const last = responses.at(-1)!;
    expectProblem(last, "RATE_LIMITED");
    expect(Number(last.headers.get("retry-after"))).to.be.greaterThan(0);
    expect(responses[0]!.headers.get("ratelimit-policy")).to.include('"sign-in-wallet";q=10;w=60');
    expect(responses[0]!.headers.get("ratelimit")).to.include('"sign-in-wallet";r=9;t=6');
  });

  it("health and readiness are plain documents", async () => {
    expect((await stack.request("GET", "/healthz")).body).to.deep.equal({ status: "up" });
    const ready = await stack.request("GET", "/readyz");
    expect(ready.status).to.equal(200);
    expect(ready.body.checks.map(({ name }: { name: string }) => name)).to.deep.equal([
      "process",
      "sessions",
      "database",
      "chain",
      "signers",
      "pause",
      "audit",
    ]);
  });
});
