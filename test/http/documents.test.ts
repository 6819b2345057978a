import { expect } from "chai";
import { routes } from "../../backend/http/routes/index.ts";
import { selectRoutes } from "../../backend/http/server/app.ts";
import { ERRORS } from "../../domain/errors.ts";
import { SERVED_GUIDES } from "../../domain/guides.ts";
import { startTestStack, type TestStack } from "../helpers/suite.ts";

describe("the documents", () => {
  let stack: TestStack;
  let page: string;
  before(async () => {
    stack = await startTestStack();
    page = await get("/docs/reference", /^text\/html/);
  });
  after(() => stack.close());

  const get = async (path: string, media: RegExp): Promise<string> => {
    const { status, headers, body } = await stack.request("GET", path);
    expect(status, path).to.equal(200);
    expect(headers.get("content-type"), path).to.match(media);
    return typeof body === "string" ? body : JSON.stringify(body);
  };

  it("the service serves OpenAPI and AsyncAPI with its addresses", async () => {
    const openapi = JSON.parse(await get("/openapi.json", /^application\/json/));
    expect(openapi.openapi).to.equal("3.1.1");
    expect(openapi.servers).to.deep.equal([{ url: stack.httpUrl }]);
    const asyncapi = JSON.parse(await get("/asyncapi.json", /^application\/json/));
    expect(asyncapi.servers.arcade).to.deep.equal({ host: new URL(stack.httpUrl).host, protocol: "ws" });
  });

  it("the page shows every route and loads no outside resource", async () => {
    for (const { name, path } of routes) expect(page).to.include(`id="${name}"`).and.include(path);
    const start = /<details id="sessions.start">([\s\S]*?)<\/details>/.exec(page)![1]!;
    expect(start).to.include("<td><code>source</code> *</td><td>body</td><td>agent_api | browser_ws</td>");
    expect(start).to.include(`curl ${stack.httpUrl}/api/games/shellrunners/sessions/start \\\n`);
    expect(start)
      .to.include('href="/docs/errors#SESSION_ACTIVE"')
      .and.match(/Limit <code>[^<]+<\/code>: \d+ in \d+ s per/);
    const payout = /<details id="rewards.payout">([\s\S]*?)<\/details>/.exec(page)![1]!;
    expect(payout).to.include("<h4>Request (sponsored)</h4>").and.include("<h4>Response (sponsored)</h4>");
    for (const text of [page, await get("/docs/errors", /^text\/html/)]) {
      expect(text).to.not.match(/<script|<link|<img|<iframe|@import|url\(|\son\w+=|(?:src|href)="(?:https?:)?\/\//i);
    }
  });

  it("the page shows which tokens a route takes, and if it needs one", async () => {
    const toCode = (kind: string): string => `<code>Authorization: Bearer &lt;${kind} token&gt;</code>`;
    const tokens: { readonly [name: string]: string } = {
      "games.catalog": "No token.",
      "sessions.start": `${toCode("access")}, if you have one.`,
      "sessions.heartbeat": `${toCode("access")} or ${toCode("practice")}.`,
      "rewards.payout": `${toCode("access")}.`,
    };
    for (const [name, text] of Object.entries(tokens)) {
      const [, shown] = page.split(`<details id="${name}">`)[1]!.split("<p>");
      expect(shown!.slice(0, text.length), name).to.equal(text);
    }
  });

  it("serves the guides for authors as text, with links to the other documents", async () => {
    for (const name of SERVED_GUIDES) {
      const guide = await get(`/docs/${name}`, /^text\/markdown/);
      expect(guide)
        .to.match(/^# /)
        .and.not.match(/\]\([\w-]+\.md/);
      expect(await get("/llms.txt", /^text\/plain/)).to.include(`/docs/${name})`);
      expect(await get("/skill.md", /^text\/markdown/)).to.match(new RegExp(`/docs/{[a-z,]*\\b${name}\\b`));
    }
    expect(await get("/docs/replays", /^text/))
      .to.include("](/docs/rules)")
      .and.include("](/docs/guides/economy)");
  });

  it("the type of a problem is a link to its code's anchor", async () => {
    const page = await get("/docs/errors", /^text\/html/);
    for (const code of Object.keys(ERRORS)) expect(page).to.include(`id="${code}"`);
    const problem = await stack.request("GET", "/api/games/tetris");
    const [path, anchor] = problem.body.type.split("#");
    expect(await get(path, /^text\/html/)).to.include(`id="${anchor}"`);
  });

  it("the pages escape their text", async () => {
    const { escapeHtml, renderProse: prose } = await import("../../backend/http/openapi/html.ts");
    expect(escapeHtml('<a b="c">&')).to.equal("&lt;a b=&quot;c&quot;&gt;&amp;");
    expect(prose("`<b>` & x")).to.equal("<code>&lt;b&gt;</code> &amp; x");
  });

  it("the skill has the steps to a payout, llms.txt every route", async () => {
    const skill = await get("/skill.md", /^text\/markdown/);
    expect(skill).to.match(/^---\nname: agent-arcade\ndescription: .+\n---\n/);
    const steps = (await stack.request("GET", "/api/agent-instructions")).body.steps;
    const titles = steps.map(({ title }: { title: string }) => title);
    const inSkill = titles.filter((title: string) => new RegExp(`^### \\d+\\. ${title}$`, "m").test(skill));
    expect(inSkill).to.include.members(["Get gas", "Register", "Sign in", "Play", "Snapshot the score", "Get paid"]);
    const llms = await get("/llms.txt", /^text\/plain/);
    expect(llms).to.match(/^# Agent Arcade\n\n> /);
    for (const { method, path } of routes) expect(llms).to.include(`- ${method} ${path}: `);
  });

  it("the documents have no development routes when the chain is public", async () => {
    const { createDocuments } = await import("../../backend/http/openapi/documents.ts");
    const documents = createDocuments({
      routes: selectRoutes(routes, false),
      slugs: ["shellrunners"],
      publicUrl: () => "https://arcade.example",
      wsUrl: () => "wss://arcade.example",
    });
    expect(documents.openapi()).to.not.include("/api/dev/");
    expect(documents.docsPage()).to.not.include("/api/dev/");
    expect(documents.asyncapi()).to.include('"protocol":"wss"');
  });
});
