/** Which contracts the client's flows may call. The service prepares the calls but is not trusted with their target. */
import type { Address } from "viem";
import { isLocalChain } from "../domain/chain-ids.ts";
import type { Instructions } from "./api.ts";
import { ArcadeChainError } from "./errors.ts";

/** The contracts of one deployment, as in its addresses file. */
export interface ArcadeContracts {
  readonly chainId: number;
  readonly identity: Address;
  readonly rewards: Address;
  /** By the game's slug. */
  readonly nft: { readonly [slug: string]: Address };
}

/** Deployments on public chains that this package knows, by chain id. */
const PUBLISHED_DEPLOYMENTS: { readonly [chainId: number]: ArcadeContracts } = {};

/** The contracts that the service reports. */
export const toContracts = ({ chainId, contracts }: Pick<Instructions, "chainId" | "contracts">): ArcadeContracts => {
  const { identity, rewards, nft } = contracts;
  return { chainId, identity, rewards, nft };
};

/**
 * The contracts of the published deployment on the service's chain; on the local chain, where nothing has value, those
 * that the service reports. Throws `CONTRACTS_UNKNOWN` for any other chain.
 */
export function pinContracts(instructions: Pick<Instructions, "chainId" | "contracts">): ArcadeContracts {
  const { chainId } = instructions;
  const published = PUBLISHED_DEPLOYMENTS[chainId];
  if (published !== undefined) return published;
  if (isLocalChain(chainId)) return toContracts(instructions);
  throw new ArcadeChainError(
    "CONTRACTS_UNKNOWN",
    `Expected the contracts of chain ${chainId} in the client's options, received none; give \`contracts\` from the deployment's addresses file.`,
  );
}
