/** The operator's console in a browser. */
import { expect } from "chai";
import type { Page } from "playwright-core";
import { createWalletClient, http, parseAbi } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { developmentServiceAccount } from "../../backend/config/dev-keys.ts";
import { addEndedSession } from "../../testing/ended-session.ts";
import { createAgent } from "../../testing/player.ts";
import { ADMIN_TOKEN, type SiteBrowser, useSiteBrowser } from "./site-browser.ts";
import { siteChainOf } from "./site-chain.ts";
import { holdMainScript, waitUntil } from "./support/browser.ts";

const GUARDIAN = 1;
const HOSTILE = "<img src=x onerror=alert(1)>";

describe("the operator's console", () => {
  const site = useSiteBrowser();

  async function openConsole(view: string): Promise<Page> {
    const page = await site.open(`/console?view=${view}`);
    await page.getByLabel("Admin token").fill(ADMIN_TOKEN);
    await page.getByRole("button", { name: "Open the console" }).click();
    await page.getByText("Ready", { exact: true }).waitFor();
    return page;
  }

  it("the operator opens the console with the token, looks around, and drains the service", async () => {
    const page = await site.open("/console");
    await createAgent(site.stack);
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
      ["Signings", "identity 1 of this wallet"],
      ["Withheld scores", "Id of the session to withhold or forfeit"],
      ["Findings", "database"],
      ["Errors", "TOKEN_INVALID"],
      ["Audit", "voting"],
      ["Sessions", "A person practicing"],
    ] as const) {
      await page.getByRole("link", { name: view, exact: true }).click();
      await page.locator("main").getByText(heading).first().waitFor();
    }
    expect(await page.locator("main img").count()).to.equal(0);
    // Kept between polls, whatever view is open.
    const trend = page.getByRole("img", { name: /^[\d.,]+ to [\d.,]+ in the last \d+:\d\d$/ });
    await trend.first().waitFor();
    expect(await trend.count()).to.equal(5);
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

  it("accepts a token that was entered before the page's script had arrived", async () => {
    const page = await site.open("/docs");
    const arrive = await holdMainScript(page);
    await page.goto(new URL("/console", page.url()).href, { waitUntil: "commit" });
    await page.getByLabel("Admin token").fill(ADMIN_TOKEN);
    arrive();
    await page.getByRole("button", { name: "Open the console" }).click();
    await page.getByText("Ready", { exact: true }).waitFor();
    expect(site.errors).to.deep.equal([]);
  });

  it("shows hostile text of the audit as text", async () => {
    const drain = (draining: boolean) =>
      site.stack.request("POST", "/api/console/drain", { token: ADMIN_TOKEN, body: { draining, reason: HOSTILE } });
    await drain(true);
    await drain(false);
    const page = await openConsole("audit");
    await page.getByText(HOSTILE).first().waitFor();
    expect(await page.locator("main img").count()).to.equal(0);
    expect(site.errors).to.deep.equal([]);
  });

  it("the operator raises the fees of a waiting transaction, and cancels it", async () => {
    const { client, address } = await createAgent(site.stack);
    const { sessionId } = await addEndedSession(site.stack, { wallet: address, slug: "shellrunners", minScore: 1 });
    await site.stack.chain.request("evm_setAutomine", [false]);
    try {
      const asked = client.rewards.snapshotSponsored({ sessionId, sponsor: true });
      const page = await openConsole("transactions");
      const row = page.locator("tbody tr", { hasText: "An agent's call" }).first();
      const readHash = () => row.locator("code").first().getAttribute("title");
      await row.waitFor();
      const hash = await readHash();
      await row.getByRole("button", { name: /^Raise the fees/ }).click();
      await row.getByText("Sent again with higher fees.").waitFor();
      await waitUntil(async () => (await readHash()) !== hash);
      await row.getByRole("button", { name: /^Cancel/ }).click();
      await row.getByText("An empty transfer was sent in its place").waitFor();
      await site.stack.chain.request("evm_mine", []);
      await row.getByText("REPLACED").waitFor();
      await asked;
      expect(await row.getByRole("button").count()).to.equal(0);
      await page.getByRole("link", { name: "Audit", exact: true }).click();
      await page.getByText("tx.cancel").first().waitFor();
      expect(site.errors).to.deep.equal([]);
    } finally {
      await site.stack.chain.request("evm_setAutomine", [true]);
    }
  });

  it("the operator runs the doctor, and reads what is wrong and what to do", async () => {
    const page = await openConsole("findings");
    await page.getByRole("button", { name: "Run the checks" }).click();
    const doctor = page.getByRole("region", { name: "Doctor", exact: true }).first();
    await doctor.getByText("rewards: is open").waitFor();
    await doctor.getByText("OK", { exact: true }).first().waitFor();
    expect(await doctor.getByText("Fault", { exact: true }).count()).to.equal(0);
    await pauseRewards(site);
    await page.getByRole("button", { name: "Run the checks" }).click();
    const fault = page.locator("tr", { hasText: "rewards: is paused" });
    await fault.getByText("Fault", { exact: true }).waitFor();
    await fault.getByText("npm run admin -- chain unpause").waitFor();
    const alarm = page.getByRole("alert").locator("li", { hasText: "pause:" });
    await alarm.locator("p").getByText("npm run admin -- chain unpause").waitFor();
    expect(await alarm.getByRole("link").getAttribute("href")).to.equal("/docs/guides/operating#runbook");
    const tops = [];
    for (const selector of [".alarms", ".figures", "main .table", ".drain"])
      tops.push((await page.locator(selector).first().boundingBox())!.y);
    expect(tops).to.deep.equal(tops.toSorted((one, other) => one - other));
    expect(site.errors).to.deep.equal([]);
  });
});

/** What a guardian does in an emergency. */
async function pauseRewards({ stack }: SiteBrowser): Promise<void> {
  const chain = siteChainOf(stack);
  const account = privateKeyToAccount(developmentServiceAccount(GUARDIAN).privateKey);
  const wallet = createWalletClient({ account, chain, transport: http(stack.chain.rpcUrl) });
  const address = stack.deployment.rewards;
  await wallet.writeContract({ address, abi: parseAbi(["function pause()"]), functionName: "pause" });
}
