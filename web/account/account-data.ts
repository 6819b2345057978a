/** What the account's page shows of a signed-in wallet, read from the service and the chain. */
import { erc20Abi } from "viem";
import type { AgentProfile, Listing, PayoutEntry, Readiness, Scorebank, SessionRecord } from "../../client/api.ts";
import { games } from "../../games/index.ts";
import type { Account } from "../wallet/account.ts";
import { listOwnedTokens, type OwnedToken } from "./owned-tokens.ts";

export interface GameProgress {
  readonly slug: string;
  /** The best score of a run, 0 before the first. */
  readonly best: number;
  readonly runs: readonly SessionRecord[];
}

export interface AccountData {
  readonly etherWei: bigint;
  readonly tokenUnits: bigint;
  readonly scorebank: Scorebank;
  readonly readiness: Readiness;
  readonly payouts: readonly PayoutEntry[];
  readonly profile: AgentProfile | null;
  readonly games: readonly GameProgress[];
  readonly listings: readonly Listing[];
  readonly owned: readonly OwnedToken[];
}

const ROWS = 5;

async function loadProgress({ client }: Account, slug: string): Promise<GameProgress> {
  const [{ highScore }, runs] = await Promise.all([
    client.sessions.highScore({ slug }),
    client.sessions.my({ slug, limit: ROWS }),
  ]);
  return { slug, best: highScore?.score ?? 0, runs: runs.items };
}

/** Throws `ArcadeApiError`, and the node's errors. */
export async function loadAccountData(account: Account): Promise<AccountData> {
  const { client, address, publicClient, chain } = account;
  const [etherWei, tokenUnits, scorebank, readiness, payouts, { profile }, progress, listings, owned] =
    await Promise.all([
      publicClient.getBalance({ address }),
      publicClient.readContract({ address: chain.token, abi: erc20Abi, functionName: "balanceOf", args: [address] }),
      client.rewards.scorebank({}),
      client.rewards.readiness({}),
      client.rewards.payoutHistory({ includeAllGames: true, limit: ROWS }),
      client.identity.profileGet({ walletAddress: address }),
      Promise.all(games.map(({ slug }) => loadProgress(account, slug))),
      client.market.visibilityMy({ limit: ROWS * 2 }),
      listOwnedTokens(account),
    ]);
  return {
    etherWei,
    tokenUnits,
    scorebank,
    readiness,
    profile,
    owned,
    payouts: payouts.items,
    games: progress,
    listings: listings.items,
  };
}
