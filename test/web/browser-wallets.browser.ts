/** The account page with browser wallets, and what it keeps and shows of any wallet. */
import { expect } from "chai";
import { generatePrivateKey } from "viem/accounts";
import { useSiteBrowser } from "./site-browser.ts";
import { createAgentSteps } from "./support/agent-steps.ts";
import { WALLET_NAME } from "./support/sign-in.ts";

describe("wallets on the account page", () => {
  const site = useSiteBrowser();
  const steps = createAgentSteps(site);
  const { findStep, waitForStep, confirm, run, readAddress, connectBuiltIn, announce, connectAnnounced } = steps;
  const { becomeAgent, sendAsOne, playToPayout } = steps;

  it("with a browser wallet (EIP-6963): from sign-in to payout", async () => {
    const page = await site.open("/account");
    const wallet = await connectAnnounced(page);
    await becomeAgent(page);
    await page.getByLabel("Flappybots", { exact: true }).check();
    await playToPayout(page);
    const requests = wallet.requests.map(({ method }) => method);
    expect(requests).to.include("wallet_getCapabilities").and.not.include("wallet_sendCalls");
    expect(site.errors).to.deep.equal([]);
  });

  it("with a browser wallet that sends several calls as one (EIP-5792): snapshot and NFT in one request", async () => {
    const page = await site.open("/account");
    const { requests } = await connectAnnounced(page, true);
    await becomeAgent(page);
    await page.getByLabel("Flappybots", { exact: true }).check();
    await playToPayout(page, sendAsOne);
    const batches = requests.filter(({ method }) => method === "wallet_sendCalls");
    expect(batches).to.have.length(1);
    expect(batches[0]!.params[0]).to.include({ atomicRequired: true });
    // Only the identity's mint.
    expect(requests.filter(({ method }) => method === "eth_sendTransaction")).to.have.length(1);
    expect(site.errors).to.deep.equal([]);
  });

  it("follows a browser wallet: a rejection, another account, another chain", async () => {
    const page = await site.open("/account");
    const wallet = await connectAnnounced(page);
    await run(page, "gas");
    await waitForStep(page, "gas", "done");
    await page.route("**/auth/nonce", async (route) => {
      wallet.reject();
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
      await route.continue();
    });
    await page.getByRole("button", { name: `Sign in with ${WALLET_NAME}` }).press("Enter");
    await page.locator(".sign-in-error:not(:empty)").waitFor();
    expect(await page.locator("header button:focus").count()).to.equal(1);
    await run(page, "register");
    await confirm(page);
    await waitForStep(page, "register", "failed");
    expect(wallet.requests.at(-1)).to.include({ method: "eth_sendTransaction" });
    wallet.approve();
    const connect = page.getByRole("button", { name: `Connect ${WALLET_NAME}` });
    const key = generatePrivateKey();
    await wallet.switchAccount(key);
    await connect.click();
    await findStep(page, "gas").waitFor();
    // The same account and chain are not a change.
    await wallet.switchAccount(key);
    await wallet.switchChain(site.stack.deployment.chainId);
    expect(await findStep(page, "gas").count()).to.equal(1);
    await run(page, "gas");
    await waitForStep(page, "gas", "done");
    await run(page, "register");
    const dialog = page.getByRole("dialog");
    await dialog.waitFor();
    await wallet.switchChain(1);
    await connect.waitFor();
    await dialog.waitFor({ state: "detached" });
    expect(wallet.requests.at(-1)).to.not.include({ method: "eth_sendTransaction" });
    expect(site.errors).to.deep.equal([]);
  });

  it("keeps a connected wallet across a reload before any sign-in, until it is disconnected", async () => {
    for (const choice of ["Use the development wallet", "Connect <b>Test</b>"]) {
      const page = await site.open("/account");
      await announce(page);
      await page.getByRole("button", { name: choice }).click();
      await findStep(page, "gas").waitFor();
      const own = await readAddress(page);
      await page.reload();
      await findStep(page, "gas").waitFor();
      expect(await readAddress(page)).to.equal(own);
      await page.getByRole("button", { name: "Disconnect" }).click();
      await page.reload();
      await page.getByRole("button", { name: choice }).waitFor();
      expect(await findStep(page, "gas").count()).to.equal(0);
    }
    expect(site.errors).to.deep.equal([]);
  });

  it("shows full addresses in signing requests on a phone", async () => {
    const page = await site.open("/account", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    await connectBuiltIn(page);
    await run(page, "gas");
    await waitForStep(page, "gas", "done");
    await run(page, "register");
    const own = await readAddress(page);
    const { identity } = site.stack.deployment;
    const dialog = page.getByRole("dialog");
    for (const full of [own, identity]) {
      const text = dialog.locator(".full-text", { hasText: full }).first();
      expect(await text.locator("code").isVisible()).to.equal(false);
      await text.locator("summary").tap();
      await text.getByText(full, { exact: true }).waitFor();
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.equal(390);
    await dialog.getByRole("button", { name: "Cancel" }).click();
  });
});
