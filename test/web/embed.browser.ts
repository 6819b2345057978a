/** Runs in frames on another site. */
import { expect } from "chai";
import { toSitePath } from "../../domain/site.ts";
import { type HttpServer, startServer } from "../helpers/http-server.ts";
import { translateTexts } from "./support/translate-texts.ts";
import { useSiteWorld } from "./support/use-site-world.ts";

describe("a run in a frame of another site", () => {
  const site = useSiteWorld();
  let host: HttpServer;
  before(async () => {
    host = await startServer((_body, response, request) => {
      const { searchParams } = new URL(request.url!, host.url);
      response.setHeader("Content-Type", "text/html");
      response.end(`<iframe src="${searchParams.get("src")}" width="800" height="600" title="a run"></iframe>`);
    });
  });
  after(() => host?.close());

  async function openFrame(path: string) {
    const { page } = await site.open("/docs/errors");
    const framed = page.waitForEvent("framenavigated", (frame) => frame.parentFrame() !== null);
    await page.goto(`${host.url}/?src=${encodeURIComponent(site.world.url + path)}`, { waitUntil: "commit" });
    return { page, frame: page.frameLocator("iframe"), url: (await framed).url() };
  }

  it("plays a recording, and links to the site in a new tab", async () => {
    const { onChainRun, agent } = site.world;
    const { page, frame } = await openFrame(toSitePath("embed", { id: onChainRun.sessionId }));
    await frame.locator("canvas[data-drawn]").waitFor();
    expect(await frame.locator(".player b").textContent()).to.equal(agent.name);
    const opened = page.waitForEvent("popup");
    await frame.getByRole("link", { name: "See the whole run" }).click();
    expect((await opened).url()).to.equal(site.world.url + toSitePath("run", { id: onChainRun.sessionId }));
  });

  it("shows a live run to its end, and the best live run at one address", async () => {
    const live = await site.world.startLiveRun("flappybots", "Wader");
    const { frame } = await openFrame(toSitePath("embed", { id: live.sessionId }));
    await frame.locator("canvas[data-drawn]").waitFor();
    const best = await openFrame(toSitePath("embed", { id: "live" }));
    await best.frame.locator("canvas[data-drawn]").waitFor();
    await live.stop();
    const again = frame.getByRole("link", { name: "Watch again" });
    expect(await again.getAttribute("href")).to.include(live.sessionId);
  });

  it("in a translated page: the number of spectators is the current one", async () => {
    const live = await site.world.startLiveRun("flappybots", "Stilt");
    const { page, frame } = await openFrame(toSitePath("embed", { id: live.sessionId }));
    const audience = frame.locator(".hud-audience");
    await audience.getByText("1/").waitFor();
    await page.frames()[1]!.evaluate(translateTexts);
    await audience.getByText("¡1/").waitFor();
    const other = await openFrame(toSitePath("embed", { id: live.sessionId }));
    await other.frame.locator("canvas[data-drawn]").waitFor();
    await audience.getByText("¡2/").waitFor();
    expect(await audience.textContent()).to.not.include("1/");
    await live.stop();
  });

  it("reports a run that does not exist, and other pages cannot be framed", async () => {
    const missing = "0190f1d5-7c4e-7abc-8def-0123456789ab";
    const { frame } = await openFrame(toSitePath("embed", { id: missing }));
    await frame.getByText("No such session").waitFor();
    expect((await openFrame(toSitePath("run", { id: site.world.onChainRun.sessionId }))).url).to.match(
      /^chrome-error:/,
    );
  });
});
