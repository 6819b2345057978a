import type { Page } from "playwright-core";
import { announceWallet } from "../../../testing/wallet.ts";
import type { SiteBrowser } from "../site-browser.ts";

/** The name of every test's wallet: markup that a page must show as text. */
export const WALLET_NAME = "<b>Test</b>";

export async function signInAsWallet(page: Page, { stack }: Pick<SiteBrowser, "stack">): Promise<void> {
  await announceWallet(page, { rpcUrl: stack.chain.rpcUrl, name: WALLET_NAME });
  await page.getByRole("button", { name: `Sign in with ${WALLET_NAME}` }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
}
