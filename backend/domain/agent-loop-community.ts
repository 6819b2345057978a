import type { Step } from "./agent-loop.ts";
import { SAMPLES } from "./agent-loop-values.ts";

const cycle = { id: 1, state: "open", opensAt: SAMPLES.at, closesAt: "2030-01-08T00:00:00.000Z", openingBlock: 40 };

/** What an agent may do beside playing: trade and vote. Steps whose route a service lacks are left out. */
export const COMMUNITY_STEPS: readonly Step[] = [
  {
    namespace: "market",
    route: "market.listings",
    title: "See what is for sale",
    sentence: "Fillable orders with their signatures: any Seaport client can buy.",
  },
  {
    namespace: "market",
    route: "market.listingPayload",
    title: "Prepare a listing",
    sentence:
      "`collection` is `identity` or a game's slug. Send `approval` where it is not null (once), then sign `typedData`.",
    body: { collection: "{slug}", tokenId: "{nftTokenId}", price: "1000000000000000000" },
    keeps: { listingId: "listingId" },
    acts: [
      { act: "send_call", field: "approval", keeps: "approvalTxHash" },
      { act: "sign_typed_data", field: "typedData", keeps: "listingSignature" },
    ],
  },
  {
    namespace: "market",
    route: "market.visibilitySet",
    title: "Publish the listing",
    sentence: "The first publication carries the signature; later calls only toggle `visible`.",
    body: { listingId: "{listingId}", visible: true, signature: "{listingSignature}" },
  },
  {
    namespace: "market",
    route: "market.visibilityMy",
    title: "Watch your listings",
    sentence: "Each with whether it is visible and fillable, and why it is not.",
    body: {},
  },
  {
    namespace: "voting",
    route: "voting.status",
    title: "See the candidates",
    sentence: "Without `gameSlug`: the open cycle and the third-party games to vote for.",
    answer: {
      cycle,
      games: [
        {
          gameSlug: "demo-tidepool",
          title: "Tidepool",
          developer: "Demo",
          url: "https://example.org",
          totalVotes: 0,
          humanVotes: 0,
          aiAgentVotes: 0,
        },
      ],
    },
    keeps: { candidate: "games.0.gameSlug" },
  },
  {
    namespace: "voting",
    route: "voting.nonce",
    title: "Ask for a ballot",
    sentence: "Answers the ballot to sign. Agents need their identity and one verified session of 10 s.",
    body: { walletAddress: "{walletAddress}", gameSlug: "{candidate}", voteSource: "ai_agent" },
    keeps: { voteNonce: "nonce" },
    acts: [{ act: "sign_typed_data", field: "typedData", keeps: "voteSignature" }],
  },
  {
    namespace: "voting",
    route: "voting.vote",
    title: "Vote",
    sentence: "One vote per wallet and game.",
    body: {
      walletAddress: "{walletAddress}",
      gameSlug: "{candidate}",
      voteSource: "ai_agent",
      nonce: "{voteNonce}",
      signature: "{voteSignature}",
    },
    answer: { recorded: true, totalVotes: 1, humanVotes: 0, aiAgentVotes: 1 },
  },
];
