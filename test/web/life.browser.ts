/** The whole life of an agent by clicks, with the built-in wallet and with one of the browser. */
import { expect } from "chai";
import type { Page } from "playwright-core";
import { createWalletClient, type Hex, http } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { type SiteBrowser, startSiteBrowser } from "./site-browser.ts";
import { siteChainOf } from "./site-chain.ts";

const STEP_TIMEOUT_MS = 60_000;

describe("a wallet's whole life by clicks", function () {
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

  const findStep = (page: Page, step: string) => page.locator(`[data-step="${step}"]`);
  /** Waits for the outcome of a step; another one than expected is shown with what the page says of it. */
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
    await findStep(page, step).getByRole("button").click();
  }

  async function connectBuiltIn(page: Page): Promise<void> {
    await page.getByRole("button", { name: "Use the development wallet" }).click();
    await findStep(page, "gas").waitFor();
  }

  /** Gas, identity and sign-in. */
  async function becomeAgent(page: Page): Promise<void> {
    await run(page, "gas");
    await waitForStep(page, "gas", "done");
    await run(page, "register");
    const mint = await confirm(page);
    expect(mint).to.contain("AgentIdentity").and.contain("mintIdentityWithSignature").and.contain("Estimated gas");
    expect(mint).to.contain("MintIdentity").and.contain("Valid until");
    await waitForStep(page, "register", "done");
    await run(page, "signIn");
    expect(await confirm(page)).to.contain("wants you to sign in with your Ethereum account");
    await waitForStep(page, "signIn", "done");
  }

  /** The page's agent plays; the score goes on chain, mints the first tier and is paid. */
  async function playToPayout(page: Page): Promise<void> {
    await run(page, "play");
    await page.locator(".life-run canvas").waitFor();
    await site.shoot(page, "account-playing-1280-dark");
    expect(await confirm(page)).to.contain("AgentArcadeReplay");
    await waitForStep(page, "play", "done");
    await run(page, "snapshot");
    const snapshot = await confirm(page);
    expect(snapshot).to.contain("RewardsV2").and.contain("snapshotScoreSigned").and.contain("flappybots");
    await waitForStep(page, "snapshot", "done");
    await run(page, "mint");
    expect(await confirm(page))
      .to.contain("GameNFT of flappybots")
      .and.contain("mintSigned");
    await waitForStep(page, "mint", "done");
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
    expect(await confirm(page)).to.contain("Seller gives");
    await page.getByRole("cell", { name: "for sale" }).waitFor();

    const buyer = await site.open("/account");
    await connectBuiltIn(buyer);
    await run(buyer, "gas");
    await waitForStep(buyer, "gas", "done");
    await buyer.getByRole("link", { name: "Market" }).first().click();
    await buyer.getByRole("button", { name: /^Buy/ }).click();
    const purchase = await confirm(buyer);
    expect(purchase).to.contain("Seaport").and.contain("fulfillOrder").and.contain("0.05 ETH");
    await buyer.getByText("Nothing is for sale now").waitFor();

    await page.goto(`${site.stack.httpUrl}/vote`);
    await page.getByRole("button", { name: "Vote as an agent: Tidepool" }).click();
    expect(await confirm(page)).to.contain("demo-tidepool");
    await page.getByText("Your ballot is counted").waitFor();
    await page.locator(".candidates", { hasText: "1 of agents" }).first().waitFor();
    expect(site.errors).to.deep.equal([]);
  });

  it("says no in the dialog: nothing is sent, and the step says what to do", async () => {
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

  it("with a wallet of the browser (EIP-6963): from sign-in to payout", async () => {
    const page = await site.open("/account");
    await announceWallet(page, site);
    await page.getByRole("button", { name: "Connect <b>Test</b>" }).click();
    await findStep(page, "gas").waitFor();
    await becomeAgent(page);
    await page.getByLabel("Flappybots", { exact: true }).check();
    await playToPayout(page);
    expect(site.errors).to.deep.equal([]);
  });
});

/** A wallet that signs with a key of the test, over the chain's own node. */
async function announceWallet(page: Page, { stack }: SiteBrowser): Promise<void> {
  const account = privateKeyToAccount(generatePrivateKey());
  const chain = siteChainOf(stack);
  const wallet = createWalletClient({ account, chain, transport: http(stack.chain.rpcUrl) });
  await page.exposeFunction("walletRequest", async (method: string, params: readonly unknown[]) => {
    switch (method) {
      case "eth_requestAccounts":
      case "eth_accounts":
        return [account.address];
      case "eth_chainId":
        return `0x${stack.deployment.chainId.toString(16)}`;
      case "personal_sign":
        return account.signMessage({ message: { raw: params[0] as Hex } });
      case "eth_signTypedData_v4":
        return account.signTypedData(JSON.parse(params[1] as string));
      case "eth_sendTransaction": {
        const { to, data, value } = params[0] as { to: Hex; data: Hex; value?: Hex };
        return wallet.sendTransaction({ to, data, value: BigInt(value ?? "0x0") });
      }
      default:
        return stack.chain.request(method, [...params]);
    }
  });
  await page.evaluate(() => {
    const { walletRequest } = window as unknown as {
      walletRequest(method: string, params: readonly unknown[]): Promise<unknown>;
    };
    const provider = {
      request: ({ method, params }: { method: string; params?: unknown[] }) => walletRequest(method, params ?? []),
    };
    const detail = { info: { uuid: "1", name: "<b>Test</b>", icon: "", rdns: "test" }, provider };
    dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  });
}
