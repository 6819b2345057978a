/** A wallet that signs whatever a page asks for. */
import type { Page } from "playwright-core";
import type { Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

export async function signInAsWallet(page: Page): Promise<void> {
  const account = privateKeyToAccount(generatePrivateKey());
  await page.exposeFunction("signAsWallet", (raw: Hex) => account.signMessage({ message: { raw } }));
  await page.evaluate((address) => {
    const { signAsWallet } = window as unknown as { signAsWallet(raw: unknown): Promise<string> };
    const provider = {
      request: async ({ method, params }: { method: string; params?: unknown[] }) =>
        method === "eth_requestAccounts" ? [address] : signAsWallet(params?.[0]),
    };
    const detail = { info: { uuid: "1", name: "<b>Test</b>", icon: "", rdns: "test" }, provider };
    dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  }, account.address);
  await page.getByRole("button", { name: "Sign in with <b>Test</b>" }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
}
