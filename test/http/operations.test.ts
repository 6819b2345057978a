import { expect } from "chai";
import { createLog } from "../../backend/adapters/system/log.ts";
import { METRICS } from "../../backend/adapters/system/metrics.ts";
import { createDashboard } from "../../scripts/dev/docs/dashboard.ts";
import { createAgent } from "../../testing/player.ts";
import { readTable } from "../architecture/named-tests.ts";
import { useShared } from "../helpers/fixture.ts";
import { expectProblem } from "../helpers/problem.ts";
import { startTestStack, type TestStack, useTestStack } from "../helpers/suite.ts";

/** Names of samples in a Prometheus text, without the suffixes of histograms. */
const parseMetricNames = (text: string): Set<string> =>
  new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map((match) => match[1]!));

describe("operations", () => {
  const lines: string[] = [];
  const stack = useTestStack({ log: createLog("debug", (line) => lines.push(line)) });
  const player = useShared(() => createAgent(stack));

  describe("/status", () => {
    it("/status has checks, chain, games and ticks, and fits its schema", async () => {
      const { sessionId } = await player.client.sessions.start({ slug: "flappybots", source: "agent_api" });
      const { status, body } = await stack.request("GET", "/status");
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
    it("/metrics has exactly the metrics of the table", async () => {
      const { status, body, headers } = await stack.request("GET", "/metrics");
      expect(status).to.equal(200);
      expect(headers.get("content-type")).to.match(/^text\/plain; version=0\.0\.4/);
      const own = [...parseMetricNames(body)].filter((name) => name.startsWith("arcade_"));
      expect(own).to.have.members(Object.keys(METRICS));
      const foreign = [...parseMetricNames(body)].filter((name) => !name.startsWith("arcade_"));
      for (const name of foreign) expect(name, "prom-client's own").to.match(/^(process|nodejs)_/);
    });

    it("/metrics counts requests, failures, signatures and ended sessions", async () => {
      expectProblem(await stack.request("GET", "/api/games/tetris"), "GAME_NOT_FOUND");
      const { body } = await stack.request("GET", "/metrics");
      expect(body).to.match(/arcade_http_requests_total\{route="identity\.register",method="POST",status="200"\} 1/);
      expect(body).to.match(/arcade_http_errors_total\{route="games\.get",code="GAME_NOT_FOUND"\} 1/);
      expect(body).to.match(/arcade_signatures_total\{duty="identity",outcome="signed"\} 1/);
      expect(body).to.match(/arcade_sessions_ended_total\{slug="flappybots",source="agent_api",end_reason="\w+"\} 1/);
      expect(body).to.match(/arcade_ready\{check="signers"\} 1/);
    });

    it("/metrics and /status have the operator's balance, the float, open payouts and transactions' outcomes", async () => {
      const { body } = await stack.request("GET", "/metrics");
      const readValue = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(body)?.[1]);
      expect(readValue("arcade_operator_balance_ether")).to.be.greaterThan(0);
      expect(readValue("arcade_rewards_float_tokens")).to.be.greaterThan(0);
      expect(readValue("arcade_payouts_open")).to.equal(0);
      expect(readValue("arcade_payouts_oldest_open_seconds")).to.equal(0);
      expect(body).to.match(/arcade_transactions_total\{outcome="included"\} \d+/);
      expect(body).to.match(/arcade_transactions_total\{outcome="refused"\} 0/);
      const { payouts } = (await stack.request("GET", "/status")).body;
      expect(BigInt(payouts.operatorBalanceWei) > 0n).to.equal(true);
      expect(BigInt(payouts.float) > 0n).to.equal(true);
    });

    it("/metrics has a sample for each alarm in docs/operating.md", async () => {
      const { body } = await stack.request("GET", "/metrics");
      const samples: readonly string[] = body.match(/^arcade_\S+/gm);
      const alarms = readTable("docs/operating.md", "| metric | condition |").flatMap(([metric = ""]) => {
        const [name] = /arcade_\w+/.exec(metric)!;
        const labels = metric.match(/\{[^}]+\}/g);
        return labels === null ? [name] : labels.map((label) => name + label);
      });
      expect(alarms).to.have.lengthOf.at.least(8);
      for (const alarm of alarms)
        expect(
          samples.some((sample) => sample === alarm || sample.startsWith(`${alarm}{`)),
          alarm,
        ).to.equal(true);
    });

    it("/metrics is served only to loopback, and never through a proxy", async () => {
      for (const name of ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via", "X-Forwarded-Host"]) {
        const response = await stack.request("GET", "/metrics", { headers: { [name]: "127.0.0.1" } });
        expectProblem(response, "NOT_FOUND");
      }
      const { operations } = stack.app.services;
      for (const address of ["10.0.0.7", "::ffff:10.0.0.7", "2001:db8::1", "unknown"]) {
        const thrown = await operations
          .getMetricsText({ address, forwarded: false, token: null })
          .catch((error: Error) => error);
        expect(thrown, address).to.include({ code: "NOT_FOUND" });
      }
      for (const address of ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
        expect(await operations.getMetricsText({ address, forwarded: false, token: null }), address).to.be.a("string");
    });
  });

  describe("/metrics of a service with a public address", () => {
    const token = "a-long-token-of-the-monitoring";
    let publicStack: TestStack;
    before(async () => {
      const env = { ARCADE_PUBLIC_URL: "https://arcade.example", ARCADE_METRICS_TOKEN: token };
      publicStack = await startTestStack({ env });
    });
    after(() => publicStack.close());

    it("/metrics is not served to loopback, from which a proxy without headers sends all requests", async () => {
      expectProblem(await publicStack.request("GET", "/metrics"), "NOT_FOUND");
    });

    it("/metrics is served only with its token, even through a proxy", async () => {
      const headers = { Authorization: `Bearer ${token}`, "X-Forwarded-For": "203.0.113.7" };
      expect((await publicStack.request("GET", "/metrics", { headers })).status).to.equal(200);
      for (const other of [`Bearer ${token}x`, "Bearer x", `Basic ${token}`]) {
        const response = await publicStack.request("GET", "/metrics", { headers: { Authorization: other } });
        expectProblem(response, "NOT_FOUND");
      }
    });
  });

  describe("/metrics behind a proxy that is trusted", () => {
    const proxied = useTestStack({ env: { ARCADE_TRUST_PROXY: "true", ARCADE_METRICS_HOST: "10.0.0.5" } });

    it("/metrics is served only to its address, even if the proxy appends the port", async () => {
      const request = (from: string) =>
        proxied.request("GET", "/metrics", { headers: { "X-Forwarded-For": `10.0.0.5, ${from}` } });
      for (const from of ["10.0.0.5", "10.0.0.5:4711"]) expect((await request(from)).status, from).to.equal(200);
      for (const from of ["10.0.0.6:4711", "unknown"]) expectProblem(await request(from), "NOT_FOUND");
    });
  });

  describe("the log", () => {
    it("the log has one line for each response, with the request's id", async () => {
      await stack.request("GET", "/api/games/catalog", { headers: { "X-Request-Id": "find-me-0001" } });
      const line = lines.map((text) => JSON.parse(text)).find((entry) => entry.requestId === "find-me-0001");
      expect(line).to.include({ route: "games.catalog", method: "GET", status: 200, code: null, msg: "request" });
      expect(line.ms).to.be.a("number");
    });

    it("the log of a whole flow holds no token, key or signature", async () => {
      const token = await player.getAccessToken();
      const credentials = player.client.signIn.credentials()!;
      const prepared = await player.client.identity
        .register({ walletAddress: stack.accounts[3]!.address, agentName: "Other" })
        .then(({ signature }) => signature);
      await stack.request("POST", "/api/rewards/scorebank", { token: "aa_unknownunknownunknown" });
      const written = lines.join("");
      expect(lines.length).to.be.greaterThan(5);
      for (const secret of [token, credentials.refreshToken, prepared, "aa_unknownunknownunknown"])
        expect(written.includes(secret), secret.slice(0, 5)).to.equal(false);
    });

    it("the log hides secrets at any depth and inside messages", () => {
      const out: string[] = [];
      const log = createLog("info", (line) => out.push(line));
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
    it("a public read is 304 without a body while nothing has changed", async () => {
      const path = "/api/games/catalog";
      const first = await stack.request("GET", path);
      const tag = first.headers.get("etag")!;
      expect(tag).to.match(/^"[\w-]{22}\.\w+"$/);
      for (const header of [tag, `W/${tag}`, `${tag.slice(0, -1)}-gzip"`, `"other", ${tag}`, "*"]) {
        const again = await stack.request("GET", path, { headers: { "If-None-Match": header } });
        expect(again.status, header).to.equal(304);
        expect(again.body).to.equal("");
        if (header !== "*") expect(again.headers.get("etag")).to.equal(tag);
      }
      expect((await stack.request("GET", path, { headers: { "If-None-Match": '"other"' } })).status).to.equal(200);
    });

    it("a public read has a different tag for different content and for another encoding", async () => {
      const path = "/api/games/shellrunners/sessions/live";
      const tag = (await stack.request("GET", path)).headers.get("etag")!;
      const { sessionId } = await player.client.sessions.start({ slug: "shellrunners", source: "agent_api" });
      const after = await stack.request("GET", path, { headers: { "If-None-Match": tag } });
      expect(after.status).to.equal(200);
      await player.client.sessions.end({ slug: "shellrunners", sessionId });
      const json = await stack.request("GET", "/api/agent-instructions");
      const text = await stack.request("GET", "/api/agent-instructions", { headers: { Accept: "text/markdown" } });
      expect(json.headers.get("etag")).to.not.equal(text.headers.get("etag"));
      expect(json.headers.get("vary")!.split(", ")).to.include("Accept");
    });

    it("only public reads may be cached", async () => {
      const mine = await stack.request("GET", "/api/games/flappybots/auth/session", {
        token: await player.getAccessToken(),
      });
      expect(mine.status).to.equal(200);
      expect(mine.headers.get("etag")).to.equal(null);
      expect(mine.headers.get("cache-control")).to.equal("no-store");
    });
  });

  it("the security headers are on every kind of response", async () => {
    for (const path of ["/api/games/catalog", "/api/nothing", "/docs/reference", "/%E0%A4%A"]) {
      const { headers } = await stack.request("GET", path);
      const policy = headers.get("content-security-policy")!;
      expect(policy, path).to.include("default-src 'self'").and.include("frame-ancestors 'none'");
      expect(policy, path).to.not.match(/unsafe-eval|script-src/);
      expect(headers.get("x-content-type-options"), path).to.equal("nosniff");
      expect(headers.get("referrer-policy"), path).to.equal("no-referrer");
      expect(headers.get("x-frame-options"), path).to.equal("DENY");
      expect(headers.get("cross-origin-resource-policy"), path).to.equal("cross-origin");
      expect(headers.get("access-control-allow-origin"), path).to.equal("*");
      for (const name of ["x-powered-by", "x-xss-protection", "x-download-options"])
        expect(headers.get(name), `${path} ${name}`).to.equal(null);
    }
  });
});

describe("the dashboard", () => {
  it("the dashboard uses only existing metrics", () => {
    const dashboard = JSON.stringify(createDashboard());
    const used = new Set([...dashboard.matchAll(/arcade_\w+/g)].map(([name]) => name.replace(/_bucket$/, "")));
    expect(used.size).to.be.greaterThan(8);
    for (const name of used) expect(Object.keys(METRICS)).to.include(name);
  });
});
