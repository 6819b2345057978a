/** All steps of an agent by clicks, with the built-in wallet and with one of the browser. */
import { expect } from "chai";
import type { Page } from "playwright-core";
import { createPublicClient, type Hex, http } from "viem";
import { generatePrivateKey } from "viem/accounts";
import { addEndedSession } from "../../testing/ended-session.ts";
import { announceWallet, type ScriptedWallet } from "../../testing/wallet.ts";
import { NoPointsError, untilPoints } from "../helpers/until-points.ts";
import { useSiteBrowser } from "./site-browser.ts";
import { siteChainOf } from "./site-chain.ts";
import { WALLET_NAME } from "./support/sign-in.ts";

const STEP_TIMEOUT_MS = 60_000;
/** A score for which the reference bot plays well over 10 s. */
const LONG_RUN_SCORE = 300;

describe("all steps of a wallet by clicks", function () {
  this.timeout(300_000);
  const site = useSiteBrowser();

  const findStep = (page: Page, step: string) => page.locator(`[data-step="${step}"]`);
  /** Waits for the outcome of a step; another one than expected is shown with the page's text for it. */
  async function waitForStep(page: Page, step: string, status: "done" | "nothing" | "failed"): Promise<void> {
    const over = ["done", "nothing", "failed"].map((end) => `[data-step="${step}"][data-status="${end}"]`).join(", ");
    await page.locator(over).waitFor({ timeout: STEP_TIMEOUT_MS });
    const found = findStep(page, step);
    expect(await found.getAttribute("data-status"), (await found.textContent()) ?? "").to.equal(status);
  }

  /** Reads the open dialog and agrees. */
  async function confirm(page: Page): Promise<string> {
    const dialog = page.getByRole("dialog");
    await dialog.waitFor({ timeout: STEP_TIMEOUT_MS });
    const text = (await dialog.textContent()) ?? "";
    await dialog.getByRole("button", { name: /^Sign/ }).click();
    await dialog.waitFor({ state: "detached" });
    return text;
  }

  async function run(page: Page, step: string): Promise<void> {
    await findStep(page, step).getByRole("button").first().click();
  }

  const readAddress = async (page: Page): Promise<Hex> =>
    (await page.locator(".account-bar [title]").first().getAttribute("title")) as Hex;

  async function connectBuiltIn(page: Page): Promise<void> {
    await page.getByRole("button", { name: "Use the development wallet" }).click();
    await findStep(page, "gas").waitFor();
  }

  const announce = (page: Page, offersBatches = false): Promise<ScriptedWallet> =>
    announceWallet(page, { rpcUrl: site.stack.chain.rpcUrl, name: WALLET_NAME, offersBatches });

  async function connectAnnounced(page: Page, offersBatches = false): Promise<ScriptedWallet> {
    const wallet = await announce(page, offersBatches);
    await page.getByRole("button", { name: `Connect ${WALLET_NAME}` }).click();
    await findStep(page, "gas").waitFor();
    return wallet;
  }

  /** Gas, identity and sign-in. */
  async function becomeAgent(page: Page): Promise<void> {
    await run(page, "gas");
    await waitForStep(page, "gas", "done");
    await run(page, "register");
    const mint = await confirm(page);
    expect(mint)
      .to.contain("Mint your agent identity")
      .and.contain("AgentIdentity")
      .and.contain("mintIdentityWithSignature")
      .and.contain("Estimated gas");
    expect(mint).to.contain("MintIdentity").and.contain("Valid until");
    await waitForStep(page, "register", "done");
    await run(page, "signIn");
    expect(await confirm(page)).to.contain("wants you to sign in with your Ethereum account");
    await waitForStep(page, "signIn", "done");
  }

  /** Two transactions. */
  async function sendBoth(page: Page): Promise<void> {
    await run(page, "snapshot");
    const snapshot = await confirm(page);
    expect(snapshot)
      .to.contain("Add the score of a session to the scorebank")
      .and.contain("RewardsV2")
      .and.contain("snapshotScoreSigned")
      .and.contain("flappybots");
    expect(snapshot).to.not.contain("mintSigned");
    await waitForStep(page, "snapshot", "done");
    await run(page, "mint");
    expect(await confirm(page))
      .to.contain("GameNFT of flappybots")
      .and.contain("mintSigned");
    await waitForStep(page, "mint", "done");
  }

  /** One request of a wallet that can send several calls as one. */
  async function sendAsOne(page: Page): Promise<void> {
    await run(page, "snapshot");
    const both = await confirm(page);
    expect(both)
      .to.contain("Call 1 of 2: Add the score of a session to the scorebank")
      .and.contain("snapshotScoreSigned");
    expect(both).to.contain("Call 2 of 2").and.contain("mintSigned");
    await waitForStep(page, "snapshot", "done");
    await waitForStep(page, "mint", "done");
  }

  /** The page's agent plays until a run has points. */
  const playForPoints = (page: Page): Promise<void> =>
    untilPoints(async () => {
      await run(page, "play");
      await page.locator(".agent-run canvas").waitFor();
      await site.shoot(page, "account-playing-1280-dark");
      expect(await confirm(page)).to.contain("AgentArcadeReplay");
      await waitForStep(page, "play", "done");
      const text = (await findStep(page, "play").textContent()) ?? "";
      if (/\b0 points\./.test(text)) throw new NoPointsError(text);
    });

  /** The score of a run goes on chain, mints the first tier and is paid. */
  async function playToPayout(page: Page, snapshotAndMint = sendBoth): Promise<void> {
    await playForPoints(page);
    await snapshotAndMint(page);
    await run(page, "payout");
    await waitForStep(page, "payout", "done");
    expect(await findStep(page, "payout").textContent()).to.match(/[\d.]+ ARCD received for \d+ points/);
  }

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

    // A vote needs a run of 10 s; on a busy machine the page's own may have been shorter.
    await addEndedSession(site.stack, { wallet: await readAddress(page), minScore: LONG_RUN_SCORE });
    await page.goto(`${site.stack.httpUrl}/vote`);
    await page.getByRole("button", { name: "Vote as an agent: Tidepool" }).click();
    expect(await confirm(page)).to.contain("demo-tidepool");
    await page.getByText("Your ballot is counted").waitFor();
    await page.locator(".candidates", { hasText: "1 by agents" }).first().waitFor();
    expect(site.errors).to.deep.equal([]);
  });

  it("brings the scores of several runs on chain by one click", async () => {
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

  it("rejects in the dialog: nothing is sent, and the step reports what to do", async () => {
    const page = await site.open("/account");
    await connectBuiltIn(page);
    await run(page, "gas");
    await waitForStep(page, "gas", "done");
    await run(page, "register");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await waitForStep(page, "register", "failed");
    expect(await findStep(page, "register").textContent()).to.contain("nothing was sent");
    expect(site.errors).to.deep.equal([]);
  });

  it("with a wallet that holds no ether: the service pays from the identity to the payout", async () => {
    const page = await site.open("/account");
    await connectBuiltIn(page);
    await findStep(page, "gas").getByRole("button", { name: "Let the service pay" }).click();
    await waitForStep(page, "gas", "done");
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

  it("with a wallet of the browser that sends several calls as one (EIP-5792): snapshot and NFT in one request", async () => {
    const page = await site.open("/account");
    const { requests } = await connectAnnounced(page, true);
    await becomeAgent(page);
    await page.getByLabel("Flappybots", { exact: true }).check();
    await playToPayout(page, sendAsOne);
    const batches = requests.filter(({ method }) => method === "wallet_sendCalls");
    expect(batches).to.have.length(1);
    expect(batches[0]!.params[0]).to.include({ atomicRequired: true });
    // The identity's mint only.
    expect(requests.filter(({ method }) => method === "eth_sendTransaction")).to.have.length(1);
    expect(site.errors).to.deep.equal([]);
  });

  it("follows a wallet of the browser: a refusal, another account, another chain", async () => {
    const page = await site.open("/account");
    const wallet = await connectAnnounced(page);
    await run(page, "gas");
    await waitForStep(page, "gas", "done");
    wallet.reject();
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
    // The same account and chain are no change.
    await wallet.switchAccount(key);
    await wallet.switchChain(site.stack.deployment.chainId);
    expect(await findStep(page, "gas").count()).to.equal(1);
    await wallet.switchChain(1);
    await connect.waitFor();
    expect(site.errors).to.deep.equal([]);
  });

  it("keeps a connected wallet over a reload before any sign-in, until it is disconnected", async () => {
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

  it("shows addresses in full on a phone, in what is signed", async () => {
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

  it("with a wallet of the browser (EIP-6963): from sign-in to payout", async () => {
    const page = await site.open("/account");
    const wallet = await connectAnnounced(page);
    await becomeAgent(page);
    await page.getByLabel("Flappybots", { exact: true }).check();
    await playToPayout(page);
    const requests = wallet.requests.map(({ method }) => method);
    expect(requests).to.include("wallet_getCapabilities").and.not.include("wallet_sendCalls");
    expect(site.errors).to.deep.equal([]);
  });
});
