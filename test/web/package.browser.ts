/** The client's package in an author's page, on a separate host. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import type { Browser } from "playwright-core";
import { bundleForBrowser } from "../../scripts/packages/browser-size.ts";
import { buildPackage } from "../../scripts/packages/build.ts";
import { CLIENT_PACKAGE } from "../../scripts/packages/client.ts";
import { useTestStack } from "../helpers/suite.ts";
import { launchBrowser, openPage } from "./support/browser.ts";

describe("the client's package in a browser", () => {
  const stack = useTestStack();
  let author: Server;
  let browser: Browser;
  before(async () => {
    await buildPackage(CLIENT_PACKAGE);
    const { contents } = await bundleForBrowser();
    author = createServer(({ url }, response) => {
      const isScript = url === "/client.js";
      response.setHeader("content-type", isScript ? "text/javascript" : "text/html").end(isScript ? contents : "");
    }).listen(0, "127.0.0.1");
    await once(author, "listening");
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    author?.close();
  });

  it("is imported in its bundled form, and reads a service's games", async () => {
    const url = `http://127.0.0.1:${(author.address() as AddressInfo).port}`;
    const { page, problems } = await openPage(browser, url, [url, stack.httpUrl]);
    const requests: string[] = [];
    page.on("request", (request) => requests.push(`${request.method()} ${request.url()}`));
    const slugs = await page.evaluate(async (baseUrl) => {
      const path = "/client.js";
      const { createClient } = (await import(path)) as typeof import("../../client/index.ts");
      const { games } = await createClient({ baseUrl }).games.catalog({});
      return games.map(({ slug }) => slug);
    }, stack.httpUrl);
    expect(slugs).to.include.members(["shellrunners", "flappybots"]);
    expect(requests).to.include(`GET ${stack.httpUrl}/api/games/catalog`).and.have.length(2);
    expect(problems).to.deep.equal([]);
  });
});
