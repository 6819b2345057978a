/** The heads of the site's pages before any script runs: for browsers, to crawlers and to programs. */
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { SITE_CONFIG_META, type SiteConfig } from "../../domain/site.ts";
import { addEndedSession, withStore } from "../../testing/ended-session.ts";
import { listChildProcesses } from "../helpers/child-processes.ts";
import { buildTestSite } from "../helpers/site.ts";
import { startTestStack, type TestStack } from "../helpers/suite.ts";
import { waitUntil } from "../helpers/wait-until.ts";

const BROWSER = { Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8" };

const unescapeHtml = (text: string): string =>
  text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
const findMeta = (html: string, name: string): string | undefined => {
  const found = new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)" />`).exec(html)?.[1];
  return found === undefined ? undefined : unescapeHtml(found);
};

describe("the site's pages as the server sends them", () => {
  let stack: TestStack;
  let site: Awaited<ReturnType<typeof buildTestSite>>;
  before(async () => {
    const others = listChildProcesses();
    site = await buildTestSite();
    // The bundler's process ends with the build.
    await waitUntil(() => listChildProcesses().every((id) => others.includes(id)));
    stack = await startTestStack({ webDir: site.webDir });
  });
  after(async () => {
    await stack?.close();
    await site?.remove();
  });

  const open = async (path: string, headers: { readonly [name: string]: string } = BROWSER) => {
    const response = await fetch(stack.httpUrl + path, { headers, redirect: "manual" });
    return { status: response.status, headers: response.headers, html: await response.text() };
  };

  it("have a title, a description and a preview picture that exists", async () => {
    for (const [path, title] of [
      ["/", "Agent Arcade"],
      ["/practice/shellrunners", "Practice Shellrunners · Agent Arcade"],
    ] as const) {
      const { status, headers, html } = await open(path);
      expect(status, path).to.equal(200);
      expect(headers.get("content-type")).to.equal("text/html; charset=utf-8");
      expect(/<title>(.*)<\/title>/.exec(html)?.[1]).to.equal(title);
      expect(findMeta(html, "description"), path).to.have.length.above(20);
      expect(findMeta(html, "og:url")).to.equal(stack.httpUrl + path);
      const picture = await fetch(findMeta(html, "og:image")!);
      expect(picture.status, path).to.equal(200);
      expect(picture.headers.get("content-type")).to.match(/^image\//);
    }
  });

  it("have a link's run in their head, with its player's name as inert text", async () => {
    const wallet = stack.accounts[0]!.address;
    const name = '"><img src=x onerror=alert(1)> $& $1';
    const run = await addEndedSession(stack, { wallet, slug: "flappybots", minScore: 5, agentName: name });
    const { status, html } = await open(`/watch/${run.sessionId}`);
    expect(status).to.equal(200);
    expect(findMeta(html, "og:title")).to.equal(`${name}: ${run.score} points in Flappybots`);
    expect(html).to.not.include("<img src=x");
    expect(html.match(/<!doctype html>/g)).to.have.length(1);
    await expectShare(findMeta(html, "og:image")!);
  });

  /** A PNG of the size of link previews. */
  async function expectShare(url: string): Promise<Buffer> {
    const response = await fetch(url);
    expect(response.status, url).to.equal(200);
    expect(response.headers.get("content-type")).to.equal("image/png");
    expect(response.headers.get("cache-control")).to.equal("public, max-age=3600");
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.subarray(1, 4).toString()).to.equal("PNG");
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).to.deep.equal([1200, 630]);
    return bytes;
  }

  it("share a run, a moment of it, an agent and a game as a picture, and report those without one", async () => {
    const wallet = stack.accounts[1]!.address;
    const run = await addEndedSession(stack, { wallet, slug: "shellrunners", minScore: 5, agentName: "W".repeat(32) });
    const pages = [`/runs/${run.sessionId}`, `/runs/${run.sessionId}?t=30`, "/games/flappybots"];
    const pictures: Buffer[] = [];
    for (const path of pages) pictures.push(await expectShare(findMeta((await open(path)).html, "og:image")!));
    expect(new Set(pictures.map((bytes) => bytes.toString("base64"))).size).to.equal(pictures.length);
    for (const [path, code] of [
      ["/pictures/runs/0190f1d5-7c4e-7abc-8def-0123456789ab.png", "SESSION_NOT_FOUND"],
      ["/pictures/agents/999.png", "NOT_FOUND"],
      ["/pictures/games/chess.png", "GAME_NOT_FOUND"],
    ] as const) {
      const { status, html } = await open(path, { Accept: "image/*" });
      expect(status, path).to.equal(404);
      expect(JSON.parse(html).code, path).to.equal(code);
    }
  });

  it("have their headline and topic without any script", async () => {
    const wallet = stack.accounts[2]!.address;
    const run = await addEndedSession(stack, { wallet, slug: "flappybots", minScore: 9, agentName: "Avocet" });
    await withStore(stack, (store) => store.sessions.setVerification(run.sessionId, "verified"));
    // Pages of earlier tests are kept for a second.
    for (const path of ["/", "/games/flappybots"])
      await waitUntil(async () => (await open(path)).html.includes("Avocet"));
    for (const [path, ...texts] of [
      ["/", "Real-time games for AI agents", "Avocet", `/pictures/posters/${run.sessionId}.png`],
      ["/runs?game=flappybots", "Avocet", String(run.score)],
      ["/leaderboard?game=flappybots", "Leaderboard", "Avocet"],
      [`/runs/${run.sessionId}`, "Avocet", `${run.score} points`],
      ["/games/flappybots", "Flappybots", "Avocet"],
      ["/docs/guides/agents", "Writing an agent"],
      ["/stats", "Statistics", "Points"],
      ...[
        "account",
        "market",
        "vote",
        "console",
        "docs",
        "practice/flappybots",
        "league/flappybots",
        "league/flappybots/write",
      ].map((name) => [`/${name}`]),
    ] as const) {
      const { html } = await open(path!);
      const body = html.slice(html.indexOf('<div id="app">'), html.indexOf('id="page-values"'));
      expect(body, path).to.match(/<h1/).and.include("</footer>");
      expect(body, path).to.not.include("Loading …");
      for (const text of texts) expect(body, path).to.include(text);
    }
  });

  it("report a missing page to browsers with the site's page, to programs with the problem document", async () => {
    const unknown = "0190f1d5-7c4e-7abc-8def-0123456789ab";
    for (const path of [
      "/nowhere",
      "/docs/guides/nothing",
      "/practice/chess",
      `/watch/${unknown}`,
      "/watch/x",
      "/practice",
      "/league/chess",
      "/league/flappybots/0",
      "/league/flappybots/1",
      "/index.html",
      "/tx/0x12",
      `/tx/0x${"g".repeat(64)}`,
      `/address/0x${"1".repeat(41)}`,
    ]) {
      const { status, html, headers } = await open(path);
      expect(status, path).to.equal(404);
      expect(html, path).to.include("<title>Not found · Agent Arcade</title>").and.include('<div id="app">');
      expect(headers.get("cache-control"), path).to.match(/no-/);
    }
    const { status, headers } = await open("/nowhere", { Accept: "application/json" });
    expect(status).to.equal(404);
    expect(headers.get("content-type")).to.include("application/problem+json");
    const api = await open("/api/nowhere");
    expect(api.html).to.not.include('<div id="app">');
    for (const received of [headers, api.headers]) expect(received.get("cache-control")).to.equal("no-store");
  });

  it("do not have or link to league pages if the service has no league", async () => {
    const off = await startTestStack({ webDir: site.webDir, env: { ARCADE_LEAGUE_SEASON_HOURS: "0" } });
    try {
      for (const [{ httpUrl }, hasLeague] of [[stack, true] as const, [off, false] as const]) {
        const page = await fetch(`${httpUrl}/games/flappybots`, { headers: BROWSER });
        expect((await page.text()).includes('href="/league/flappybots"')).to.equal(hasLeague);
        for (const path of ["/league/flappybots", "/league/flappybots/write"])
          expect((await fetch(httpUrl + path, { headers: BROWSER })).status, path).to.equal(hasLeague ? 200 : 404);
      }
    } finally {
      await off.close();
    }
  });

  it("contain their chain and contracts, and may contact no other host", async () => {
    const { headers, html } = await open("/");
    const config = JSON.parse(findMeta(html, SITE_CONFIG_META)!) as SiteConfig;
    const { identity, rewards, token, market, nft, startBlock } = stack.deployment;
    expect(config).to.deep.equal({
      chainId: 31_337,
      startBlock,
      rpcUrl: stack.chain.rpcUrl,
      explorerUrl: null,
      contracts: { identity, rewards, token, market, nft },
      hasLeague: true,
    });
    const policy = Object.fromEntries(
      headers
        .get("content-security-policy")!
        .split("; ")
        .map((directive) => [directive.split(" ")[0], directive.split(" ").slice(1).join(" ")]),
    );
    const wsUrl = stack.httpUrl.replace("http", "ws");
    expect(policy["connect-src"]).to.equal(`'self' ${wsUrl} ${new URL(stack.chain.rpcUrl).origin}`);
    expect(policy["default-src"]).to.equal("'self'");
    expect(policy["img-src"]).to.equal("'self' data:");
    expect(policy["style-src-attr"]).to.equal("'unsafe-inline'");
    for (const name of ["style", "script"]) {
      const inlined = [...html.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, "gs"))].map(([, text]) => text!);
      expect(inlined, name).to.have.length(1);
      const digest = createHash("sha256").update(inlined[0]!).digest("base64");
      expect(policy[`${name}-src`]).to.equal(`'self' 'sha256-${digest}'`);
    }
  });

  it("let only the policy worker compile WebAssembly, and load the engine on no page", async () => {
    const assets = readdirSync(join(site.webDir, "public/assets"));
    const allowed: string[] = [];
    for (const name of assets.filter((each) => /\.(?:js|wasm)$/.test(each))) {
      const response = await fetch(`${stack.httpUrl}/assets/${name}`);
      await response.arrayBuffer();
      if (response.headers.get("content-security-policy")!.includes("wasm-unsafe-eval")) allowed.push(name);
    }
    expect(allowed).to.have.length(1);
    const { html } = await open("/league/flappybots/write");
    expect(html).to.not.include(allowed[0]!).and.not.include(".wasm");
    const engines = assets.filter((name) => name.endsWith(".wasm"));
    expect(engines).to.have.length(1);
    const engine = await fetch(`${stack.httpUrl}/assets/${engines[0]}`, { headers: { "Accept-Encoding": "br" } });
    expect([engine.headers.get("content-type"), engine.headers.get("content-encoding")]).to.deep.equal([
      "application/wasm",
      "br",
    ]);
    await engine.arrayBuffer();
  });

  it("let other sites frame only the pages made for that, without wallet code", async () => {
    const wallet = stack.accounts[4]!.address;
    const run = await addEndedSession(stack, { wallet, slug: "flappybots", minScore: 5, agentName: "Knot" });
    const framed = [`/embed/${run.sessionId}`, "/embed/live", "/embed/0190f1d5-7c4e-7abc-8def-0123456789ab"];
    for (const path of framed) {
      const { status, headers, html } = await open(path);
      expect(status, path).to.equal(path === framed[2] ? 404 : 200);
      expect(headers.get("x-frame-options"), path).to.equal(null);
      const policy = headers.get("content-security-policy")!.split("; ");
      expect(policy.filter((directive) => directive.startsWith("frame-ancestors"))).to.deep.equal([
        "frame-ancestors *",
      ]);
      expect(policy).to.include(`connect-src 'self' ${stack.httpUrl.replace("http", "ws")}`);
      const scripts = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+\.js)"/g)].map(
        ([, file]) => stack.httpUrl + file,
      );
      const codes = await Promise.all(scripts.map(async (script) => (await fetch(script)).text()));
      expect(scripts.length, path).to.be.at.most(6);
      expect(codes.join("\n"))
        .to.include("spectate")
        .and.not.match(/eip6963|personal_sign|eth_[a-z]|sessionStorage/);
    }
    const { html } = await open(framed[0]!);
    expect(html).to.include("Knot").and.include(`/pictures/posters/${run.sessionId}.png`);
    expect(findMeta(html, "og:title")).to.equal(`Knot: ${run.score} points in Flappybots`);
    for (const path of [
      "/",
      `/runs/${run.sessionId}`,
      `/watch/${run.sessionId}`,
      "/account",
      "/embed",
      "/embed/live/x",
    ]) {
      const { headers } = await open(path);
      expect(headers.get("x-frame-options"), path).to.equal("DENY");
      expect(headers.get("content-security-policy"), path).to.include("frame-ancestors 'none'");
    }
  });

  it("need at most six scripts with 90 kB at first, and 150 kB for the whole first load, compressed", async () => {
    const games = ["/", "/runs", "/leaderboard", "/games/flappybots", "/practice/shellrunners"];
    const league = ["/league/flappybots", "/league/flappybots/write"];
    const pages = ["/account", "/market", "/vote", "/stats", "/console", "/docs", "/docs/guides/agents", ...league];
    for (const path of [...games, ...pages]) {
      const { html, headers } = await open(path);
      expect(headers.get("content-encoding"), path).to.match(/gzip|br/);
      const files = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, file]) => file!);
      expect(html, path).to.include("<style>").and.not.include('rel="stylesheet"');
      let bytes = gzipSync(html).length;
      let scriptBytes = 0;
      const scripts = files.filter((file) => file.endsWith(".js"));
      // The page renders without them.
      expect(html.match(/fetchpriority="low" (?:href|src)="[^"]+\.js"/g)?.length, path).to.equal(scripts.length);
      if (games.includes(path)) expect(scripts.length, path).to.be.at.most(path.startsWith("/practice") ? 10 : 6);
      for (const file of files) {
        const response = await fetch(stack.httpUrl + file, { headers: { "Accept-Encoding": "gzip" } });
        const length = Number(response.headers.get("content-length"));
        const isCompressed = response.headers.get("content-encoding") === "gzip";
        expect(isCompressed || length < 1024, file).to.equal(true);
        expect(response.headers.get("cache-control"), file).to.equal("public, max-age=31536000, immutable");
        bytes += length;
        if (file.endsWith(".js")) scriptBytes += length;
        await response.arrayBuffer();
      }
      expect(bytes, path).to.be.within(20_000, 150_000);
      if (path === "/") expect(scriptBytes).to.be.below(90_000);
    }
  });
});
