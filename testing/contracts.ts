import { type Address, erc20Abi } from "viem";
import type { Deployment } from "../backend/ports/chain.ts";
import { CALLS, type CallName } from "../domain/typed-data/calls.ts";
import { agentIdentityAbi, gameNFTAbi, rewardsV2Abi } from "../domain/typed-data/contract-abis.ts";
import { errorsAbi } from "../domain/typed-data/errors-abi.ts";

/** The functions that players call. */
const MINTS = ["mintIdentityWithSignature", "mintIdentityFor", "setAgentURI", "setApprovalForAll"] as const;
const TIERS = ["mintSigned", "upgradeSigned", "setApprovalForAll"] as const;
const SCORES = ["snapshotScoreSigned", "snapshotScoresSigned", "payout", "payoutAtLeast"] as const;

type Calls<Names extends readonly CallName[]> = readonly Extract<
  (typeof CALLS)[number],
  { readonly name: Names[number] }
>[];

const pick = <Names extends readonly CallName[]>(names: Names) =>
  CALLS.filter(({ name }) => (names as readonly string[]).includes(name)) as unknown as Calls<Names>;

type Errors = typeof errorsAbi;
interface Contract<Abi> {
  readonly address: Address;
  readonly abi: Abi;
}

/**
 * The contracts of a deployment for viem: address, and the ABI of reads, events, errors and players' calls. The type is
 * written out because the compiler lists the members of an inferred union in varying order.
 */
export interface ArcadeContracts {
  readonly identity: Contract<readonly [...typeof agentIdentityAbi, ...Calls<typeof MINTS>, ...Errors]>;
  readonly rewards: Contract<readonly [...typeof rewardsV2Abi, ...Calls<typeof SCORES>, ...Errors]>;
  readonly token: Contract<readonly [...typeof erc20Abi, ...Errors]>;
  /** The NFT contracts by game. */
  readonly nft: {
    readonly [slug: string]: Contract<readonly [...typeof gameNFTAbi, ...Calls<typeof TIERS>, ...Errors]>;
  };
  /** Seaport 1.6. */
  readonly market: Deployment["market"];
}

export function listContracts({ identity, rewards, token, market, nft }: Deployment): ArcadeContracts {
  return {
    identity: { address: identity, abi: [...agentIdentityAbi, ...pick(MINTS), ...errorsAbi] },
    rewards: { address: rewards, abi: [...rewardsV2Abi, ...pick(SCORES), ...errorsAbi] },
    token: { address: token, abi: [...erc20Abi, ...errorsAbi] },
    nft: Object.fromEntries(
      Object.entries(nft).map(([slug, address]) => [
        slug,
        { address, abi: [...gameNFTAbi, ...pick(TIERS), ...errorsAbi] },
      ]),
    ),
    market,
  };
}
