/** Signing dialogs and the reference, as keyboards, phones and axe meet them. */
import { expect } from "chai";
import type { Page } from "playwright-core";
import { type SiteBrowser, startSiteBrowser } from "./site-browser.ts";
import { findAxeFaults } from "./support/axe.ts";

describe("dialogs and the reference", function () {
  this.timeout(300_000);
  let site: SiteBrowser;

  before(async () => {
    site = await startSiteBrowser();
  });
  after(() => site?.close());
  afterEach(async () => {
    await site.closePages();
    site.errors.length = 0;
  });

  const getOverflow = (page: Page): Promise<number> =>
    page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

  it("tries a call of the reference, against this service only", async () => {
    const page = await site.open("/docs/api");
    await page.getByLabel("Find a call").fill("games.get");
    await page.getByText("/api/games/{slug}", { exact: true }).click();
    await page.getByLabel(/^slug/).fill("flappybots");
    await page.getByRole("button", { name: "Send: games.get" }).click();
    const response = page.locator(".response");
    await response.waitFor();
    expect(await response.textContent()).to.contain('"slug": "flappybots"');
    expect(await findAxeFaults(page)).to.deep.equal([]);
    expect(site.errors).to.deep.equal([]);
  });

  it("connects the built-in wallet and reads a request with the keyboard only", async () => {
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
    await page.locator('[data-step="gas"][data-status="done"]').waitFor({ timeout: 60_000 });
    await press(/^Register/);
    const dialog = page.getByRole("dialog");
    await dialog.waitFor();
    expect(await findAxeFaults(page)).to.deep.equal([]);
    await site.shoot(page, "signing-1280-light");
    await press(/Sign and send/);
    await page.locator('[data-step="register"][data-status="done"]').waitFor({ timeout: 60_000 });
    expect(site.errors).to.deep.equal([]);
  });

  it("shows the signing dialog whole on a phone: it scrolls inside, and its buttons can be seen", async () => {
    const page = await site.open("/account", { viewport: { width: 390, height: 844 } });
    await page.getByRole("button", { name: "Use the development wallet" }).click();
    await page.getByRole("button", { name: "Get gas" }).click();
    await page.locator('[data-step="gas"][data-status="done"]').waitFor({ timeout: 60_000 });
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
