import type { Address } from "viem";
import { ArcadeError } from "../../../../domain/errors.ts";
import type { Deployment, Fresh, FreshHead, FreshReads } from "../../../ports/chain.ts";
import { agentIdentityAbi, gameNFTAbi, rewardsV2Abi } from "../abi.ts";
import type { BatchReader } from "./batch.ts";
import { findView, type ViewFunction } from "./views.ts";

const VIEWS = {
  primaryIdentity: findView(agentIdentityAbi, "primaryIdentity"),
  mintNonces: findView(agentIdentityAbi, "mintNonces"),
  ownerOf: findView(gameNFTAbi, "ownerOf"),
  recordOf: findView(gameNFTAbi, "recordOf"),
  isSessionConsumed: findView(rewardsV2Abi, "isSessionConsumed"),
};

/** The only place that makes fresh facts. */
const toFresh = <Value>(value: Value, at: FreshHead): Fresh<Value> => ({ value, at }) as Fresh<Value>;

/** Reads at the block `at`, which must be the head, as the indexer or the node gave it for this request. */
export function createFreshReads(
  at: FreshHead,
  batch: BatchReader,
  { identity, rewards, nft }: Pick<Deployment, "identity" | "rewards" | "nft">,
): FreshReads {
  const read = async <Value>(address: Address, view: ViewFunction, args: readonly unknown[]): Promise<Value> =>
    (await batch.read({ address, view, args }, at.hash)) as Value;
  return {
    at,
    getPrimaryIdentity: async (wallet) => {
      const agentId = await read<bigint>(identity, VIEWS.primaryIdentity, [wallet]);
      return toFresh(agentId === 0n ? null : agentId, at);
    },
    getMintNonce: async (wallet) => toFresh(await read<bigint>(identity, VIEWS.mintNonces, [wallet]), at),
    getGameNft: async (slug, tokenId) => {
      const address = nft[slug];
      if (address === undefined) throw new ArcadeError("GAME_NOT_FOUND", `There is no game NFT of "${slug}".`);
      const [owner, record] = await Promise.all([
        read<Address | null>(address, VIEWS.ownerOf, [tokenId]),
        read<{ readonly score: bigint; readonly tier: number } | null>(address, VIEWS.recordOf, [tokenId]),
      ]);
      if (owner === null || record === null) return toFresh(null, at);
      return toFresh({ owner, score: record.score, tier: record.tier }, at);
    },
    isSessionConsumed: async (wallet, gameSessionHash) =>
      toFresh(await read<boolean>(rewards, VIEWS.isSessionConsumed, [wallet, gameSessionHash]), at),
  };
}
