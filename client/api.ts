/**
 * The types of the service's interface. Types only: no code of the service gets into a client's bundle. Token amounts,
 * ids and chain numbers are decimal strings, scores are integers.
 */
import type { Answer, Input } from "./api-types.ts";

export type { Address, Hex } from "viem";
export type { Order, UnfillableReason } from "../domain/market.ts";
export type { Replay } from "../domain/replay/replay.ts";
export type { EndReason, Finality, Phase, SessionSource, SnapshotState } from "../domain/session.ts";
export type { Answer, Input, RouteName } from "./api-types.ts";

export type GameRecord = Answer<"games.get">["game"];
export type SessionRecord = Answer<"sessions.get">["session"];
export type SnapshotView = SessionRecord["snapshot"];
export type StartedSession = Answer<"sessions.start">;
export type ChannelToken = Answer<"sessions.playToken">;
export type Credentials = Answer<"auth.verify">;
export type AgentProfile = Answer<"identity.profileUpsert">["profile"];
/** The prepared mint of an identity. */
export type Registration = Exclude<Answer<"identity.register">, { readonly mode: string }>;
/** The consent to sign, or the relay, if the operator pays for the registration. */
export type SponsoredRegistration = Extract<Answer<"identity.register">, { readonly mode: string }>;
/** The state of a transaction that the operator sends for the wallet. */
export type RelayView = Answer<"relays.get">;
export type AsOf = Answer<"identity.ownershipStatus">["asOf"];
/** A prepared on-chain call: `call` is ready to send, the other fields describe it. */
export type SignedCall = Pick<
  Registration,
  "signature" | "digest" | "deadline" | "verifyingContract" | "typedData" | "call"
>;
export type Call = SignedCall["call"];
export type TypedData = SignedCall["typedData"];
type Relayed = { readonly mode: "relayed" };
type AnySnapshotBatch = Extract<Answer<"rewards.snapshot">, { readonly sessions: unknown }>;
export type SnapshotBatchResponse = Exclude<AnySnapshotBatch, Relayed>;
/** Like `SnapshotResponse`, with a relay instead of a call to send. */
export type SponsoredSnapshotResponse = Exclude<Answer<"rewards.snapshot">, AnySnapshotBatch>;
export type SponsoredSnapshotBatch = Extract<AnySnapshotBatch, Relayed>;
export type SnapshotResponse = Exclude<SponsoredSnapshotResponse, Relayed>;
export type SnapshotSummary = SnapshotBatchResponse["sessions"][number];
/** Like `NftPrepared`, with a relay instead of a call to send. */
export type SponsoredNft = Answer<"nft.prepare">;
export type NftPrepared = Exclude<SponsoredNft, Relayed>;
export type NftReason = Extract<NftPrepared, { readonly action: "none" }>["reason"];
export type NftRecorded = Answer<"nft.record">;
export type Scorebank = Answer<"rewards.scorebank">;
export type Readiness = Answer<"rewards.readiness">;
export type PayoutReason = Readiness["reasons"][number];
export type TokenInfo = Readiness["token"];
/** The unsigned payout, for a wallet that pays its own gas. */
export type PayoutCall = Extract<Answer<"rewards.payout">, { readonly mode: "self" }>;
export type PayoutView = Exclude<Answer<"rewards.payout">, PayoutCall>;
export type PayoutEntry = Answer<"rewards.payoutHistory">["items"][number];
export type Listing = Answer<"market.listings">["items"][number];
export type LeaderboardEntry = Answer<"stats.leaderboard">["items"][number];
export type StatsSummary = Answer<"stats.summary">;
export type Tokenomics = Answer<"stats.tokenomics">;
export type TelemetryEvent = Input<"stats.track">;
/** What a vote is about; one vote per wallet and game. */
export type Ballot = Input<"voting.nonce">;
/** The open cycle and its candidates. */
export type VotingCandidates = Extract<Answer<"voting.status">, { readonly games: unknown }>;
export type VotingCandidate = VotingCandidates["games"][number];
export type VotingStatus = Exclude<Answer<"voting.status">, VotingCandidates>;
export type VotingCycle = VotingStatus["cycle"];
export type Instructions = Answer<"agent.agentInstructions">;
