import { readFileSync } from "node:fs";
import { expect } from "chai";
import { encodeFunctionData, parseAbi } from "viem";
import { makeLog } from "../../backend/adapters/log.ts";
import { METRICS } from "../../backend/adapters/metrics.ts";
import { developmentServiceAccount } from "../../backend/config/dev-keys.ts";
import type { ChainReader, Head, Signers } from "../../backend/ports.ts";
import { makeOperations } from "../../backend/services/operations.ts";
import { makeSignerCheck } from "../../backend/services/operations-signers.ts";
import { makeAgent, type Player } from "../helpers/player.ts";
import { expectProblem } from "../helpers/problem.ts";
import { type Suite, startSuite } from "../helpers/suite.ts";
import { TestClock } from "../helpers/test-clock.ts";

/** Names of samples in a Prometheus text, without the suffixes of histograms. */
const namesIn = (text: string): Set<string> =>
  new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map((match) => match[1]!));

describe("operations", () => {
  let suite: Suite;
  let player: Player;
  const lines: string[] = [];
  before(async () => {
    suite = await startSuite({ log: makeLog("debug", (line) => lines.push(line)) });
    player = await makeAgent(suite);
  });
  after(() => suite.close());

  describe("/status", () => {
    it("tells checks, chain, games and ticks, and fits its own schema", async () => {
      const { sessionId } = await player.client.sessions.start({ slug: "flappybots", source: "agent_api" });
      const { status, body } = await suite.request("GET", "/status");
      expect(status).to.equal(200);
      expect(body).to.deep.include({ service: "agent-arcade", ready: true });
      expect(body.chain).to.include({ chainId: 31337, healthy: true, outageMs: 0 });
      expect(body.chain.head).to.be.greaterThan(0);
      expect(body.games).to.deep.include({ slug: "flappybots", sessions: 1, spectators: 0 });
      const { routes } = await import("../../backend/http/routes/index.ts");
      routes.find(({ name }) => name === "operations.status")!.response.parse(body);
      await player.client.sessions.end({ slug: "flappybots", sessionId });
    });
  });

  describe("/metrics", () => {
    it("names nothing that the one table does not, and all of it", async () => {
      const { status, body, headers } = await suite.request("GET", "/metrics");
      expect(status).to.equal(200);
      expect(headers.get("content-type")).to.match(/^text\/plain; version=0\.0\.4/);
      const own = [...namesIn(body)].filter((name) => name.startsWith("arcade_"));
      expect(own).to.have.members(Object.keys(METRICS));
      const foreign = [...namesIn(body)].filter((name) => !name.startsWith("arcade_"));
      for (const name of foreign) expect(name, "prom-client's own").to.match(/^(process|nodejs)_/);
    });

    it("counts requests, failures, signatures and ended sessions", async () => {
      expectProblem(await suite.request("GET", "/api/games/tetris"), "GAME_NOT_FOUND");
      const { body } = await suite.request("GET", "/metrics");
      expect(body).to.match(/arcade_http_requests_total\{route="identity\.register",method="POST",status="200"\} 1/);
      expect(body).to.match(/arcade_http_errors_total\{route="games\.get",code="GAME_NOT_FOUND"\} 1/);
      expect(body).to.match(/arcade_signatures_total\{duty="identity",outcome="signed"\} 1/);
      expect(body).to.match(/arcade_sessions_ended_total\{slug="flappybots",source="agent_api",end_reason="\w+"\} 1/);
      expect(body).to.match(/arcade_ready\{check="signers"\} 1/);
    });

    it("is told to loopback alone, and never through a proxy", async () => {
      for (const name of ["X-Forwarded-For", "Forwarded"]) {
        const answer = await suite.request("GET", "/metrics", { headers: { [name]: "127.0.0.1" } });
        expectProblem(answer, "NOT_FOUND");
      }
      const { operations } = suite.app.services;
      for (const address of ["10.0.0.7", "::ffff:10.0.0.7", "2001:db8::1", "unknown"]) {
        const refused = await operations.metrics({ address, forwarded: false }).catch((error: Error) => error);
        expect(refused, address).to.include({ code: "NOT_FOUND" });
      }
      for (const address of ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
        expect(await operations.metrics({ address, forwarded: false }), address).to.be.a("string");
    });
  });

  describe("the log", () => {
    it("has one line for each answer, with the request's id", async () => {
      await suite.request("GET", "/api/games/catalog", { headers: { "X-Request-Id": "find-me-0001" } });
      const line = lines.map((text) => JSON.parse(text)).find((entry) => entry.requestId === "find-me-0001");
      expect(line).to.include({ route: "games.catalog", method: "GET", status: 200, code: null, msg: "request" });
      expect(line.ms).to.be.a("number");
    });

    it("never holds a token, a key or a signature of a whole flow", async () => {
      const token = await player.token();
      const credentials = player.client.signIn.credentials()!;
      const prepared = await player.client.identity
        .register({ walletAddress: suite.accounts[3]!.address, agentName: "Other" })
        .then(({ signature }) => signature);
      await suite.request("POST", "/api/rewards/scorebank", { token: "aa_unknownunknownunknown" });
      const written = lines.join("");
      expect(lines.length).to.be.greaterThan(5);
      for (const secret of [token, credentials.refreshToken, prepared, "aa_unknownunknownunknown"])
        expect(written.includes(secret), secret.slice(0, 5)).to.equal(false);
    });

    it("hides secrets at any depth and inside sentences", () => {
      const out: string[] = [];
      const log = makeLog("info", (line) => out.push(line));
      const token = `aa_${"x".repeat(43)}`;
      const signature = `0x${"ab".repeat(65)}`;
      const hash = `0x${"cd".repeat(32)}`;
      log.info({ a: { b: { c: { token } } }, list: [signature], err: new Error(`Bearer ${token}`) }, `got ${token}`);
      log.info({ privateKey: hash, request: { headers: { authorization: "opaque" } }, txHash: hash }, "kept");
      expect(out.join("")).to.not.include(token).and.not.include(signature).and.not.include("opaque");
      expect(JSON.parse(out[1]!)).to.include({ privateKey: "[hidden]", txHash: hash });
    });
  });

  describe("public reads", () => {
    it("answer 304 without a body while nothing has changed", async () => {
      const path = "/api/games/catalog";
      const first = await suite.request("GET", path);
      const tag = first.headers.get("etag")!;
      expect(tag).to.match(/^W\/"[\w-]{22}"$/);
      for (const header of [tag, tag.replace("W/", ""), `"other", ${tag}`, "*"]) {
        const again = await suite.request("GET", path, { headers: { "If-None-Match": header } });
        expect(again.status, header).to.equal(304);
        expect(again.body).to.equal("");
        expect(again.headers.get("etag")).to.equal(tag);
      }
      expect((await suite.request("GET", path, { headers: { "If-None-Match": '"other"' } })).status).to.equal(200);
    });

    it("have another tag once they say something else, and for each form", async () => {
      const path = "/api/games/shellrunners/sessions/live";
      const tag = (await suite.request("GET", path)).headers.get("etag")!;
      const { sessionId } = await player.client.sessions.start({ slug: "shellrunners", source: "agent_api" });
      const after = await suite.request("GET", path, { headers: { "If-None-Match": tag } });
      expect(after.status).to.equal(200);
      await player.client.sessions.end({ slug: "shellrunners", sessionId });
      const json = await suite.request("GET", "/api/agent-instructions");
      const text = await suite.request("GET", "/api/agent-instructions", { headers: { Accept: "text/markdown" } });
      expect(json.headers.get("etag")).to.not.equal(text.headers.get("etag"));
      expect(json.headers.get("vary")).to.include("Accept");
    });

    it("are the only ones that may be kept", async () => {
      const mine = await suite.request("GET", "/api/games/flappybots/auth/session", { token: await player.token() });
      expect(mine.status).to.equal(200);
      expect(mine.headers.get("etag")).to.equal(null);
      expect(mine.headers.get("cache-control")).to.equal("no-store");
    });
  });

  it("sets the security headers on every kind of answer", async () => {
    for (const path of ["/api/games/catalog", "/api/nothing", "/docs", "/%E0%A4%A"]) {
      const { headers } = await suite.request("GET", path);
      const policy = headers.get("content-security-policy")!;
      expect(policy, path).to.include("default-src 'self'").and.include("frame-ancestors 'none'");
      expect(policy, path).to.not.match(/unsafe-eval|script-src/);
      expect(headers.get("x-content-type-options"), path).to.equal("nosniff");
      expect(headers.get("referrer-policy"), path).to.equal("no-referrer");
      expect(headers.get("x-frame-options"), path).to.equal("DENY");
      expect(headers.get("cross-origin-resource-policy"), path).to.equal("cross-origin");
      expect(headers.get("access-control-allow-origin"), path).to.equal("*");
      expect(headers.get("x-powered-by"), path).to.equal(null);
    }
  });
});

describe("/readyz", () => {
  it("says 503 and which key when a signer has lost its role on chain", async () => {
    const suite = await startSuite();
    try {
      const abi = parseAbi(["function revokeSigner(address account)"]);
      const scoreSigner = developmentServiceAccount(4).address;
      await suite.chain.request("eth_sendTransaction", [
        {
          from: developmentServiceAccount(0).address,
          to: suite.deployment.rewards,
          data: encodeFunctionData({ abi, args: [scoreSigner] }),
        },
      ]);
      const { status, body } = await suite.request("GET", "/readyz");
      expect(status).to.equal(503);
      expect(body.ready).to.equal(false);
      const signers = body.checks.find(({ name }: { name: string }) => name === "signers");
      expect(signers.ok).to.equal(false);
      expect(signers.sentence).to.include(scoreSigner).and.include("score").and.include(suite.deployment.rewards);
    } finally {
      await suite.close();
    }
  });

  const head: Head = { number: 7, hash: "0x00", timestamp: Date.UTC(2030, 0, 1) / 1000 };
  const operationsAt = (clock: TestClock, more: object = {}) =>
    makeOperations({
      store: { probe: async () => {} },
      chain: { head: async () => head, deployment: { chainId: 1 } } as unknown as ChainReader,
      clock,
      draining: () => false,
      signerFault: async () => null,
      headAgeMaxSeconds: 120,
      sources: {} as never,
      metrics: { text: async () => "" },
      metricsHost: "127.0.0.1",
      ...more,
    });
  const checkOf = async (operations: ReturnType<typeof operationsAt>, name: string) =>
    (await operations.readiness()).checks.find((check) => check.name === name)!;

  it("refuses a chain whose head has stood still", async () => {
    const clock = new TestClock();
    const operations = operationsAt(clock);
    clock.advance(120_000);
    expect(await checkOf(operations, "chain")).to.include({ ok: true });
    clock.advance(1000);
    expect(await checkOf(operations, "chain")).to.deep.include({
      ok: false,
      sentence: "block 7, the node's latest, is 121 s old; expected at most 120 s",
    });
  });

  it("refuses a database that cannot write, and a stopping process", async () => {
    const fail = async () => {
      throw new Error("SQLITE_READONLY: secret path");
    };
    const operations = operationsAt(new TestClock(), { store: { probe: fail }, draining: () => true });
    expect(await checkOf(operations, "database")).to.deep.include({ ok: false, sentence: "the check failed" });
    expect(await checkOf(operations, "process")).to.include({ ok: false });
    expect((await operations.readiness()).ready).to.equal(false);
  });

  it("asks the chain for roles at most every ten seconds, for every duty and the operator", async () => {
    const clock = new TestClock();
    const asked: string[] = [];
    const check = makeSignerCheck({
      clock,
      operator: "0x0a",
      signers: ((duty: string) => ({ address: `0x${duty}` })) as unknown as Signers,
      chain: {
        deployment: { identity: "0x01", rewards: "0x02", nft: { flappybots: "0x03" } },
        isSigner: async (contract: string, account: string) => asked.push(`${contract} ${account}`) > 0,
        isOperator: async () => false,
      } as unknown as ChainReader,
    });
    expect(await check()).to.match(/0x0a relay payouts/);
    await check();
    expect(asked).to.have.members(["0x01 0xidentity", "0x02 0xscore", "0x03 0xnft:flappybots"]);
    clock.advance(10_000);
    await check();
    expect(asked).to.have.length(6);
  });
});

describe("the dashboard", () => {
  it("asks for metrics that exist", () => {
    const dashboard = readFileSync(new URL("../../docs/dashboard.json", import.meta.url), "utf8");
    const used = new Set([...dashboard.matchAll(/arcade_\w+/g)].map(([name]) => name.replace(/_bucket$/, "")));
    expect(used.size).to.be.greaterThan(8);
    for (const name of used) expect(Object.keys(METRICS)).to.include(name);
  });
});
