import type { Address } from "viem";
import { isSameAddress } from "../addresses.ts";

/** The addresses of a deployment's contracts; null if there is none. */
interface ContractAddresses {
  readonly identity: Address;
  readonly rewards: Address;
  readonly token: Address | null;
  readonly market: Address | null;
  readonly nft: { readonly [slug: string]: Address };
}

/** The name of a contract of the deployment for people; null for any other address. */
export function findContractName(
  { identity, rewards, token, market, nft }: ContractAddresses,
  address: string,
): string | null {
  const names: readonly (readonly [Address | null, string])[] = [
    [identity, "AgentIdentity"],
    [rewards, "RewardsV2"],
    [token, "ArcadeToken"],
    [market, "Seaport 1.6"],
    ...Object.entries(nft).map(([slug, contract]) => [contract, `GameNFT of ${slug}`] as const),
  ];
  return names.find(([contract]) => contract !== null && isSameAddress(contract, address))?.[1] ?? null;
}
