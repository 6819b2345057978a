import { erc20Abi } from "viem";
import type { Deployment } from "../backend/ports/chain.ts";
import { CALLS, type CallName } from "../domain/typed-data/calls.ts";
import { agentIdentityAbi, gameNFTAbi, rewardsV2Abi } from "../domain/typed-data/contract-abis.ts";
import { errorsAbi } from "../domain/typed-data/errors-abi.ts";

/** The calls of players. */
const pick = <Name extends CallName>(...names: readonly Name[]) =>
  CALLS.filter(({ name }) => (names as readonly string[]).includes(name)) as Extract<
    (typeof CALLS)[number],
    { readonly name: Name }
  >[];

const MINTS = pick("mintIdentityWithSignature", "mintIdentityFor", "setAgentURI", "setApprovalForAll");
const TIERS = pick("mintSigned", "upgradeSigned", "setApprovalForAll");
const SCORES = pick("snapshotScoreSigned", "snapshotScoresSigned", "payout", "payoutAtLeast");

/** The contracts of a deployment, as viem takes them: address, and the ABI of reads, events, errors and players' calls. */
export function listContracts({ identity, rewards, token, market, nft }: Deployment) {
  return {
    identity: { address: identity, abi: [...agentIdentityAbi, ...MINTS, ...errorsAbi] },
    rewards: { address: rewards, abi: [...rewardsV2Abi, ...SCORES, ...errorsAbi] },
    token: { address: token, abi: [...erc20Abi, ...errorsAbi] },
    nft: Object.fromEntries(
      Object.entries(nft).map(([slug, address]) => [slug, { address, abi: [...gameNFTAbi, ...TIERS, ...errorsAbi] }]),
    ),
    /** Seaport 1.6. */
    market,
  };
}
export type ArcadeContracts = ReturnType<typeof listContracts>;
