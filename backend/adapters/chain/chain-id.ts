/** The chain id of development chains (Hardhat, Anvil), and of the embedded one. */
export const LOCAL_CHAIN_ID = 31_337;

/** True for a chain that mines on demand and has one node: ours. */
export const isLocalChain = (chainId: number): boolean => chainId === LOCAL_CHAIN_ID;
