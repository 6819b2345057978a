/**
 * The ports of the store, one interface for each feature. Each method is one transaction; every change of state is one
 * conditional update whose row count is the result. Times are milliseconds since 1970 (`...AtMs`). Methods throw
 * `STORAGE_BUSY` or `STORAGE_FULL`. Nothing in the interfaces depends on the database's dialect.
 */

import type { OperatorStore } from "./admin.ts";
import type { AuthStore, ChannelTokenStore } from "./auth.ts";
import type { ChainStore, PayoutStore, SigningStore, TransactionStore } from "./chain.ts";
import type { ChainAuditStore } from "./chain-audit.ts";
import type { ChainFactStore } from "./chain-facts.ts";
import type { DeploymentStore } from "./deployment.ts";
import type { StoreFacts } from "./facts.ts";
import type { IdempotencyStore } from "./idempotency.ts";
import type { IdentityStore } from "./identity.ts";
import type { LeagueStore } from "./league.ts";
import type { ListingStore } from "./market.ts";
import type { NodeOwnership, NodeStore, Singletons } from "./nodes.ts";
import type { RelayStore } from "./relays.ts";
import type { RetentionStore } from "./retention.ts";
import type { SessionStore } from "./sessions.ts";
import type { NewsletterStore, StandingStore, TelemetryStore } from "./stats.ts";
import type { VotingStore } from "./voting.ts";

export interface Store {
  readonly facts: StoreFacts;
  readonly auth: AuthStore;
  readonly sessions: SessionStore;
  readonly nodes: NodeStore;
  /** This process among the nodes; null if it is not one. */
  readonly node: NodeOwnership | null;
  /** Always held if this process is the only one. */
  readonly singletons: Singletons;
  readonly channelTokens: ChannelTokenStore;
  readonly idempotency: IdempotencyStore;
  readonly identities: IdentityStore;
  readonly listings: ListingStore;
  readonly signings: SigningStore;
  readonly deployment: DeploymentStore;
  readonly chain: ChainStore;
  readonly chainAudit: ChainAuditStore;
  readonly chainFacts: ChainFactStore;
  readonly standings: StandingStore;
  readonly telemetry: TelemetryStore;
  readonly newsletter: NewsletterStore;
  readonly payouts: PayoutStore;
  readonly transactions: TransactionStore;
  readonly relays: RelayStore;
  readonly voting: VotingStore;
  readonly league: LeagueStore;
  readonly operator: OperatorStore;
  readonly retention: RetentionStore;
  /** Reads, and throws the error that keeps the lease from being renewed. The lease is written every second or two. */
  probe(): Promise<void>;
  close(): Promise<void>;
}
