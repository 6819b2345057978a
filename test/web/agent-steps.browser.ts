/** All steps of an agent by clicks, with the built-in wallet. */
import { expect } from "chai";
import { createPublicClient, http } from "viem";
import { addEndedSession } from "../../testing/ended-session.ts";
import { useSiteBrowser } from "./site-browser.ts";
import { siteChainOf } from "./site-chain.ts";
import { createAgentSteps } from "./support/agent-steps.ts";
import { translateTexts } from "./support/translate-texts.ts";

/** A score for which the reference bot plays well over 10 s. */
const LONG_RUN_SCORE = 300;

describe("all steps of a wallet by clicks", () => {
  const site = useSiteBrowser();
  const { findStep, waitForStep, confirm, run, readAddress, connectBuiltIn, becomeAgent, playToPayout } =
    createAgentSteps(site);

  it("with the built-in wallet: gas, identity, play, snapshot, mint, payout, list, bought by another, vote", async () => {
    const page = await site.open("/account", { colorScheme: "dark" });
    await site.shoot(page, "account-connect-1280-dark");
    await connectBuiltIn(page);
    await becomeAgent(page);
    await page.getByLabel("Flappybots", { exact: true }).check();
    await playToPayout(page);
    const history = page.getByRole("region", { name: "History" });
    await history.locator("tbody tr").waitFor();
    await site.shoot(page, "account-paid-1280-dark");

    const card = page.locator(".token-card", { hasText: "Flappybots NFT" });
    await card.getByLabel("Price in ETH").fill("0.05");
    await card.getByRole("button", { name: /List for sale/ }).click();
    expect(await confirm(page)).to.contain("setApprovalForAll");
    expect(await confirm(page))
      .to.match(/You sell .* #\d+ for 0\.05 ETH until /)
      .and.contain("Seller gives");
    await page.getByRole("cell", { name: "for sale" }).waitFor();

    const buyer = await site.open("/account");
    await connectBuiltIn(buyer);
    await run(buyer, "gas");
    await waitForStep(buyer, "gas", "done");
    await buyer.getByRole("link", { name: "Market" }).first().click();
    await buyer.getByRole("button", { name: /^Buy/ }).click();
    const purchase = await confirm(buyer);
    expect(purchase)
      .to.contain("Buy a listed token")
      .and.contain("Seaport")
      .and.contain("fulfillOrder")
      .and.contain("0.05 ETH");
    await buyer.getByText("Nothing is for sale now").waitFor();
    await buyer.getByText(/^You bought .* #\d+\. Transaction:/).waitFor();

    // A vote needs a run of 10 s. On a busy machine the page's may have been shorter.
    await addEndedSession(site.stack, { wallet: await readAddress(page), minScore: LONG_RUN_SCORE });
    await page.goto(`${site.stack.httpUrl}/vote`);
    await page.getByRole("button", { name: "Vote as an agent: Tidepool" }).click();
    expect(await confirm(page)).to.contain("demo-tidepool");
    await page.getByText("Your ballot is counted").waitFor();
    await page.locator(".candidates", { hasText: "1 by agents" }).first().waitFor();
    expect(site.errors).to.deep.equal([]);
  });

  it("puts the scores of several runs on chain with one click", async () => {
    const page = await site.open("/account");
    await connectBuiltIn(page);
    await becomeAgent(page);
    const wallet = await readAddress(page);
    const rows = [];
    for (const slug of ["flappybots", "shellrunners"])
      rows.push(await addEndedSession(site.stack, { wallet, slug, minScore: 1 }));
    await run(page, "snapshot");
    expect(await confirm(page))
      .to.contain("Add the scores of several sessions to the scorebank")
      .and.contain("snapshotScoresSigned");
    await waitForStep(page, "snapshot", "done");
    const points = rows.reduce((sum, { score }) => sum + score, 0);
    expect(await findStep(page, "snapshot").textContent()).to.contain(`${points} points are on chain.`);
    expect(site.errors).to.deep.equal([]);
  });

  it("with a rejection in the dialog: nothing is sent, the step reports what to do and keeps the focus", async () => {
    const page = await site.open("/account");
    await connectBuiltIn(page);
    await run(page, "gas");
    await waitForStep(page, "gas", "done");
    await run(page, "register");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await waitForStep(page, "register", "failed");
    expect(await findStep(page, "register").textContent()).to.contain("nothing was sent");
    await findStep(page, "register").locator("button:focus").waitFor();
    expect(site.errors).to.deep.equal([]);
  });

  it("with the browser's Back button in the dialog: the request is rejected, and the page starts it again", async () => {
    const page = await site.open("/docs");
    await page.locator('header a[href="/account"]').click();
    await connectBuiltIn(page);
    await run(page, "gas");
    await waitForStep(page, "gas", "done");
    await run(page, "register");
    await page.getByRole("dialog").waitFor();
    await page.goBack();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await page.goForward();
    await run(page, "register");
    await confirm(page);
    await waitForStep(page, "register", "done");
    expect(site.errors).to.deep.equal([]);
  });

  it("with a double click: the next request is not confirmed unread", async () => {
    const page = await site.open("/account");
    await connectBuiltIn(page);
    await findStep(page, "gas").getByRole("button", { name: "Let the service pay" }).click();
    await waitForStep(page, "gas", "done");
    await run(page, "register");
    await confirm(page);
    const next = page.getByRole("dialog").filter({ hasText: "Agree that anyone may mint" });
    await next.getByRole("button", { name: /^Sign/ }).hover();
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    await next.getByRole("button", { name: "Cancel" }).click();
    await waitForStep(page, "register", "failed");
    expect(site.errors).to.deep.equal([]);
  });

  it("on a page that the browser translates: the status of a step is the current one", async () => {
    const page = await site.open("/account");
    await connectBuiltIn(page);
    await page.evaluate(translateTexts);
    await findStep(page, "gas").getByText("¡To do").waitFor();
    await findStep(page, "gas").getByRole("button", { name: "Let the service pay" }).click();
    await waitForStep(page, "gas", "done");
    await findStep(page, "gas").getByText("¡Done").waitFor();
    expect(site.errors).to.deep.equal([]);
  });

  it("with a wallet without ether: the service pays from the identity to the payout", async () => {
    const page = await site.open("/account");
    await connectBuiltIn(page);
    await findStep(page, "gas").getByRole("button", { name: "Let the service pay" }).click();
    await waitForStep(page, "gas", "done");
    expect(await findStep(page, "gas").locator("button:focus").count()).to.equal(1);
    await run(page, "register");
    expect(await confirm(page)).to.contain("wants you to sign in");
    expect(await confirm(page))
      .to.contain("Agree that anyone may mint your agent identity for you")
      .and.contain("ConsentToMint");
    await waitForStep(page, "register", "done");
    await waitForStep(page, "signIn", "done");
    await page.getByLabel("Flappybots", { exact: true }).check();
    await playToPayout(page, async () => {
      for (const step of ["snapshot", "mint"]) {
        await run(page, step);
        await waitForStep(page, step, "done");
      }
    });
    const address = await readAddress(page);
    const chain = createPublicClient({ chain: siteChainOf(site.stack), transport: http(site.stack.chain.rpcUrl) });
    expect(await chain.getBalance({ address })).to.equal(0n);
    expect(await chain.getTransactionCount({ address })).to.equal(0);
    expect(site.errors).to.deep.equal([]);
  });
});
