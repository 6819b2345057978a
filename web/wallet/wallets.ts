/** Wallets of the browser, found by their announcements (EIP-6963), and signing in with one. */
import { type Signal, signal } from "@preact/signals";
import type { Address, Hex } from "viem";
import { games } from "../../backend/games/index.ts";
import { checkSignInRequest } from "../../client/check-sign-in.ts";
import { clearAccess, client, saveAccess } from "./service.ts";

/** EIP-1193. */
interface Eip1193Provider {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>;
}

export interface Wallet {
  readonly uuid: string;
  readonly name: string;
  readonly provider: Eip1193Provider;
}

export const wallets: Signal<readonly Wallet[]> = signal([]);

/** The wallet that is signed in, or null. */
export const signedInAddress: Signal<Address | null> = signal(null);

const NAME_LENGTH_MAX = 32;

function addAnnouncedWallet(event: Event): void {
  const { info, provider } =
    (event as CustomEvent<{ info?: Partial<Wallet>; provider?: Partial<Eip1193Provider> }>).detail ?? {};
  if (typeof info?.uuid !== "string" || typeof info.name !== "string" || typeof provider?.request !== "function")
    return;
  const wallet = { uuid: info.uuid, name: info.name.slice(0, NAME_LENGTH_MAX), provider: provider as Eip1193Provider };
  wallets.value = [...wallets.value.filter(({ uuid }) => uuid !== wallet.uuid), wallet];
}

/** Hears of wallets for as long as the page lives, and takes up the tab's access session. */
export function discoverWallets(): void {
  signedInAddress.value = client.signIn.credentials()?.walletAddress ?? null;
  addEventListener("eip6963:announceProvider", addAnnouncedWallet);
  dispatchEvent(new Event("eip6963:requestProvider"));
}

const stringToHex = (text: string): Hex =>
  `0x${Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;

/** Signs in with a wallet's first account. Throws what the wallet or the service says. */
export async function signIn({ provider }: Wallet): Promise<void> {
  const accounts = (await provider.request({ method: "eth_requestAccounts" })) as readonly Address[];
  const walletAddress = accounts[0];
  if (walletAddress === undefined) throw new Error("The wallet shows no account.");
  // A token is good for every game, so any game's routes do.
  const { slug } = games[0]!;
  const { message, nonce } = await client.auth.nonce({ slug, walletAddress });
  // A wallet signs in from any chain: it sends nothing.
  checkSignInRequest(message, { baseUrl: client.baseUrl, address: walletAddress, chainId: null, nonce, slug });
  const signature = (await provider.request({
    method: "personal_sign",
    params: [stringToHex(message), walletAddress],
  })) as Hex;
  client.signIn.restore(await client.auth.verify({ slug, message, signature }));
  saveAccess();
  signedInAddress.value = walletAddress;
}

export function signOut(): void {
  // The page is signed out at once, even where the service cannot be reached to revoke the tokens.
  void client.signIn.signOut().catch(() => undefined);
  clearAccess();
  signedInAddress.value = null;
}
