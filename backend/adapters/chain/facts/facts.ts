import type { Address, Hex } from "viem";
import { isLocalChain } from "../../../../domain/chain-ids.ts";
import { ArcadeError } from "../../../../domain/errors.ts";
import { computeReadiness, startOfDay, startOfWeek } from "../../../../domain/payout-rule.ts";
import type { ChainFacts, Deployment, Readiness, RewardsState, TokenInfo } from "../../../ports/chain.ts";
import type { ChainStore } from "../../../ports/store/chain.ts";
import type { ChainFactStore } from "../../../ports/store/chain-facts.ts";
import type { Clock } from "../../../ports/system.ts";
import type { ContractState, ContractWatch } from "./contract-watch.ts";

interface FactsOptions {
  readonly deployment: Deployment;
  readonly store: { readonly chain: Pick<ChainStore, "getTotals">; readonly chainFacts: ChainFactStore };
  readonly watch: Pick<ContractWatch, "state">;
  readonly clock: Pick<Clock, "nowMs">;
}

/**
 * Facts of the chain from the indexed events and the contracts' state at the last indexed head. Sends no request to a
 * node.
 */
export function createFacts({ deployment, store, watch, clock }: FactsOptions): ChainFacts {
  const { chainFacts } = store;
  const requireState = (): ContractState => {
    if (watch.state !== null) return watch.state;
    const message = "The chain's node has not responded yet; try again in a few seconds.";
    throw new ArcadeError("CHAIN_UNAVAILABLE", message);
  };

  const getPresentTime = (): number => {
    const { at, clockLeadSeconds } = requireState();
    return Math.max(at.timestamp, Math.floor(clock.nowMs() / 1000) + clockLeadSeconds);
  };

  // A chain that mines on demand has no new blocks while idle; its next block has the current time.
  const getNextBlockTime = (): number => {
    if (watch.state === null) return 0;
    return isLocalChain(deployment.chainId) ? getPresentTime() : watch.state.at.timestamp;
  };

  async function getReadiness(wallet: Address): Promise<Readiness> {
    const state = requireState();
    const { at } = state;
    const now = getNextBlockTime();
    const account = await chainFacts.getPayoutAccount(wallet);
    const block = Number.MAX_SAFE_INTEGER;
    const today = await store.chain.getTotals({ block, sinceSeconds: startOfDay(now) });
    const week = await store.chain.getTotals({ block, sinceSeconds: startOfWeek(now) });
    const terms = { ...state, paidToday: today.paidSince, paidThisWeek: week.paidSince };
    const { dailyRemaining, weeklyRemaining, ...readiness } = computeReadiness(account, terms, now);
    const caps = { dailyRemaining, weeklyRemaining, float: state.float };
    return { ...readiness, scorebank: account.scorebank, caps, asOf: at };
  }

  return {
    deployment,
    getPrimaryIdentity: (wallet) => chainFacts.findPrimaryIdentity(wallet),
    getPrimaryIdentityAt: (wallet, block) => chainFacts.findPrimaryIdentity(wallet, block),
    getIdentity: (agentId) => chainFacts.findIdentity(agentId),
    listIdentities: (wallet) => chainFacts.listIdentities(wallet),
    getGameNft: (slug: string, tokenId: bigint) => {
      if (deployment.nft[slug] !== undefined) return chainFacts.findGameToken(slug, tokenId);
      throw new ArcadeError(
        "GAME_NOT_FOUND",
        `Expected a game with an NFT, received "${slug}". List the games at GET /api/games.`,
      );
    },
    isSessionConsumed: (wallet: Address, gameSessionHash: Hex) =>
      chainFacts.isSequenceConsumed(wallet, gameSessionHash),
    getReadiness,
    listPaused: () => watch.state?.paused ?? [],
    getPresentTime,
    getNextBlockTime,
    getRewardsState: async (): Promise<RewardsState> => {
      const { at, totalSupply, float, dailyCap, weeklyCap, scoreToTokenRate } = requireState();
      return { totalSupply, float, dailyCap, weeklyCap, scoreToTokenRate, asOf: at };
    },
    getTokenInfo: async (): Promise<TokenInfo> => requireState().token,
  };
}
