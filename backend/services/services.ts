import type { Auth } from "./auth.ts";
import type { Catalog } from "./catalog.ts";
import type { ChannelTokens } from "./channel-tokens.ts";
import type { Documents } from "./documents.ts";
import type { Explain } from "./explain.ts";
import type { Faucet } from "./faucet.ts";
import type { Identity } from "./identity.ts";
import type { Instructions } from "./instructions.ts";
import type { Leaderboard } from "./leaderboard.ts";
import type { Market } from "./market.ts";
import type { Metadata } from "./metadata.ts";
import type { Newsletter } from "./newsletter.ts";
import type { Nft } from "./nft.ts";
import type { Operations } from "./operations.ts";
import type { Payouts } from "./payouts.ts";
import type { Profiles } from "./profiles.ts";
import type { Rewards } from "./rewards.ts";
import type { Sessions } from "./sessions.ts";
import type { Stats } from "./stats.ts";
import type { Telemetry } from "./telemetry.ts";
import type { Voting } from "./voting.ts";

/** Everything the doors may ask for; made in `app.ts`. */
export interface Services {
  readonly auth: Auth;
  readonly catalog: Catalog;
  readonly channelTokens: ChannelTokens;
  readonly documents: Documents;
  /** Null on every chain but the local one. */
  readonly explain: Explain | null;
  /** Null on every chain but the local one. */
  readonly faucet: Faucet | null;
  readonly identity: Identity;
  readonly instructions: Instructions;
  readonly market: Market;
  readonly leaderboard: Leaderboard;
  readonly metadata: Metadata;
  readonly newsletter: Newsletter;
  readonly profiles: Profiles;
  readonly stats: Stats;
  readonly telemetry: Telemetry;
  readonly nft: Nft;
  readonly operations: Operations;
  readonly payouts: Payouts;
  readonly rewards: Rewards;
  readonly sessions: Sessions;
  readonly voting: Voting;
}
