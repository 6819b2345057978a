/** The available wallets: those of the browser (EIP-6963) and, on the local chain, a built-in one. */
import { type Signal, signal } from "@preact/signals";
import type { Address, Hex } from "viem";
import { games } from "../../games/index.ts";
import { loadScript } from "../load-script.ts";
import { clearAccess, client, openAccess } from "./service.ts";

/** EIP-1193. */
export interface Eip1193Provider {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>;
  /** Absent in wallets that announce no changes. */
  on?(event: "accountsChanged" | "chainChanged", listener: (value: unknown) => void): void;
}

/** An announced wallet (EIP-6963). */
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

/** Listens for wallets as long as the page lives, and restores the tab's access session. */
export function discoverWallets(): void {
  signedInAddress.value = client.signIn.credentials()?.walletAddress ?? null;
  addEventListener("eip6963:announceProvider", addAnnouncedWallet);
  dispatchEvent(new Event("eip6963:requestProvider"));
}

const stringToHex = (text: string): Hex =>
  `0x${Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;

/** Signs the sign-in message. */
export interface SignInSigner {
  readonly address: Address;
  /** The chain that the message must contain; null if the signer sends no transactions. */
  readonly chainId: number | null;
  signMessage(message: string): Promise<Hex>;
}

/** Signs in with this signer. Throws the errors of the wallet or the service. */
export async function signInWith({ address, chainId, signMessage }: SignInSigner): Promise<void> {
  // A token is valid for every game, so any game's routes do.
  const { slug } = games[0]!;
  const { message, nonce } = await client.auth.nonce({ slug, walletAddress: address });
  // Loaded with the first sign-in: it needs viem, which must not be in the first load of a page.
  const { checkSignInRequest } = await loadScript(() => import("../../client/check-sign-in.ts"));
  checkSignInRequest(message, { baseUrl: client.baseUrl, address, chainId, nonce, slug });
  const signature = await signMessage(message);
  openAccess(await client.auth.verify({ slug, message, signature }));
  signedInAddress.value = address;
}

/** Signs in with a wallet's first account. Throws the errors of the wallet or the service. */
export async function signIn({ provider }: Wallet): Promise<void> {
  const accounts = (await provider.request({ method: "eth_requestAccounts" })) as readonly Address[];
  const address = accounts[0];
  if (address === undefined) throw new Error("The wallet shows no account.");
  await signInWith({
    address,
    chainId: null,
    signMessage: async (message) =>
      (await provider.request({ method: "personal_sign", params: [stringToHex(message), address] })) as Hex,
  });
}

export function signOut(): void {
  // The page is signed out at once, even when the service cannot be reached to revoke the tokens.
  void client.signIn.signOut().catch(() => undefined);
  clearAccess();
  signedInAddress.value = null;
}
