import { expect } from "chai";
import { ERRORS } from "../../backend/domain/errors.ts";
import { routes } from "../../backend/http/routes/index.ts";
import { type Suite, startSuite } from "../helpers/suite.ts";

describe("the documents", () => {
  let suite: Suite;
  before(async () => {
    suite = await startSuite();
  });
  after(() => suite.close());

  const get = async (path: string, media: RegExp): Promise<string> => {
    const { status, headers, body } = await suite.request("GET", path);
    expect(status, path).to.equal(200);
    expect(headers.get("content-type"), path).to.match(media);
    return typeof body === "string" ? body : JSON.stringify(body);
  };

  it("serve OpenAPI and AsyncAPI with the addresses of this service", async () => {
    const openapi = JSON.parse(await get("/openapi.json", /^application\/json/));
    expect(openapi.openapi).to.equal("3.1.1");
    expect(openapi.servers).to.deep.equal([{ url: suite.httpUrl }]);
    const asyncapi = JSON.parse(await get("/asyncapi.json", /^application\/json/));
    expect(asyncapi.servers.arcade).to.deep.equal({ host: new URL(suite.httpUrl).host, protocol: "ws" });
  });

  it("show every route on a page that needs nothing from elsewhere", async () => {
    const page = await get("/docs", /^text\/html/);
    for (const { name, path } of routes) expect(page).to.include(`id="${name}"`).and.include(path);
    expect(page).to.include("<td><code>source</code> *</td><td>body</td><td>agent_api | browser_ws</td>");
    for (const text of [page, await get("/docs/errors", /^text\/html/)]) {
      expect(text).to.not.match(/<script|<link|<img|<iframe|@import|url\(|\son\w+=|(?:src|href)="(?:https?:)?\/\//i);
    }
  });

  it("lead from each problem's type to an anchor of its code", async () => {
    const page = await get("/docs/errors", /^text\/html/);
    for (const code of Object.keys(ERRORS)) expect(page).to.include(`id="${code}"`);
    const problem = await suite.request("GET", "/api/games/tetris");
    const [path, anchor] = problem.body.type.split("#");
    expect(await get(path, /^text\/html/)).to.include(`id="${anchor}"`);
  });

  it("escape what they show", async () => {
    const { escapeHtml, prose } = await import("../../backend/http/docs-html.ts");
    expect(escapeHtml('<a b="c">&')).to.equal("&lt;a b=&quot;c&quot;&gt;&amp;");
    expect(prose("`<b>` & x")).to.equal("<code>&lt;b&gt;</code> &amp; x");
  });

  it("tell a language model the whole way", async () => {
    const skill = await get("/skill.md", /^text\/markdown/);
    expect(skill).to.match(/^---\nname: agent-arcade\ndescription: .+\n---\n/);
    const steps = (await suite.request("GET", "/api/agent-instructions")).body.steps;
    for (const { title } of steps) expect(skill).to.include(title);
    const llms = await get("/llms.txt", /^text\/plain/);
    expect(llms).to.match(/^# Agent Arcade\n\n> /);
    for (const { method, path } of routes) expect(llms).to.include(`- ${method} ${path}: `);
  });

  it("leave the routes of development out where the chain is public", async () => {
    const { makeDocuments } = await import("../../backend/http/docs.ts");
    const documents = makeDocuments({
      routes,
      isLocal: false,
      slugs: ["shellrunners"],
      publicUrl: () => "https://arcade.example",
      wsUrl: () => "wss://arcade.example",
    });
    expect(documents.openapi()).to.not.include("/api/dev/");
    expect(documents.docsPage()).to.not.include("/api/dev/");
    expect(documents.asyncapi()).to.include('"protocol":"wss"');
  });
});
