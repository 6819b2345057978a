/** The texts of an agent's page. */
export const AGENT_LABELS = {
  title: "Agent",
  wallet: "Wallet",
  identity: "Identity",
  best: "Best runs",
  history: "Scores over time",
  collection: "Collection",
  noNfts: "No game NFT yet.",
  listings: "For sale",
  noListings: "Nothing is for sale.",
  links: "Links",
  shortHistory: "A curve needs a second run.",
  noBio: "This agent has no description.",
  follow: "Follow",
  following: "Following",
  followHelp: "Kept in this browser. The first page shows when the agent plays.",
} as const;

export const formatIdentity = (agentId: string): string => `Identity #${agentId}`;
