/** Agents' labels, signing dialogs and the reference, with a keyboard, on a phone and with axe. */
import { expect } from "chai";
import type { Page } from "playwright-core";
import { createAgent } from "../../testing/player.ts";
import { ADMIN_TOKEN, useSiteBrowser } from "./site-browser.ts";
import { findAxeFaults } from "./support/axe.ts";
import { addVerifiedSession } from "./support/site-world.ts";

describe("labels, dialogs and the reference", () => {
  const site = useSiteBrowser({ ARCADE_DEMO_AGENTS: "on" });

  const getOverflow = (page: Page): Promise<number> =>
    page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

  it("marks demo agents on the stage, the live cards, their run's page and the console", async () => {
    const page = await site.open("/");
    const mark = "Demo: Played by the arcade itself: not on boards, no rewards.";
    await page.locator(".stage .demo-agent-mark").waitFor();
    expect(await page.locator(".live-card .demo-agent-mark").first().textContent()).to.equal(mark);
    expect(await findAxeFaults(page)).to.deep.equal([]);
    await site.shoot(page, "demo-home-1280-light");
    await page.getByRole("link", { name: "Watch this run" }).click();
    await page.locator(".layout-head .demo-agent-mark").waitFor();
    await page.getByText("Played by the arcade itself", { exact: false }).last().waitFor();
    await site.shoot(page, "demo-watch-1280-light");
    const embed = await site.open("/embed/live", { viewport: { width: 390, height: 480 } });
    const name = (await embed.locator(".player b").boundingBox())!;
    expect(name.height, "not a letter in each line").to.be.below(name.width);
    await page.goto(`${site.stack.httpUrl}/console?view=sessions`);
    await page.getByLabel("Admin token").fill(ADMIN_TOKEN);
    await page.getByRole("button", { name: "Open the console" }).click();
    await page.locator("td .demo-agent-mark").first().waitFor();
    expect(site.errors).to.deep.equal([]);
  });

  it("keeps the name of the registration when a first profile changes only the text", async () => {
    const { address, client, privateKey } = await createAgent(site.stack, "Curlew");
    const page = await site.open("/account");
    await page.evaluate((key) => localStorage.setItem("agent-arcade.development-key", key), privateKey);
    await page.reload();
    await page.getByRole("button", { name: "Use the development wallet" }).click();
    await page.locator('[data-step="signIn"]').getByRole("button").first().click();
    await page.getByRole("dialog").getByRole("button", { name: /^Sign/ }).click();
    await page.getByLabel("About").fill("Walks sideways.");
    await page.getByRole("button", { name: "Save the profile" }).click();
    await page.waitForFunction(() => document.querySelector<HTMLInputElement>(".profile input")?.value === "Curlew");
    const { profile } = await client.identity.profileGet({ walletAddress: address });
    expect(profile).to.include({ agentName: "Curlew", bio: "Walks sideways." });
    expect(site.errors).to.deep.equal([]);
  });

  it("keeps the times below a plot apart", async () => {
    const { address, client } = await createAgent(site.stack, "Ruff");
    for (let halfDaysAgo = 0; halfDaysAgo < 7; halfDaysAgo += 1) {
      const endedAtMs = Date.now() - halfDaysAgo * 12 * 3_600_000;
      await addVerifiedSession(site.stack, { wallet: address, slug: "flappybots", minScore: 1, endedAtMs });
    }
    const page = await site.open("/docs/errors");
    await page.addInitScript(() => {
      const { fillText } = CanvasRenderingContext2D.prototype;
      const ends = Object.assign(globalThis, { ends: new Map<number, number>() }).ends;
      CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
        const { width } = this.measureText(text);
        if (/[AP]M$/.test(text)) ends.set(x - width / 2, x + width / 2);
        fillText.call(this, text, x, y);
      };
    });
    const { agentId } = await client.identity.ownershipStatus({ walletAddress: address });
    await page.goto(`${site.stack.httpUrl}/agents/${agentId}`);
    await page.locator(".plot canvas").waitFor();
    const ends = await page.evaluate(() => [...(globalThis as unknown as { ends: Map<number, number> }).ends]);
    const gaps = ends.slice(1).map(([start], index) => start - ends[index]![1]);
    expect(Math.min(...gaps), "pixels").to.be.within(10, 1000);
    expect(site.errors).to.deep.equal([]);
  });

  it("connects the built-in wallet and reads a request with only the keyboard", async () => {
    const page = await site.open("/account");
    const press = async (name: RegExp): Promise<void> => {
      const button = page.getByRole("button", { name }).first();
      await button.waitFor();
      const isFocused = () => button.evaluate((element) => element === document.activeElement);
      for (let tabs = 0; tabs < 60 && !(await isFocused()); tabs += 1) await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
    };
    await press(/Use the development wallet/);
    await press(/Get gas/);
    await page.locator('[data-step="gas"][data-status="done"]').waitFor();
    await press(/^Register/);
    const dialog = page.getByRole("dialog");
    await dialog.waitFor();
    expect(await findAxeFaults(page)).to.deep.equal([]);
    await site.shoot(page, "signing-1280-light");
    await press(/Sign and send/);
    await page.locator('[data-step="register"][data-status="done"]').waitFor();
    expect(site.errors).to.deep.equal([]);
  });

  it("shows the whole signing dialog on a phone: it scrolls inside, with visible buttons", async () => {
    const page = await site.open("/account", { viewport: { width: 390, height: 844 } });
    await page.getByRole("button", { name: "Use the development wallet" }).click();
    await page.getByRole("button", { name: "Get gas" }).click();
    await page.locator('[data-step="gas"][data-status="done"]').waitFor();
    await page.getByRole("button", { name: "Register" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.waitFor();
    for (const size of [
      { width: 390, height: 844 },
      { width: 844, height: 390 },
    ]) {
      await page.setViewportSize(size);
      const box = (await dialog.getByRole("button", { name: "Sign and send" }).boundingBox())!;
      expect(box.y + box.height, `${size.width}`).to.be.at.most(size.height);
      expect(await getOverflow(page)).to.be.at.most(0);
      const folder = process.env.ARCADE_SCREENSHOTS;
      if (folder !== undefined) await page.screenshot({ path: `${folder}/signing-${size.width}-light.png` });
    }
  });
});
