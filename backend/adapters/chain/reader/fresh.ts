import type { Fresh, FreshHead, FreshReads } from "../../../ports/chain.ts";
import type { AtBlock } from "./blocks.ts";
import type { IdentityReader } from "./identity.ts";
import type { RewardsReader } from "./rewards.ts";
import type { TokenReader } from "./tokens.ts";

/** The only place that makes fresh facts. */
const toFresh = <Value>(value: Value, at: FreshHead): Fresh<Value> => ({ value, at }) as Fresh<Value>;

/** Reads at the block `at`, which must be the head that was read for the same request. */
export function createFreshReads(
  at: FreshHead,
  readers: { readonly identity: IdentityReader; readonly rewards: RewardsReader; readonly tokens: TokenReader },
): FreshReads {
  const { identity, rewards, tokens } = readers;
  const block: AtBlock = { blockNumber: BigInt(at.number) };
  const read = async <Value>(value: Promise<Value>): Promise<Fresh<Value>> => toFresh(await value, at);
  return {
    at,
    getPrimaryIdentity: (wallet) => read(identity.getPrimaryIdentity(wallet, block)),
    getMintNonce: (wallet) => read(identity.getMintNonce(wallet, block)),
    getGameNft: (slug, tokenId) => read(tokens.getGameNft(slug, tokenId, block)),
    isSessionConsumed: (wallet, gameSessionHash) => read(rewards.isSessionConsumed(wallet, gameSessionHash, block)),
  };
}
