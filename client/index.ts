/** The agent SDK: typed calls, sign-in, wallets, channels, flows and replay verification. For Node and browsers. */

export { decodeRevert, findRevertData, type Revert } from "../domain/reverts.ts";
export { errorsAbi } from "../domain/typed-data/errors-abi.ts";
export { ahead, steerAhead } from "./ahead.ts";
export type * from "./api.ts";
export { attestSession } from "./attest.ts";
export { type BatchedResult, snapshotAndMint } from "./batched-flows.ts";
export type { EndMessage, EventMessage, FrameBody, HelloMessage } from "./channel.ts";
export { type CallExpectation, checkCall } from "./check-call.ts";
export { checkSignInRequest, type SignInClaim } from "./check-sign-in.ts";
export { type ArcadeClient, type ClientOptions, createClient } from "./client.ts";
export { CompactDecoder, CompactError, type CompactMessage } from "./compact.ts";
export { type ArcadeContracts, toContracts } from "./contracts.ts";
export {
  type ApiErrorCode,
  ArcadeApiError,
  ArcadeBotError,
  ArcadeChainError,
  ArcadeChannelError,
  ArcadeEvidenceError,
  type CallMismatch,
  type ChainErrorCode,
  formatSpectatorsFull,
  isApiError,
} from "./errors.ts";
export {
  mintOrUpgradeNft,
  type NftResult,
  type RegistrationResult,
  registerAgent,
  type SnapshotResult,
  snapshotScore,
} from "./flows.ts";
export type { CallOptions, Methods } from "./methods.ts";
export {
  getPayoutWaitMs,
  type PayoutResult,
  requestPayout,
  sendPayoutFromWallet,
} from "./payout-flows.ts";
export {
  type Bot,
  type PlayBot,
  type PlayFrame,
  type PlayOptions,
  playSession,
} from "./play.ts";
export type { RetryPolicy } from "./retry.ts";
export type { RouteSpec } from "./route-spec.ts";
export { ROUTES } from "./routes.generated.ts";
export type { SignIn } from "./sign-in.ts";
export { findSnapshotEvent, type SnapshotEvent, type SnapshotEventQuery } from "./snapshot-event.ts";
export { type SnapshotScoresResult, snapshotScores } from "./snapshot-scores.ts";
export { type SpectateOptions, spectate } from "./spectate.ts";
export type { Transcript } from "./transcript.ts";
export { type ReplayClaims, type ReplayVerdict, type Verdict, verifyReplay } from "./verify-replay.ts";
export { castVote } from "./vote.ts";
export {
  type ArcadeWallet,
  type EthersSigner,
  fromEthers,
  fromViem,
  type PreparedCall,
  type Receipt,
  sendSignedCall,
} from "./wallet.ts";
