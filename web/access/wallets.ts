/** Wallets of the browser, found by their announcements (EIP-6963), and signing in with one. */
import { type Signal, signal } from "@preact/signals";
import { games } from "../../backend/games/index.ts";
import type { Address, Hex } from "../../client/types.ts";
import { client, forgetAccess, storeAccess } from "./service.ts";

/** EIP-1193. */
interface Provider {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>;
}

export interface Wallet {
  readonly uuid: string;
  readonly name: string;
  readonly provider: Provider;
}

export const wallets: Signal<readonly Wallet[]> = signal([]);

/** Who is signed in, null for nobody. */
export const viewer: Signal<Address | null> = signal(null);

const NAME_LENGTH = 32;

function noteWallet(event: Event): void {
  const { info, provider } =
    (event as CustomEvent<{ info?: Partial<Wallet>; provider?: Partial<Provider> }>).detail ?? {};
  if (typeof info?.uuid !== "string" || typeof info.name !== "string" || typeof provider?.request !== "function")
    return;
  const wallet = { uuid: info.uuid, name: info.name.slice(0, NAME_LENGTH), provider: provider as Provider };
  wallets.value = [...wallets.value.filter(({ uuid }) => uuid !== wallet.uuid), wallet];
}

/** Hears of wallets for as long as the page lives, and takes up the tab's access session. */
export function followWallets(): void {
  viewer.value = client.signIn.credentials()?.walletAddress ?? null;
  addEventListener("eip6963:announceProvider", noteWallet);
  dispatchEvent(new Event("eip6963:requestProvider"));
}

const hexOf = (text: string): Hex =>
  `0x${Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;

/** Signs in with a wallet's first account. Throws what the wallet or the service says. */
export async function signIn({ provider }: Wallet): Promise<void> {
  const accounts = (await provider.request({ method: "eth_requestAccounts" })) as readonly Address[];
  const walletAddress = accounts[0];
  if (walletAddress === undefined) throw new Error("The wallet shows no account.");
  // A token is good for every game, so any game's routes do.
  const { slug } = games[0]!;
  const { message } = await client.auth.nonce({ slug, walletAddress });
  const signature = (await provider.request({
    method: "personal_sign",
    params: [hexOf(message), walletAddress],
  })) as Hex;
  client.signIn.restore(await client.auth.verify({ slug, message, signature }));
  storeAccess();
  viewer.value = walletAddress;
}

export function signOut(): void {
  client.signIn.signOut();
  forgetAccess();
  viewer.value = null;
}
