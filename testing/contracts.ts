import type { Deployment } from "../backend/ports/chain.ts";
import { agentIdentityAbi, gameNFTAbi, rewardsV2Abi, rewardTokenAbi } from "../domain/typed-data/contract-abis.ts";

/** The contracts of a deployment, as viem takes them: address and ABI. */
export function listContracts({ identity, rewards, token, market, nft }: Deployment) {
  return {
    identity: { address: identity, abi: agentIdentityAbi },
    rewards: { address: rewards, abi: rewardsV2Abi },
    token: { address: token, abi: rewardTokenAbi },
    nft: Object.fromEntries(Object.entries(nft).map(([slug, address]) => [slug, { address, abi: gameNFTAbi }])),
    /** Seaport 1.6. */
    market,
  };
}
export type ArcadeContracts = ReturnType<typeof listContracts>;
