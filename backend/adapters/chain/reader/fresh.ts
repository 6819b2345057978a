import type { Address, ContractFunctionParameters } from "viem";
import { ArcadeError } from "../../../../domain/errors.ts";
import { agentIdentityAbi, gameNFTAbi, rewardsV2Abi } from "../../../../domain/typed-data/contract-abis.ts";
import type { Deployment, Fresh, FreshHead, FreshReads } from "../../../ports/chain.ts";
import type { BatchReader } from "./batch.ts";

/** The only place that creates fresh facts. */
const toFresh = <Value>(value: Value, at: FreshHead): Fresh<Value> => ({ value, at }) as Fresh<Value>;

/** Reads at the block `at`, which must be the head that the indexer or the node reported for this request. */
export function createFreshReads(
  at: FreshHead,
  batch: BatchReader,
  { identity, rewards, nft }: Pick<Deployment, "identity" | "rewards" | "nft">,
): FreshReads {
  const read = async <Value>(view: ContractFunctionParameters): Promise<Value> =>
    (await batch.read(view, at.hash)) as Value;
  const identities = { address: identity, abi: agentIdentityAbi };
  return {
    at,
    getPrimaryIdentity: async (wallet) => {
      const agentId = await read<bigint>({ ...identities, functionName: "primaryIdentity", args: [wallet] });
      return toFresh(agentId === 0n ? null : agentId, at);
    },
    getMintNonce: async (wallet) =>
      toFresh(await read<bigint>({ ...identities, functionName: "mintNonces", args: [wallet] }), at),
    getGameNft: async (slug, tokenId) => {
      const address = nft[slug];
      if (address === undefined)
        throw new ArcadeError(
          "GAME_NOT_FOUND",
          `Expected a game with an NFT, received "${slug}". List the games at GET /api/games.`,
        );
      const view = { address, abi: gameNFTAbi, args: [tokenId] };
      const [owner, record] = await Promise.all([
        read<Address | null>({ ...view, functionName: "ownerOf" }),
        read<{ readonly score: bigint; readonly tier: number } | null>({ ...view, functionName: "recordOf" }),
      ]);
      if (owner === null || record === null) return toFresh(null, at);
      return toFresh({ owner, score: record.score, tier: record.tier }, at);
    },
    isSessionConsumed: async (wallet, gameSessionHash) => {
      const args = [wallet, gameSessionHash];
      const view = { address: rewards, abi: rewardsV2Abi, functionName: "isSessionConsumed", args };
      return toFresh(await read<boolean>(view), at);
    },
  };
}
