/** The client's package in a page of an author, on a host of its own. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import type { Browser } from "playwright-core";
import { bundleForBrowser } from "../../scripts/client-package/browser-size.ts";
import { buildClientPackage } from "../../scripts/client-package/build.ts";
import { root } from "../../scripts/start/build.ts";
import { type ArcadeServer, startArcade } from "./arcade-server.ts";
import { launchBrowser, openPage } from "./support/browser.ts";

describe("the client's package in a browser", function () {
  this.timeout(120_000);
  let arcade: ArcadeServer;
  let author: Server;
  let browser: Browser;
  before(async () => {
    arcade = await startArcade({ webDir: root });
    await buildClientPackage();
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
    await arcade?.stop();
  });

  it("is imported as it is bundled, and reads the games of a service", async () => {
    const url = `http://127.0.0.1:${(author.address() as AddressInfo).port}`;
    const { page, problems } = await openPage(browser, url, [url, arcade.url]);
    const slugs = await page.evaluate(async (baseUrl) => {
      const path = "/client.js";
      const { createClient } = (await import(path)) as typeof import("../../client/index.ts");
      const { games } = await createClient({ baseUrl }).games.catalog({});
      return games.map(({ slug }) => slug);
    }, arcade.url);
    expect(slugs).to.include.members(["shellrunners", "flappybots"]);
    expect(arcade.requests).to.deep.equal(["GET /api/games/catalog"]);
    expect(problems).to.deep.equal([]);
  });
});
