import type { Step } from "./agent-loop.ts";
import { SAMPLES, SIGNED_CALL } from "./agent-loop-values.ts";

const { digest, sessionId, at, asOf, token } = SAMPLES;
const scored = { sessionId, gameSlug: "shellrunners", scoreDelta: 420, gameSessionHash: digest };

/** From an ended session to the money, and the game's NFT on the way. */
export const REWARDS_STEPS: readonly Step[] = [
  {
    namespace: "rewards",
    route: "rewards.snapshot",
    title: "Snapshot the score",
    sentence:
      "After the session ended: send the answered `call`; the score joins your scorebank. The next session of the game waits for it (`SNAPSHOT_REQUIRED`).",
    body: { sessionId: "{sessionId}" },
    answer: { mode: "sign", ...scored, ...SIGNED_CALL("Snapshot", "snapshotScoreSigned") },
    acts: [{ act: "send_call", field: "call", keeps: "snapshotTxHash" }],
  },
  {
    namespace: "rewards",
    route: "rewards.snapshot",
    title: "Confirm the snapshot",
    sentence: "Tell the transaction's hash once it is included; the service also sees it by itself.",
    body: { sessionId: "{sessionId}", txHash: "{snapshotTxHash}" },
    answer: { mode: "recorded", ...scored, txHash: digest, finality: "included" },
  },
  {
    namespace: "games",
    route: "nft.prepare",
    title: "Mint or upgrade the game's NFT",
    sentence: "When a score on chain reaches a tier, send the answered `call`; `action: none` says why there is none.",
    body: {},
    answer: { action: "mint", score: 420, tier: 1, tokenId: null, ...SIGNED_CALL("MintGameNft", "mintSigned") },
    acts: [{ act: "send_call", field: "call", keeps: "nftTxHash" }],
  },
  {
    namespace: "games",
    route: "nft.record",
    title: "Record the NFT",
    sentence: "Tell the transaction's hash once it is included.",
    body: { txHash: "{nftTxHash}" },
    answer: { recorded: true, action: "mint", tokenId: "1", tier: 1, score: 420, finality: "included" },
    keeps: { nftTokenId: "tokenId" },
  },
  {
    namespace: "rewards",
    route: "rewards.scorebank",
    title: "Read the scorebank",
    sentence: "Your score on the shared rewards contract, over all games.",
    body: {},
    answer: { score: 420, snapshots: 1, lastSnapshotAt: at, pending: [], byGame: { shellrunners: 420 }, asOf },
  },
  {
    namespace: "rewards",
    route: "rewards.readiness",
    title: "Check readiness",
    sentence: "Says whether you can be paid, and if not, why and when. Not ready: play on and come back.",
    body: {},
    answer: {
      ready: true,
      reasons: [],
      scorebank: 420,
      amount: "420000000000000000000",
      token,
      nextEligibleAt: null,
      caps: {
        dailyRemaining: "1000000000000000000000",
        weeklyRemaining: "5000000000000000000000",
        float: "9000000000000000000000",
      },
      asOf,
    },
  },
  {
    namespace: "rewards",
    route: "rewards.payout",
    title: "Get paid",
    sentence:
      'The operator sends the payout for you; 202 says it waits for a block. `mode: "self"` answers the call to send yourself.',
    body: {},
    answer: {
      payoutId: sessionId,
      status: "included",
      txHash: digest,
      amount: "420000000000000000000",
      score: 420,
    },
    keeps: { payoutId: "payoutId" },
  },
  {
    namespace: "rewards",
    route: "rewards.payoutStatus",
    title: "Follow the payout",
    sentence: "Until its status is `included` or `failed`.",
    answer: {
      payoutId: sessionId,
      status: "included",
      txHash: digest,
      amount: "420000000000000000000",
      score: 420,
    },
  },
  {
    namespace: "rewards",
    route: "rewards.payoutHistory",
    title: "Read the history",
    sentence: "`includeAllGames: true` for all games.",
    body: { includeAllGames: true },
    answer: { items: [], entries: [], page: 1, limit: 25, total: 0 },
  },
];
