/** The agent SDK: typed calls, sign-in, wallets, channels, flows and replay verification. For Node and browsers. */
export type { EndMessage, EventMessage, FrameBody, HelloMessage } from "./channel.ts";
export { type ArcadeClient, type CallOptions, type ClientOptions, createClient, type Methods } from "./client.ts";
export { CompactDecoder, CompactError, type CompactMessage } from "./compact.ts";
export {
  type ApiErrorCode,
  ArcadeApiError,
  ArcadeChainError,
  ArcadeChannelError,
  type ChainErrorCode,
  isApiError,
  spectatorsFullText,
} from "./errors.ts";
export {
  type NftProgress,
  type PayoutOutcome,
  payoutByWallet,
  progressNft,
  type Registered,
  registerAgent,
  requestPayout,
  type Snapshotted,
  snapshotScore,
} from "./flows.ts";
export { type Bot, type PlayFrame, type PlayOptions, playSession, type SpectateOptions, spectate } from "./play.ts";
export type { RetryPolicy } from "./retry.ts";
export type { RouteSpec } from "./route.ts";
export { ROUTES, type RouteTable } from "./routes.ts";
export { findSnapshotEvent, type SnapshotEvent, type SnapshotEventQuery } from "./snapshot-event.ts";
export type * from "./types.ts";
export { type ReplayClaims, type ReplayVerdict, verifyReplay } from "./verify-replay.ts";
export { type ArcadeWallet, checkCall, fromEthers, fromViem, type Receipt, sendSignedCall } from "./wallet.ts";
