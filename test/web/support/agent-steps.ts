/** The steps of an agent on the account page, each with clicks and the expected dialog. */
import { expect } from "chai";
import type { Page } from "playwright-core";
import type { Hex } from "viem";
import { announceWallet, type ScriptedWallet } from "../../../testing/wallet.ts";
import { NoPointsError, untilPoints } from "../../helpers/until-points.ts";
import type { useSiteBrowser } from "../site-browser.ts";
import { WALLET_NAME } from "./sign-in.ts";

const STEP_TIMEOUT_MS = 60_000;

export function createAgentSteps(site: ReturnType<typeof useSiteBrowser>) {
  const findStep = (page: Page, step: string) => page.locator(`[data-step="${step}"]`);
  /** Waits for the outcome of a step. An unexpected one is reported with the page's text. */
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
    const shown = await dialog.elementHandle();
    await dialog.getByRole("button", { name: /^Sign/ }).click();
    // The next request may open another dialog at once.
    await shown!.waitForElementState("hidden");
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

  /** Puts a run's score on chain, mints the first tier and gets the payout. */
  async function playToPayout(page: Page, snapshotAndMint = sendBoth): Promise<void> {
    await playForPoints(page);
    await snapshotAndMint(page);
    await run(page, "payout");
    await waitForStep(page, "payout", "done");
    expect(await findStep(page, "payout").textContent()).to.match(/[\d.]+ ARCD received for \d+ points/);
  }

  return {
    ...{ findStep, waitForStep, confirm, run, readAddress, connectBuiltIn, announce, connectAnnounced },
    ...{ becomeAgent, sendAsOne, playToPayout },
  };
}
