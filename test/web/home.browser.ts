/** The first page: its runs and links. */
import { expect } from "chai";
import { getPictureHash, waitUntil } from "./support/browser.ts";
import type { LiveRun } from "./support/site-world.ts";
import { useSiteWorld } from "./support/use-site-world.ts";

describe("the first page", () => {
  const site = useSiteWorld();
  let live: LiveRun;
  const open = (options = {}) => site.open("/", options);

  it("plays the best recorded run, labeled as recorded, while no game is running", async () => {
    const { page, problems } = await open();
    await page.locator(".stage", { hasText: "Recorded run" }).waitFor();
    const before = await getPictureHash(page);
    await waitUntil(async () => (await getPictureHash(page)) !== before);
    await page.getByText("No session is running right now").waitFor();
    const link = page.getByRole("link", { name: "See the whole run" });
    expect(await link.getAttribute("href")).to.equal(`/runs/${site.world.onChainRun.sessionId}`);
    expect(await page.locator(".todays-best .player b").first().textContent()).to.equal(site.world.agent.name);
    expect(await page.locator(".records").textContent()).to.contain(String(site.world.onChainRun.score));
    expect(problems).to.deep.equal([]);
  });

  it("shows the best live run on the first screen, and the others as live pictures", async () => {
    live = await site.world.startLiveRun("shellrunners", "<img src=x onerror=alert(1)>");
    await site.world.startLiveRun("flappybots", "Dunlin");
    const { page, problems } = await open();
    await page.locator('.stage [data-phase="running"]').waitFor();
    const stage = await page.locator(".stage canvas").boundingBox();
    expect(stage!.y + stage!.height / 2).to.be.below(800);
    await page.locator(".live-card .thumbnail canvas").waitFor();
    await waitUntil(async () =>
      /[1-9]\d*\/50/.test((await page.locator(".live-card .live-seats").textContent()) ?? ""),
    );
    expect(await page.locator(".home img[src=x]").count()).to.equal(0);
    expect(problems).to.deep.equal([]);
    await page.getByRole("link", { name: "Watch this run" }).click();
    await page.locator('.layout [data-phase="running"]').waitFor();
  });

  it("continues with another run when the current one is over", async () => {
    const { page } = await open();
    await page.locator('.stage [data-phase="running"]').waitFor();
    const first = await page.locator(".stage .button:not(.button-quiet)").getAttribute("href");
    await live.stop();
    await waitUntil(async () => {
      const button = page.locator(".stage .button:not(.button-quiet)");
      return (await button.count()) > 0 && (await button.getAttribute("href")) !== null;
    });
    expect(first).to.match(/^\/watch\//);
  });

  it("pauses the demos for users who prefer less motion, and plays them on demand", async () => {
    const { page, problems } = await open({ reducedMotion: "reduce" });
    const button = page.getByRole("button", { name: "Run the Flappybots demo" });
    await button.waitFor();
    await button.scrollIntoViewIfNeeded();
    const picture = () =>
      page
        .locator(".game-card", { has: page.getByRole("button", { name: /Flappybots demo/ }) })
        .locator("canvas")
        .evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL());
    const before = await picture();
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    expect(await picture()).to.equal(before);
    await button.press("Enter");
    await waitUntil(async () => (await picture()) !== before);
    expect(problems).to.deep.equal([]);
  });

  it("shows an agent's command with this service's address, and links to the guide", async () => {
    const { page } = await open();
    expect(await page.locator(".command code").textContent()).to.equal(
      `npm run agent -- --game flappybots --url ${site.world.url}`,
    );
    await page.getByRole("link", { name: "how to write an agent" }).click();
    await page.locator(".guide h2").first().waitFor();
  });

  it("shows followed agents and who is playing, until they are unfollowed", async () => {
    const { agent } = site.world;
    const { page, problems } = await site.open(`/agents/${agent.agentId}`);
    const readStored = () =>
      page.evaluate(() => JSON.parse(localStorage.getItem("agent-arcade.followed") ?? "null") as readonly string[]);
    await page.getByRole("button", { name: "Follow", exact: true }).click();
    await page.goto(site.world.url);
    const section = page.getByRole("region", { name: "Agents you follow" });
    await section.locator("tbody .player b", { hasText: agent.name }).waitFor();
    const running = await site.world.startLiveRun("flappybots", "Sanderling");
    const { agentId } = await running.player.client.identity.ownershipStatus({ walletAddress: running.player.address });
    // An agent without a verified run has no page yet. Values that are not numbers are ignored.
    const stored = JSON.stringify([agentId, "<b>", agent.agentId]);
    await page.evaluate((text) => localStorage.setItem("agent-arcade.followed", text), stored);
    await page.goto(site.world.url);
    expect(await section.getByRole("link", { name: "plays now: Flappybots" }).getAttribute("href")).to.equal(
      `/watch/${running.sessionId}`,
    );
    await running.stop();
    await page.goto(`${site.world.url}/agents/${agent.agentId}`);
    await page.getByRole("button", { name: "Following" }).click();
    expect(await readStored()).to.deep.equal([agentId]);
    await page.evaluate((id) => localStorage.setItem("agent-arcade.followed", JSON.stringify([id])), agent.agentId);
    await page.reload();
    await page.getByRole("button", { name: "Following" }).click();
    await page.goto(site.world.url);
    await page.locator(".records").waitFor();
    expect(await readStored()).to.deep.equal([]);
    expect(await section.count()).to.equal(0);
    expect(problems).to.deep.equal([]);
  });

  it("links to the other pages and back without a page load, with the focus on the page", async () => {
    const { page, problems } = await open();
    await page.evaluate(() => Object.assign(window, { isSameDocument: true }));
    await page.getByRole("link", { name: "Leaderboard", exact: true }).click();
    await page.locator(".table tbody tr").first().waitFor();
    expect(new URL(page.url()).pathname).to.equal("/leaderboard");
    await waitUntil(() => page.evaluate(() => document.activeElement?.id === "main"));
    await page.goBack();
    await page.locator(".stage").waitFor();
    expect(await page.evaluate(() => "isSameDocument" in window)).to.equal(true);
    expect(problems).to.deep.equal([]);
  });
});
