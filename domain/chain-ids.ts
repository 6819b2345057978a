/** Chain id of development chains (Hardhat, Anvil) and of the embedded one. */
export const LOCAL_CHAIN_ID = 31_337;

/** True for the embedded chain: a single node that mines a block when a transaction arrives. */
export const isLocalChain = (chainId: number): boolean => chainId === LOCAL_CHAIN_ID;

const EXPLORER_URLS: { readonly [chainId: number]: string } = {
  84532: "https://sepolia.basescan.org",
  11155111: "https://sepolia.etherscan.io",
  8453: "https://basescan.org",
};

/** The explorer for transactions and addresses of a chain; null if the chain has no known explorer. */
export const getExplorerUrl = (chainId: number): string | null => EXPLORER_URLS[chainId] ?? null;
