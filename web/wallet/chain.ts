/** The chain of the service: its contracts by name, and reads over the configured node or the wallet's own. */

import { type Chain, createPublicClient, custom, defineChain, http, type PublicClient } from "viem";
import type { Address } from "../../client/api.ts";
import { type ArcadeContracts, toContracts } from "../../client/contracts.ts";
import { isLocalChain } from "../../domain/chain-ids.ts";
import type { SiteConfig } from "../../domain/site.ts";
import { findContractName } from "../../domain/typed-data/contract-names.ts";
import { siteConfig } from "../site-config.ts";
import type { Eip1193Provider } from "./wallets.ts";

const RPC_TIMEOUT_MS = 15_000;
/** The local chain mines a block with each transaction; other chains take a second or more. */
const POLL_MS = { local: 100, public: 1_500 };

export interface SiteChain extends Pick<SiteConfig, "chainId" | "rpcUrl" | "startBlock"> {
  /** Whether this is the local chain, which has free ether, the built-in wallet and the faucet. */
  readonly isLocal: boolean;
  readonly contracts: ArcadeContracts;
  readonly token: Address;
  /** Seaport; null if the chain has none. */
  readonly market: Address | null;
  /** The chain's definition for viem. */
  readonly viemChain: Chain;
}

function toSiteChain({ chainId, contracts, rpcUrl, startBlock }: SiteConfig): SiteChain {
  return {
    chainId,
    rpcUrl,
    startBlock,
    isLocal: isLocalChain(chainId),
    contracts: toContracts({ chainId, contracts }),
    token: contracts.token,
    market: contracts.market,
    viemChain: defineChain({
      id: chainId,
      name: `chain ${chainId}`,
      nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
      rpcUrls: { default: { http: rpcUrl === null ? [] : [rpcUrl] } },
    }),
  };
}

export const siteChain: SiteChain = toSiteChain(siteConfig);

/** Reads the chain through the service's node, or through the wallet if the service has no public node. */
export function createChainReader(chain: SiteChain, provider: Eip1193Provider | null): PublicClient {
  const transport = chain.rpcUrl === null ? null : http(chain.rpcUrl, { timeout: RPC_TIMEOUT_MS, retryCount: 2 });
  const walletTransport = provider === null ? null : custom(provider as Parameters<typeof custom>[0]);
  const found = transport ?? walletTransport;
  if (found === null)
    throw new Error("The service has not published a node of its chain; connect a wallet that has one.");
  const pollingInterval = chain.isLocal ? POLL_MS.local : POLL_MS.public;
  return createPublicClient({ chain: chain.viemChain, transport: found, pollingInterval }) as PublicClient;
}

/** `RewardsV2`, `AgentIdentity`, `GameNFT of flappybots`; null for an address that is not of this deployment. */
export function getContractName(
  chain: Pick<SiteChain, "contracts" | "token" | "market">,
  address: Address,
): string | null {
  const { contracts, token, market } = chain;
  return findContractName({ ...contracts, token, market }, address);
}
