import type { Address, Hex } from "viem";
import type { Auth } from "./auth/auth.ts";
import type { ChannelTokens } from "./auth/channel-tokens.ts";
import type { TypedDataExplainer } from "./dev/explain.ts";
import type { Identity } from "./identity/identity.ts";
import type { Profiles } from "./identity/profiles.ts";
import type { League } from "./league/league.ts";
import type { Thinking } from "./league/thinking.ts";
import type { Listings } from "./market/listings.ts";
import type { Market } from "./market/market.ts";
import type { Metadata } from "./metadata/metadata.ts";
import type { Nft } from "./nft/nft.ts";
import type { ErrorLog } from "./operations/error-log.ts";
import type { Operations } from "./operations/operations.ts";
import type { ConsoleOperator } from "./operations/operator.ts";
import type { Pictures } from "./pictures/pictures.ts";
import type { Relays } from "./relays/relays.ts";
import type { SponsoredIdentity } from "./relays/sponsored-identity.ts";
import type { Payouts } from "./rewards/payouts.ts";
import type { Rewards } from "./rewards/rewards.ts";
import type { Catalog } from "./sessions/catalog.ts";
import type { Replays } from "./sessions/replays.ts";
import type { Sessions } from "./sessions/sessions.ts";
import type { Stats } from "./stats/stats.ts";
import type { Telemetry } from "./stats/telemetry.ts";
import type { Candidates } from "./voting/candidates.ts";
import type { Voting } from "./voting/voting.ts";

/** All services that route handlers receive; each handler takes the ones that it uses. */
export interface Services {
  readonly auth: Auth;
  readonly candidates: Candidates;
  readonly catalog: Catalog;
  readonly channelTokens: ChannelTokens;
  /** The last error responses, for the console. */
  readonly errorLog: ErrorLog;
  /** Null on every chain but the local one. */
  readonly explain: TypedDataExplainer | null;
  /** Sends development ether and returns the transaction's hash. Null on every chain but the local one. */
  readonly faucet: ((address: Address, wei: bigint) => Promise<Hex>) | null;
  readonly identity: Identity;
  readonly listings: Listings;
  readonly market: Market;
  readonly metadata: Metadata;
  readonly nft: Nft;
  readonly operations: Operations;
  readonly operator: ConsoleOperator;
  readonly payouts: Payouts;
  readonly pictures: Pictures;
  readonly profiles: Profiles;
  readonly relays: Relays;
  readonly replays: Replays;
  readonly rewards: Rewards;
  readonly sessions: Sessions;
  readonly sponsoredIdentity: SponsoredIdentity;
  readonly stats: Stats;
  readonly telemetry: Telemetry;
  readonly league: League;
  readonly thinking: Thinking;
  readonly voting: Voting;
}
