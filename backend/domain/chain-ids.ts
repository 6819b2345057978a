/** Chain id of development chains (Hardhat, Anvil) and of the embedded one. */
export const LOCAL_CHAIN_ID = 31_337;

/** True for the embedded chain: a single node that mines a block when a transaction arrives. */
export const isLocalChain = (chainId: number): boolean => chainId === LOCAL_CHAIN_ID;
