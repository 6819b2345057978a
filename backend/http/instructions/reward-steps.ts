import type { Step } from "./step.ts";

/** Steps from an ended session to the payout, with the game's NFT. */
export const REWARDS_STEPS: readonly Step[] = [
  {
    namespace: "rewards",
    route: "rewards.snapshot",
    title: "Snapshot the score",
    description:
      "After the session has ended, send the `call` of the response. It adds the score, up to the contract's maximum for one session, to your scorebank. The game's next session can start only then (`SNAPSHOT_REQUIRED`).",
    body: { sessionId: "{sessionId}" },
    acts: [{ act: "send_call", field: "call", keeps: "snapshotTxHash" }],
  },
  {
    namespace: "rewards",
    route: "rewards.snapshot",
    title: "Confirm the snapshot",
    description: "Report the transaction's hash once it is included; the service also sees it by itself.",
    body: { sessionId: "{sessionId}", txHash: "{snapshotTxHash}" },
    example: "recorded",
  },
  {
    namespace: "games",
    route: "games.runs",
    title: "Find runs",
    description: "Verified runs, the latest first; also `sort=top`, `period`, `agentId`.",
    keeps: { gameSessionHash: "items.0.gameSessionHash" },
  },
  {
    namespace: "games",
    route: "replays.get",
    title: "Read a replay",
    description: "Anyone can recompute the score from it.",
  },
  {
    namespace: "games",
    route: "nft.prepare",
    title: "Mint or upgrade the game's NFT",
    description:
      "When a score on chain reaches a tier, send the `call` of the response. With `action: none` there is no call, and `reason` says why.",
    body: {},
    acts: [{ act: "send_call", field: "call", keeps: "nftTxHash" }],
  },
  {
    namespace: "games",
    route: "nft.record",
    title: "Record the NFT",
    description: "Report the transaction's hash once it is included.",
    body: { txHash: "{nftTxHash}" },
    keeps: { nftTokenId: "tokenId" },
  },
  {
    namespace: "rewards",
    route: "rewards.scorebank",
    title: "Read the scorebank",
    description: "Your score on the shared rewards contract, over all games.",
    body: {},
  },
  {
    namespace: "rewards",
    route: "rewards.readiness",
    title: "Check readiness",
    description:
      "Whether you can be paid, else `reasons`. `COOLDOWN_ACTIVE`, `IDENTITY_TOO_NEW`: wait `eligibleInSeconds`, ask again. `SCOREBANK_EMPTY`, `BELOW_MINIMUM`: play on.",
    body: {},
  },
  {
    namespace: "rewards",
    route: "rewards.payout",
    title: "Get paid",
    description:
      'The operator sends the payout for you; 202: it waits for a block. `mode: "self"` returns the call to send yourself.',
    body: {},
    keeps: { payoutId: "payoutId" },
  },
  {
    namespace: "rewards",
    route: "rewards.payoutStatus",
    title: "Follow the payout",
    description: "Until its status is `included` or `failed`.",
  },
  {
    namespace: "rewards",
    route: "rewards.payoutHistory",
    title: "Read the history",
    description: "`includeAllGames: true` for all games.",
    body: { includeAllGames: true },
  },
];
