/** The pages of wallets, operators and documents: what they show, in every size and scheme, to eyes, keyboards and axe. */
import axe from "axe-core";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { createAgent } from "../helpers/player.ts";
import { addEndedSession } from "../http/support/plant-session.ts";
import { ADMIN_TOKEN, type SiteBrowser, startSiteBrowser } from "./site-browser.ts";

const SIZES = [
  { width: 390, height: 844 },
  { width: 844, height: 390 },
  { width: 1280, height: 800 },
] as const;

/** Each page, and what stands on it once it is there. */
const PAGES = [
  ["/account", "Connect a wallet"],
  ["/market", "Agent identity"],
  ["/vote", "Tidepool"],
  ["/stats", "Today's cap"],
  ["/console", "Open the console"],
  ["/docs", "Write an agent"],
  ["/docs/guides/agents", "All documents"],
  ["/docs/guides/operating", "Deploying the contracts"],
  ["/docs/api", "/api/games/catalog"],
] as const;

const HOSTILE = "<img src=x onerror=alert(1)>";

describe("the pages of wallets and operators", function () {
  this.timeout(300_000);
  let site: SiteBrowser;

  before(async () => {
    site = await startSiteBrowser();
    await plantContent(site);
  });
  after(() => site?.close());
  afterEach(async () => {
    await site.closePages();
    site.errors.length = 0;
  });

  /** Serious findings of axe-core, each with the elements. */
  async function findAxeFaults(page: Page): Promise<readonly string[]> {
    // As the test's own script: the page's policy would forbid it.
    await page.evaluate(axe.source);
    return page.evaluate(async () => {
      const { axe: checker } = window as unknown as {
        axe: { run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }> };
      };
      const { violations } = await checker.run();
      return violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
    });
  }

  const getOverflow = (page: Page): Promise<number> =>
    page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

  for (const [path, text] of PAGES)
    it(`${path} fits every screen in both schemes, and axe finds nothing serious`, async () => {
      const page = await site.open(path, { reducedMotion: "reduce" });
      for (const viewport of SIZES) {
        await page.setViewportSize(viewport);
        for (const colorScheme of ["dark", "light"] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
          await page.getByText(text).first().waitFor();
          const name = `${path.slice(1).replaceAll("/", "-")}-${viewport.width}-${colorScheme}`;
          expect(await getOverflow(page), name).to.be.at.most(0);
          // Contrast depends on the scheme, the rest on the width.
          if (`${viewport.width} ${colorScheme}` === "390 dark" || `${viewport.width} ${colorScheme}` === "1280 light")
            expect(await findAxeFaults(page), name).to.deep.equal([]);
          await site.shoot(page, name);
        }
      }
      expect(site.errors).to.deep.equal([]);
    });

  it("the operator opens the console with the token, looks around, and drains the service", async () => {
    const page = await site.open("/console");
    await site.stack.request("POST", "/api/games/flappybots/sessions/start", { body: { source: "browser_ws" } });
    await page.getByLabel("Admin token").fill("not-the-operators-token");
    await page.getByRole("button", { name: "Open the console" }).click();
    await page.getByText("Expected the operator's token").waitFor();
    await page.getByLabel("Admin token").fill(ADMIN_TOKEN);
    await page.getByRole("button", { name: "Open the console" }).click();
    await page.getByText("Ready", { exact: true }).waitFor();
    for (const [view, heading] of [
      ["Transactions", "No transaction was sent yet."],
      ["Payouts", "No payout is open."],
      ["Signings", "Payload"],
      ["Withheld scores", "Session to withhold or forfeit"],
      ["Findings", "database"],
      ["Errors", "TOKEN_INVALID"],
      ["Audit", "voting"],
      ["Sessions", "A person practicing"],
    ] as const) {
      await page.getByRole("link", { name: view, exact: true }).click();
      await page.locator("main").getByText(heading).first().waitFor();
      await site.shoot(page, `console-${view.toLowerCase().replaceAll(" ", "-")}-1280-light`);
    }
    expect(await findAxeFaults(page)).to.deep.equal([]);
    expect(await page.locator("main img").count()).to.equal(0);
    await page.getByLabel("Reason").first().fill("update");
    await page.getByRole("button", { name: "Drain" }).click();
    await page.getByText("Draining", { exact: true }).waitFor();
    expect((await site.stack.request("GET", "/readyz")).status).to.equal(503);
    await page.getByLabel("Reason").first().fill("done");
    await page.getByRole("button", { name: "End the draining" }).click();
    await page.getByText("Ready", { exact: true }).waitFor();
    expect((await site.stack.request("GET", "/readyz")).status).to.equal(200);
    expect(site.errors).to.deep.equal([]);
  });

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

  it("shows hostile text of the audit as text", async () => {
    const drain = (draining: boolean) =>
      site.stack.request("POST", "/api/console/drain", { token: ADMIN_TOKEN, body: { draining, reason: HOSTILE } });
    await drain(true);
    await drain(false);
    const page = await site.open("/console?view=audit");
    await page.getByLabel("Admin token").fill(ADMIN_TOKEN);
    await page.getByRole("button", { name: "Open the console" }).click();
    await page.getByText(HOSTILE).first().waitFor();
    expect(await page.locator("main img").count()).to.equal(0);
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

/** Runs, a listing with a seller, and a name that would harm a page that trusted it. */
async function plantContent({ stack }: SiteBrowser): Promise<void> {
  const agent = await createAgent(stack);
  for (const slug of ["flappybots", "shellrunners"] as const)
    for (const minScore of [5, 60]) await addEndedSession(stack, { wallet: agent.address, slug, minScore });
  const { agentId } = await agent.client.identity.ownershipStatus({ walletAddress: agent.address });
  const { listingId, typedData, approval } = await agent.client.market.listingPayload({
    ...{ collection: "identity", tokenId: agentId!, price: "50000000000000000" },
  });
  await agent.wallet.waitForReceipt((await agent.wallet.sendCall(approval!)).txHash);
  const signature = await agent.wallet.signTypedData!(typedData);
  await agent.client.market.visibilitySet({ listingId, visible: true, signature });
  await agent.client.identity.profileUpsert({ agentName: HOSTILE.slice(0, 32) });
  await agent.client.sessions.start({ slug: "shellrunners", source: "agent_api", forfeitPending: true });
}
