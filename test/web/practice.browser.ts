/** Practice by a human player. */
import { expect } from "chai";
import { useSiteBrowser } from "./site-browser.ts";
import { getPictureHash, waitUntil } from "./support/browser.ts";

describe("the page of practice", () => {
  const site = useSiteBrowser();

  it("lets a user steer", async () => {
    const page = await site.open("/practice/shellrunners");
    await page.getByRole("button", { name: "Start" }).click();
    await page.locator('[data-phase="running"]').waitFor();
    const resting = await getPictureHash(page);
    await page.keyboard.down("ArrowLeft");
    await waitUntil(async () => (await getPictureHash(page)) !== resting);
    await page.keyboard.up("ArrowLeft");
    expect(site.errors).to.deep.equal([]);
  });

  // The run is paused except for the tested moments, so that it cannot end by itself.
  it("lets a user pause, resume, leave and play again", async () => {
    const page = await site.open("/practice/shellrunners");
    await page.getByRole("button", { name: "Start" }).click();
    await page.locator('[data-phase="running"]').waitFor();
    await page.keyboard.press("p");
    await page.locator('[data-phase="paused"]').waitFor();
    expect(await page.locator(".layout-toolbar").textContent()).to.contain("Resume");
    await page.locator(".card").getByRole("button", { name: "Resume" }).click();
    await page.locator('[data-phase="running"]').waitFor();
    expect(await page.locator(".layout-toolbar").textContent()).to.contain("Pause (2 left)");
    await page.keyboard.press("p");
    await page.locator('[data-phase="paused"]').waitFor();
    await page.getByRole("button", { name: "End run" }).click();
    const card = page.getByLabel("The run is over");
    await card.waitFor();
    expect(await card.textContent()).to.contain("You ended the run.");
    expect(await card.getByRole("link", { name: "Download as JSON" }).count()).to.equal(0);
    await card.getByRole("button", { name: "Play again" }).click();
    await page.locator('[data-phase="running"]').waitFor();
    expect(site.requests.filter((request) => request.endsWith("/sessions/start")).length).to.equal(2);
    expect(site.errors).to.deep.equal([]);
  });

  it("offers the run again after a reload, but not once it has ended", async () => {
    const page = await site.open("/practice/shellrunners");
    await page.getByRole("button", { name: "Start" }).click();
    await page.locator('[data-phase="running"]').waitFor();
    await page.keyboard.press("p");
    await page.locator('[data-phase="paused"]').waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Resume your run" }).click();
    await page
      .locator(".layout-toolbar")
      .getByText("(2 left)")
      .or(page.locator(".card", { hasText: "Paused" }))
      .waitFor();
    await page.getByRole("button", { name: "End run" }).click();
    await page.getByLabel("The run is over").waitFor();
    expect(site.requests.filter((request) => request.endsWith("/sessions/start")).length).to.equal(1);
    await page.reload();
    await page.getByRole("button", { name: "Start", exact: true }).waitFor();
    expect(await page.getByRole("button", { name: "Resume your run" }).count()).to.equal(0);
    expect(site.errors).to.deep.equal([]);
  });

  it("flaps by touch on a phone, with nothing wider than the screen", async () => {
    const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
    const page = await site.open("/practice/flappybots", phone);
    const sent: string[] = [];
    page.on("websocket", (socket) => socket.on("framesent", ({ payload }) => sent.push(String(payload))));
    await page.getByRole("button", { name: "Start" }).tap();
    await page.locator('[data-phase="running"]').waitFor();
    await page.locator(".touch-pad").tap();
    await waitUntil(() => sent.includes('{"t":"action","action":"FLAP","seq":1}'));
    for (const path of ["/runs", "/practice/shellrunners", "/nowhere"]) {
      await page.goto(site.stack.httpUrl + path);
      await page.locator("h1").waitFor();
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow, path).to.be.at.most(0);
    }
    expect(site.errors).to.deep.equal([]);
  });

  it("can be used with only the keyboard", async () => {
    const page = await site.open("/runs");
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).to.equal("Skip to the page");
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.id)).to.equal("main");
    await page.goto(`${site.stack.httpUrl}/practice/flappybots`);
    const start = page.getByRole("button", { name: "Start" });
    await start.waitFor();
    expect(await page.locator(".event-log [tabindex]").count(), "an empty list is not a stop").to.equal(0);
    const isFocused = () => start.evaluate((button) => button === document.activeElement);
    for (let tabs = 0; tabs < 12 && !(await isFocused()); tabs += 1) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.locator('[data-phase="running"]').waitFor();
    await page.keyboard.press("Space");
    await waitUntil(async () => (await page.locator(".event-log li").count()) > 0);
  });
});
