import type { Address } from "viem";
import { DAY_SECONDS } from "../../domain/time.ts";
import { REWARD_TOKEN } from "../../domain/token.ts";
import { games } from "../../games/index.ts";

/** The reward token has 18 decimals. */
const TOKEN = 10n ** 18n;

/** Tokens have a price on a mainnet. */
export type Stage = "local" | "testnet" | "mainnet";

/** What the deployment needs to know about a game. */
export interface GameParameters {
  readonly slug: string;
  readonly nft: {
    readonly name: string;
    readonly symbol: string;
    readonly tiers: readonly { readonly minScore: number }[];
  };
}

/** All parameters of a deployment. Amounts are token base units, times seconds. */
export interface ArcadeParameters {
  /** Holder of the admin role of every contract: a Safe or timelock in production. */
  readonly admin: Address;
  /** Delay of a transfer of the admin role. */
  readonly adminDelaySeconds: number;
  readonly guardian: Address;
  /** Relays payouts. */
  readonly operator: Address;
  /** Receives the supply that does not go into the float, and royalties. */
  readonly treasury: Address;
  /** One signing key per duty. */
  readonly signers: {
    readonly identity: Address;
    readonly score: Address;
    readonly nft: { readonly [slug: string]: Address };
  };
  /** How long a new signer waits before it is active; at least a day in production. */
  readonly signerDelaySeconds: number;
  /** The URL that serves metadata, without a trailing slash. */
  readonly publicUrl: string;
  readonly token: { readonly name: string; readonly symbol: string; readonly supply: bigint };
  readonly rewards: {
    readonly scoreToTokenRate: bigint;
    readonly payoutCooldownSeconds: number;
    readonly minScore: bigint;
    readonly maxScorePerSession: bigint;
    /** Maximum of one payout; the rest of a scorebank waits for the next one. */
    readonly maxPayout: bigint;
    readonly dailyCap: bigint;
    readonly weeklyCap: bigint;
  };
  /** Tokens to transfer to the rewards contract. */
  readonly float: bigint;
  readonly royaltyBasisPoints: number;
  readonly games: readonly GameParameters[];
  /** Values that the operator is about to change on chain, by their path in the roles file: `signers.score`. */
  readonly next?: PlannedChanges;
}

export type PlannedChanges = { readonly [path: string]: string };

/** Who does what: the parameters without a sensible default. */
export type ArcadeRoles = Pick<
  ArcadeParameters,
  "admin" | "guardian" | "operator" | "treasury" | "signers" | "publicUrl"
>;

const token = { name: REWARD_TOKEN.name, symbol: REWARD_TOKEN.symbol, supply: 1_000_000_000n * TOKEN };

/** Parameters for trying things out: no delay for signers, 5 s between payouts, caps out of reach. */
export function createLocalParameters(roles: ArcadeRoles): ArcadeParameters {
  return {
    ...roles,
    adminDelaySeconds: 0,
    signerDelaySeconds: 0,
    token,
    rewards: {
      scoreToTokenRate: TOKEN,
      payoutCooldownSeconds: 5,
      minScore: 1n,
      maxScorePerSession: 10_000_000n,
      maxPayout: 10_000_000n * TOKEN,
      dailyCap: 100_000_000n * TOKEN,
      weeklyCap: 500_000_000n * TOKEN,
    },
    float: 500_000_000n * TOKEN,
    royaltyBasisPoints: 250,
    games,
  };
}

/**
 * Parameters for test networks: like the public ones, but with delays of minutes, so that every change can be
 * rehearsed.
 */
export function createTestnetParameters(roles: ArcadeRoles): ArcadeParameters {
  const parameters = createPublicParameters(roles);
  return {
    ...parameters,
    adminDelaySeconds: 5 * 60,
    signerDelaySeconds: 2 * 60,
    rewards: { ...parameters.rewards, payoutCooldownSeconds: 60, minScore: 1n },
  };
}

/**
 * Parameters for mainnets: a stolen key earns at most two days' caps around midnight UTC. A wallet's portion is what
 * the reference bot earns in part of a day, small enough that a farm of 300 wallets leaves something to others. The
 * maximum score of a session is above the best known run (docs/economy.md).
 */
export function createPublicParameters(roles: ArcadeRoles): ArcadeParameters {
  return {
    ...roles,
    adminDelaySeconds: 3 * DAY_SECONDS,
    signerDelaySeconds: 2 * DAY_SECONDS,
    token,
    rewards: {
      scoreToTokenRate: TOKEN / 10_000n,
      payoutCooldownSeconds: DAY_SECONDS,
      minScore: 10_000n,
      maxScorePerSession: 300_000n,
      maxPayout: 20n * TOKEN,
      dailyCap: 20_000n * TOKEN,
      weeklyCap: 100_000n * TOKEN,
    },
    float: 200_000n * TOKEN,
    royaltyBasisPoints: 250,
    games,
  };
}
