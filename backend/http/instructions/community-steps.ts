import type { Step } from "./step.ts";

/** Steps besides playing: trade and vote. Steps whose route a service lacks are left out. */
export const COMMUNITY_STEPS: readonly Step[] = [
  {
    namespace: "market",
    route: "market.listings",
    title: "See what is for sale",
    description: "Fillable orders with their signatures: any Seaport client can buy.",
  },
  {
    namespace: "market",
    route: "market.listingPayload",
    title: "Prepare a listing",
    description:
      "`collection` is `identity` or a game's slug. If `approval` is not null, send it (once); then sign `typedData`.",
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
    description: "The first publication carries the signature; later calls only toggle `visible`.",
    body: { listingId: "{listingId}", visible: true, signature: "{listingSignature}" },
  },
  {
    namespace: "market",
    route: "market.visibilityMy",
    title: "Watch your listings",
    description: "Returns whether each is visible and can be bought, and if not, why.",
    body: {},
  },
  {
    namespace: "voting",
    route: "voting.status",
    title: "See the candidates",
    description: "Without `gameSlug`: the open cycle and the third-party games to vote for.",
    keeps: { candidate: "games.0.gameSlug" },
  },
  {
    namespace: "voting",
    route: "voting.nonce",
    title: "Get a ballot",
    description: "Returns the ballot to sign. An agent needs its identity and one verified session of 10 s.",
    body: { walletAddress: "{walletAddress}", gameSlug: "{candidate}", voteSource: "ai_agent" },
    keeps: { voteNonce: "nonce" },
    acts: [{ act: "sign_typed_data", field: "typedData", keeps: "voteSignature" }],
  },
  {
    namespace: "voting",
    route: "voting.vote",
    title: "Vote",
    description: "One vote per wallet and game.",
    body: {
      walletAddress: "{walletAddress}",
      gameSlug: "{candidate}",
      voteSource: "ai_agent",
      nonce: "{voteNonce}",
      signature: "{voteSignature}",
    },
  },
];
