import { expect } from "chai";
import { expectProblem } from "../helpers/problem.ts";
import { type Answer, type Suite, startSuite } from "../helpers/suite.ts";

const WALLET = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const NONCE_PATH = "/api/games/shellrunners/auth/nonce";

describe("the HTTP door", () => {
  let suite: Suite;
  before(async () => {
    suite = await startSuite({ env: { ARCADE_RATE_LIMITS: "on" } });
  });
  after(() => suite.close());

  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    suite.request("POST", path, { body, headers });

  it("answers a flat envelope with the request's id", async () => {
    const answer = await suite.request("GET", "/api/games/catalog", { headers: { "X-Request-Id": "my-request.01" } });
    expect(answer.status).to.equal(200);
    expect(answer.body).to.include({ ok: true, requestId: "my-request.01" });
    expect(answer.headers.get("x-request-id")).to.equal("my-request.01");
  });

  it("makes an id of its own where the client's is malformed", async () => {
    const answer = await suite.request("GET", "/api/games/catalog", { headers: { "X-Request-Id": "no" } });
    expect(answer.body.requestId).to.match(/^[0-9a-f-]{36}$/);
  });

  it("says NOT_FOUND and METHOD_NOT_ALLOWED", async () => {
    expectProblem(await suite.request("GET", "/api/nothing"), "NOT_FOUND");
    const wrong = await suite.request("GET", NONCE_PATH);
    expectProblem(wrong, "METHOD_NOT_ALLOWED");
    expect(wrong.headers.get("allow")).to.match(/POST/);
  });

  it("says GAME_NOT_FOUND for an unknown slug, and normalizes old spellings", async () => {
    expectProblem(await suite.request("GET", "/api/games/tetris"), "GAME_NOT_FOUND");
    for (const spelling of ["flappy-bots", "flappy_bots", "FlappyBot", "FLAPPY", "flappybots"]) {
      const answer = await suite.request("GET", `/api/games/${spelling}`);
      expect(answer.body.game.slug, spelling).to.equal("flappybots");
    }
  });

  it("says SESSION_NOT_FOUND for an id of any form", async () => {
    for (const id of ["nope", "0190f1d5-7c4e-7abc-8def-0123456789ab", "..%2f", "1".repeat(300)]) {
      expectProblem(await suite.request("GET", `/api/games/shellrunners/sessions/${id}`), "SESSION_NOT_FOUND");
    }
  });

  it("says BAD_JSON for what is no JSON, nests too deep or reaches for prototypes", async () => {
    expectProblem(await post(NONCE_PATH, "{"), "BAD_JSON");
    expectProblem(await post(NONCE_PATH, `${"[".repeat(40)}${"]".repeat(40)}`), "BAD_JSON");
    for (const key of ["__proto__", "constructor", "prototype"]) {
      expectProblem(await post(NONCE_PATH, `{"${key}":{"x":1}}`), "BAD_JSON");
    }
  });

  it("says VALIDATION_FAILED with every issue's path", async () => {
    const answer = await post(NONCE_PATH, { walletAddress: "0x12" });
    expectProblem(answer, "VALIDATION_FAILED");
    expect(answer.body.issues[0]).to.include({ path: "body.walletAddress" });
  });

  it("refuses a mixed-case address with a wrong checksum, and takes other cases", async () => {
    expectProblem(await post(NONCE_PATH, { walletAddress: WALLET.replace("C51812", "c51812") }), "VALIDATION_FAILED");
    const answer = await post(NONCE_PATH, { walletAddress: WALLET.toLowerCase() });
    expect(answer.status).to.equal(200);
    expect(answer.body.message).to.include(WALLET);
  });

  it("says UNKNOWN_FIELD for a key it does not know", async () => {
    const answer = await post(NONCE_PATH, { walletAddress: WALLET, extra: 1 });
    expectProblem(answer, "UNKNOWN_FIELD");
    expect(answer.body.issues[0].keys).to.deep.equal(["extra"]);
  });

  it("says BODY_TOO_LARGE and UNSUPPORTED_MEDIA_TYPE", async () => {
    expectProblem(await post(NONCE_PATH, { walletAddress: WALLET, pad: "x".repeat(20_000) }), "BODY_TOO_LARGE");
    expectProblem(
      await post(NONCE_PATH, "walletAddress=1", { "Content-Type": "application/x-www-form-urlencoded" }),
      "UNSUPPORTED_MEDIA_TYPE",
    );
  });

  it("asks for the token before it looks at the body", async () => {
    expectProblem(await post("/api/rewards/scorebank", "{"), "AUTH_REQUIRED");
    expectProblem(
      await suite.request("POST", "/api/rewards/scorebank", { token: "aa_unknown", body: "{" }),
      "TOKEN_INVALID",
    );
  });

  it("refuses pages out of range and unknown query fields", async () => {
    for (const query of ["limit=0", "limit=101", "page=0", "page=1001", "limit=x"]) {
      expectProblem(await suite.request("GET", `/api/games/shellrunners/sessions/live?${query}`), "VALIDATION_FAILED");
    }
    expectProblem(await suite.request("GET", "/api/games/shellrunners/sessions/live?order=up"), "UNKNOWN_FIELD");
  });

  it("lets any page read, and answers preflights", async () => {
    const answer = await fetch(`${suite.httpUrl}/api/rewards/payout`, {
      method: "OPTIONS",
      headers: { Origin: "https://example.org", "Access-Control-Request-Method": "POST" },
    });
    expect(answer.status).to.equal(204);
    expect(answer.headers.get("access-control-allow-origin")).to.equal("*");
    expect(answer.headers.get("access-control-allow-headers")).to.match(/Authorization/);
  });

  it("limits by address and by wallet, with headers that count down", async () => {
    const other = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
    const answers: Answer[] = [];
    for (let count = 0; count < 11; count += 1) answers.push(await post(NONCE_PATH, { walletAddress: other }));
    const last = answers.at(-1)!;
    expectProblem(last, "RATE_LIMITED");
    expect(Number(last.headers.get("retry-after"))).to.be.greaterThan(0);
    expect(answers[0]!.headers.get("ratelimit-policy")).to.include('"sign-in-wallet";q=10;w=60');
    expect(answers[0]!.headers.get("ratelimit")).to.include('"sign-in-wallet";r=9');
  });

  it("serves health and readiness as plain documents", async () => {
    expect((await suite.request("GET", "/healthz")).body).to.deep.equal({ status: "up" });
    const ready = await suite.request("GET", "/readyz");
    expect(ready.status).to.equal(200);
    expect(ready.body.checks.map(({ name }: { name: string }) => name)).to.deep.equal([
      "process",
      "database",
      "chain",
      "signers",
    ]);
  });
});
