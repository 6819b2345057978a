/** Every route, in the order of the documents; fixed paths before those with parameters. */
import type { Route } from "../routing/route.ts";
import {
  agentAgentInstructions,
  gamesAgentInstructions,
  identityAgentInstructions,
  marketAgentInstructions,
  rewardsAgentInstructions,
} from "./agent/agent-instructions.ts";
import { authNonce } from "./auth/nonce.ts";
import { authRefresh } from "./auth/refresh.ts";
import { authSession } from "./auth/session.ts";
import { authSignOut } from "./auth/sign-out.ts";
import { authVerify } from "./auth/verify.ts";
import { consoleAudit, consoleErrors, consolePayouts, consoleSignings } from "./console/records.ts";
import { consoleDoctor, consoleDrain, consoleDraining } from "./console/service.ts";
import { consoleSessionAction, consoleSessions, consoleWithheld } from "./console/sessions.ts";
import { consoleTransactionOrder, consoleTransactionOrderStatus, consoleTransactions } from "./console/transactions.ts";
import { devExplainTypedData } from "./dev/explain-typed-data.ts";
import { devFaucet } from "./dev/faucet.ts";
import {
  discoveryAsyncapi,
  discoveryDocs,
  discoveryErrors,
  discoveryLlms,
  discoveryOpenapi,
  discoverySkill,
  GUIDE_ROUTES,
} from "./discovery/documents.ts";
import { gamesCatalog } from "./games/catalog.ts";
import { gamesGet } from "./games/get.ts";
import { gamesRuns } from "./games/runs.ts";
import { identityMetadata } from "./identity/metadata.ts";
import { identityOwnershipStatus } from "./identity/ownership-status.ts";
import { identityProfileGet } from "./identity/profile-get.ts";
import { identityProfileMetadata } from "./identity/profile-metadata.ts";
import { identityProfileUpsert } from "./identity/profile-upsert.ts";
import { identityRegister } from "./identity/register.ts";
import { identityRegistrationFile } from "./identity/registration-file.ts";
import { leagueCurrent } from "./league/current.ts";
import { leagueMine } from "./league/mine.ts";
import { leagueRound } from "./league/round.ts";
import { leagueSubmit } from "./league/submit.ts";
import { leagueCourse, leagueDecide } from "./league/thinking.ts";
import { marketListingPayload } from "./market/listing-payload.ts";
import { marketListings } from "./market/listings.ts";
import { marketVisibilityMy } from "./market/visibility-my.ts";
import { marketVisibilitySet } from "./market/visibility-set.ts";
import { metadataAgentRegistration } from "./metadata/agent-registration.ts";
import { metadataGameNft } from "./metadata/game-nft.ts";
import { metadataGameNftImage } from "./metadata/game-nft-image.ts";
import { metadataGameTierImage } from "./metadata/game-tier-image.ts";
import { metadataIdentityImage } from "./metadata/identity-image.ts";
import { nftPrepare } from "./nft/prepare.ts";
import { nftRecord } from "./nft/record.ts";
import { operationsHealthz } from "./operations/healthz.ts";
import { operationsMetrics } from "./operations/metrics.ts";
import { operationsReadyz } from "./operations/readyz.ts";
import { operationsStatus } from "./operations/status.ts";
import { relaysGates } from "./relays/gates.ts";
import { relaysGet } from "./relays/get.ts";
import { replaysGet } from "./replays/get.ts";
import { rewardsPayout } from "./rewards/payout.ts";
import { rewardsPayoutHistory } from "./rewards/payout-history.ts";
import { rewardsPayoutStatus } from "./rewards/payout-status.ts";
import { rewardsReadiness } from "./rewards/readiness.ts";
import { rewardsScorebank } from "./rewards/scorebank.ts";
import { rewardsSnapshot } from "./rewards/snapshot.ts";
import { rewardsStartSession } from "./rewards/start-session.ts";
import { sessionsDemo } from "./sessions/demo.ts";
import { sessionsEnd } from "./sessions/end.ts";
import { sessionsGet } from "./sessions/get.ts";
import { sessionsGetById } from "./sessions/get-by-id.ts";
import { sessionsHeartbeat } from "./sessions/heartbeat.ts";
import { sessionsHighScore } from "./sessions/high-score.ts";
import { sessionsLive } from "./sessions/live.ts";
import { sessionsMy } from "./sessions/my.ts";
import { sessionsPlayToken } from "./sessions/play-token.ts";
import { sessionsReplay } from "./sessions/replay.ts";
import { sessionsSpectateToken } from "./sessions/spectate-token.ts";
import { sessionsSpectateTokenPublic } from "./sessions/spectate-token-public.ts";
import { sessionsStart } from "./sessions/start.ts";
import { sessionsStep } from "./sessions/step.ts";
import { sessionsTranscript } from "./sessions/transcript.ts";
import { statsLeaderboard } from "./stats/leaderboard.ts";
import { statsSearch } from "./stats/search.ts";
import { statsSubscribe } from "./stats/subscribe.ts";
import { statsSummary } from "./stats/summary.ts";
import { statsTokenomics } from "./stats/tokenomics.ts";
import { statsTrack, statsTrackLegacy } from "./stats/track.ts";
import { votingBallots } from "./voting/ballots.ts";
import { votingNonce } from "./voting/nonce.ts";
import { votingStatus } from "./voting/status.ts";
import { votingVote } from "./voting/vote.ts";

export const routes = [
  agentAgentInstructions,
  identityAgentInstructions,
  gamesAgentInstructions,
  rewardsAgentInstructions,
  marketAgentInstructions,
  identityRegister,
  identityOwnershipStatus,
  identityProfileGet,
  identityProfileUpsert,
  identityProfileMetadata,
  identityMetadata,
  identityRegistrationFile,
  metadataIdentityImage,
  metadataGameNft,
  metadataGameNftImage,
  metadataGameTierImage,
  metadataAgentRegistration,
  gamesCatalog,
  gamesGet,
  gamesRuns,
  authNonce,
  authVerify,
  authRefresh,
  authSession,
  authSignOut,
  sessionsStart,
  sessionsLive,
  sessionsDemo,
  sessionsMy,
  sessionsHighScore,
  sessionsGet,
  sessionsGetById,
  sessionsHeartbeat,
  sessionsEnd,
  sessionsStep,
  sessionsReplay,
  sessionsTranscript,
  replaysGet,
  sessionsPlayToken,
  sessionsSpectateToken,
  sessionsSpectateTokenPublic,
  nftPrepare,
  nftRecord,
  rewardsStartSession,
  rewardsSnapshot,
  rewardsScorebank,
  rewardsReadiness,
  rewardsPayout,
  rewardsPayoutStatus,
  rewardsPayoutHistory,
  relaysGet,
  relaysGates,
  marketListings,
  marketListingPayload,
  marketVisibilitySet,
  marketVisibilityMy,
  leagueCurrent,
  leagueSubmit,
  leagueMine,
  leagueCourse,
  leagueDecide,
  leagueRound,
  votingStatus,
  votingNonce,
  votingVote,
  votingBallots,
  statsTrack,
  statsTrackLegacy,
  statsSubscribe,
  statsLeaderboard,
  statsSearch,
  statsSummary,
  statsTokenomics,
  discoveryOpenapi,
  discoveryAsyncapi,
  discoveryDocs,
  discoveryErrors,
  discoverySkill,
  discoveryLlms,
  ...GUIDE_ROUTES,
  devFaucet,
  devExplainTypedData,
  operationsHealthz,
  operationsReadyz,
  operationsStatus,
  operationsMetrics,
  consoleSessions,
  consoleSessionAction,
  consoleTransactions,
  consoleTransactionOrder,
  consoleTransactionOrderStatus,
  consoleDoctor,
  consoleSignings,
  consolePayouts,
  consoleWithheld,
  consoleErrors,
  consoleAudit,
  consoleDraining,
  consoleDrain,
] as const satisfies readonly Route[];
