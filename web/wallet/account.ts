/** The connected account. `connect.ts` connects it and imports viem. */
import { type Signal, signal } from "@preact/signals";
import type { PublicClient, WalletClient } from "viem";
import type { Address } from "../../client/api.ts";
import type { ArcadeClient } from "../../client/client.ts";
import type { ArcadeWallet } from "../../client/wallet.ts";
import type { SiteChain } from "./chain.ts";
import { pendingRequest } from "./signing-requests.ts";
import { isSponsored } from "./sponsorship.ts";
import { signedInAddress, signInWith, signOut } from "./wallets.ts";

export interface Account {
  /** `development`: the built-in one; `browser`: one of EIP-6963. */
  readonly kind: "development" | "browser";
  /** The wallet's own name; user text. */
  readonly name: string;
  readonly address: Address;
  /** Shows each signature and transaction first and asks the user to confirm it. */
  readonly wallet: ArcadeWallet;
  /** Sends a transaction that does not call our contracts, such as a purchase. Shows it first too. */
  readonly walletClient: WalletClient;
  readonly publicClient: PublicClient;
  readonly chain: SiteChain;
  /** The service's client, bound to this wallet and to the contracts of the chain. */
  readonly client: ArcadeClient;
}

/** The connected account; null before the user has chosen a wallet. */
export const account: Signal<Account | null> = signal(null);

const STORAGE_KEY = "agent-arcade.connected";

/** The address that this tab had connected before a reload; null if there is none. */
export function readConnected(): string | null {
  try {
    return sessionStorage.getItem(STORAGE_KEY);
  } catch {
    return null;
  }
}

/** Sets the account, and keeps its address for the tab's next load. Rejects what another account was about to sign. */
export function setAccount(next: Account | null): void {
  if (next?.address !== account.value?.address) pendingRequest.value?.answer(false);
  account.value = next;
  try {
    if (next === null) sessionStorage.removeItem(STORAGE_KEY);
    else sessionStorage.setItem(STORAGE_KEY, next.address);
  } catch {
    // Storage may be blocked. The connection then ends with the page.
  }
}

/** Whether another wallet is signed in, which owns the tab's token. */
const isOtherSignedIn = ({ address }: Pick<Account, "address">): boolean =>
  signedInAddress.value !== null && signedInAddress.value.toLowerCase() !== address.toLowerCase();

/** Connects the wallet that the user has chosen. Signs out any other wallet. */
export function connectAccount(chosen: Account | null): void {
  if (chosen !== null && isOtherSignedIn(chosen)) signOut();
  setAccount(chosen);
}

/** After a sign-in: forgets the account of another wallet. */
export function forgetOtherAccount(): void {
  if (account.value !== null && isOtherSignedIn(account.value)) setAccount(null);
}

/** Signs the connected account in; the message is shown first. Throws the errors of the wallet or the service. */
export function signInAccount({ address, chain, wallet }: Account): Promise<void> {
  return signInWith({ address, chainId: chain.chainId, signMessage: (message) => wallet.signMessage(message) });
}

/** Forgets the account and signs out. */
export function disconnectAccount(): void {
  setAccount(null);
  isSponsored.value = false;
  signOut();
}
