/** Connects the built-in wallet or one of the browser, with one interface. Loaded when a wallet is connected. */
import { createWalletClient, custom, http, type WalletClient } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { Address } from "../../client/api.ts";
import { type ArcadeWallet, fromViem } from "../../client/wallet.ts";
import { type Account, account, disconnectAccount, readConnected, setAccount } from "./account.ts";
import { offersBatches, sendBatch } from "./batched-calls.ts";
import { createChainReader, type SiteChain, siteChain } from "./chain.ts";
import { withConfirmation } from "./confirm.ts";
import { findDevelopmentKey, makeDevelopmentKey } from "./development-key.ts";
import { client } from "./service.ts";
import { type Eip1193Provider, signedInAddress, type Wallet, wallets } from "./wallets.ts";

function createAccount(
  parts: Pick<Account, "kind" | "name" | "publicClient" | "chain" | "walletClient"> & { readonly address: Address },
  more: Pick<ArcadeWallet, "sendCalls"> = {},
): Account {
  const { walletClient, publicClient, chain } = parts;
  const wallet = withConfirmation({ ...fromViem(walletClient, publicClient), ...more }, { chain, publicClient });
  return { ...parts, wallet, client: { ...client, wallet, getContracts: async () => chain.contracts } };
}

/** The account of the built-in development wallet. Throws on every chain but the local one. */
export function connectDevelopmentWallet(): Account {
  const chain = siteChain;
  if (!chain.isLocal) throw new Error("The built-in wallet is for the local chain only.");
  const signer = privateKeyToAccount(findDevelopmentKey() ?? makeDevelopmentKey());
  const publicClient = createChainReader(chain, null);
  const walletClient = createWalletClient({ account: signer, chain: chain.viemChain, transport: http(chain.rpcUrl!) });
  const { address } = signer;
  return createAccount({ kind: "development", name: "", address, publicClient, chain, walletClient });
}

/** Asks the wallet to switch to the service's chain, and adds the chain if the wallet does not know it. */
async function switchChain(walletClient: WalletClient, chain: SiteChain): Promise<void> {
  if ((await walletClient.getChainId()) === chain.chainId) return;
  try {
    await walletClient.switchChain({ id: chain.chainId });
  } catch (error) {
    if (chain.rpcUrl === null) throw error;
    await walletClient.addChain({ chain: chain.viemChain });
  }
}

/** The account of a browser wallet, on the service's chain. `silently`: without a prompt. */
export async function connectBrowserWallet(wallet: Wallet, silently = false): Promise<Account | null> {
  const chain = siteChain;
  const { provider, name } = wallet;
  const method = silently ? "eth_accounts" : "eth_requestAccounts";
  const [address] = (await provider.request({ method })) as readonly Address[];
  if (address === undefined) {
    if (silently) return null;
    throw new Error("The wallet shows no account.");
  }
  const transport = custom(provider as Parameters<typeof custom>[0]);
  const walletClient = createWalletClient({ account: address, chain: chain.viemChain, transport });
  if (!silently) await switchChain(walletClient, chain);
  const publicClient = createChainReader(chain, provider satisfies Eip1193Provider);
  const batches = { provider, address, chainId: chain.chainId, pollMs: publicClient.pollingInterval };
  const more: Pick<ArcadeWallet, "sendCalls"> = (await offersBatches(batches))
    ? { sendCalls: (calls) => sendBatch(batches, calls) }
    : {};
  followChanges(wallet);
  return createAccount({ kind: "browser", name, address, publicClient, chain, walletClient }, more);
}

const followed = new WeakSet<Eip1193Provider>();

/** When the user changes the account or chain in the wallet, the page forgets the old account and signs it out. */
function followChanges({ provider }: Wallet): void {
  if (followed.has(provider)) return;
  followed.add(provider);
  provider.on?.("accountsChanged", (accounts) => {
    const [address] = Array.isArray(accounts) ? (accounts as readonly string[]) : [];
    const current = account.value;
    if (current?.kind === "browser" && address?.toLowerCase() !== current.address.toLowerCase()) disconnectAccount();
  });
  provider.on?.("chainChanged", (chainId) => {
    if (account.value?.kind === "browser" && Number(chainId) !== siteChain.chainId) disconnectAccount();
  });
}

/** Connects, without a prompt, the wallet that this tab has signed in with or had connected. */
export async function reconnectAccount(): Promise<void> {
  if (account.value !== null) return;
  // Read each time: another wallet may sign in while one has a request open.
  const isOwn = (found: Account | null): found is Account =>
    found !== null && found.address.toLowerCase() === (signedInAddress.value ?? readConnected())?.toLowerCase();
  if (findDevelopmentKey() !== null && siteChain.isLocal) {
    const found = connectDevelopmentWallet();
    if (isOwn(found)) setAccount(found);
  }
  for (const wallet of wallets.value) {
    if (account.value !== null) return;
    const found = await connectBrowserWallet(wallet, true).catch(() => null);
    if (isOwn(found)) setAccount(found);
  }
}
