import type { Address } from "viem";
import { ArcadeError } from "../../../domain/errors.ts";
import type { Deployment, Fresh, FreshHead, FreshReads } from "../../../ports/chain.ts";
import { agentIdentityAbi, gameNFTAbi, rewardsV2Abi } from "../abi.ts";
import type { BatchReader } from "./batch.ts";

/** The only place that makes fresh facts. */
const toFresh = <Value>(value: Value, at: FreshHead): Fresh<Value> => ({ value, at }) as Fresh<Value>;

/** Reads at the block `at`, which must be the head, as the indexer or the node gave it for this request. */
export function createFreshReads(
  at: FreshHead,
  batch: BatchReader,
  { identity, rewards, nft }: Pick<Deployment, "identity" | "rewards" | "nft">,
): FreshReads {
  const read = async <Value>(
    contract: {
      readonly address: Address;
      readonly abi: typeof agentIdentityAbi | typeof rewardsV2Abi | typeof gameNFTAbi;
    },
    functionName: string,
    args: readonly unknown[],
  ): Promise<Value> => (await batch.read({ ...contract, functionName, args }, at.hash)) as Value;
  const identityContract = { address: identity, abi: agentIdentityAbi };
  return {
    at,
    getPrimaryIdentity: async (wallet) => {
      const agentId = await read<bigint>(identityContract, "primaryIdentity", [wallet]);
      return toFresh(agentId === 0n ? null : agentId, at);
    },
    getMintNonce: async (wallet) => toFresh(await read<bigint>(identityContract, "mintNonces", [wallet]), at),
    getGameNft: async (slug, tokenId) => {
      const address = nft[slug];
      if (address === undefined) throw new ArcadeError("GAME_NOT_FOUND", `There is no game NFT of "${slug}".`);
      const contract = { address, abi: gameNFTAbi };
      const [owner, record] = await Promise.all([
        read<Address | null>(contract, "ownerOf", [tokenId]),
        read<{ readonly score: bigint; readonly tier: number } | null>(contract, "recordOf", [tokenId]),
      ]);
      if (owner === null || record === null) return toFresh(null, at);
      return toFresh({ owner, score: record.score, tier: record.tier }, at);
    },
    isSessionConsumed: async (wallet, gameSessionHash) => {
      const contract = { address: rewards, abi: rewardsV2Abi };
      return toFresh(await read<boolean>(contract, "isSessionConsumed", [wallet, gameSessionHash]), at);
    },
  };
}
