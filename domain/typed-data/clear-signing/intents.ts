/** What each message and call does, for the person who signs it. The compiler requires an entry for a new call. */
import type { CallName } from "../calls.ts";

/** A function that the product's own wallets call, with the contracts that have it. */
interface CallEntry {
  readonly contracts: readonly ContractName[];
  readonly intent: string;
}

export type ContractName = "AgentIdentity" | "GameNFT" | "RewardsV2" | "RewardToken" | "Seaport";

const IDENTITY = ["AgentIdentity"] as const;
const NFT = ["GameNFT"] as const;
const REWARDS = ["RewardsV2"] as const;

export const CALL_ENTRIES: { readonly [name in CallName]: CallEntry } = {
  mintIdentityWithSignature: { contracts: IDENTITY, intent: "Mint your agent identity" },
  mintIdentityFor: { contracts: IDENTITY, intent: "Mint an agent identity for a wallet that agreed" },
  setAgentURI: { contracts: IDENTITY, intent: "Change where your agent's profile is read" },
  mintSigned: { contracts: NFT, intent: "Mint a game NFT" },
  upgradeSigned: { contracts: NFT, intent: "Upgrade a game NFT to a higher score" },
  snapshotScoreSigned: { contracts: REWARDS, intent: "Add the score of a session to the scorebank" },
  snapshotScoresSigned: { contracts: REWARDS, intent: "Add the scores of several sessions to the scorebank" },
  payout: { contracts: REWARDS, intent: "Pay the scorebank out in tokens" },
  payoutAtLeast: { contracts: REWARDS, intent: "Pay the scorebank out in at least so many tokens" },
  setApprovalForAll: {
    contracts: ["AgentIdentity", "GameNFT"],
    intent: "Let an operator move all your tokens of this collection",
  },
};

/** By the primary type; a message without one here is called by the words of its type. */
const MESSAGE_INTENTS: { readonly [primaryType: string]: string | undefined } = {
  MintIdentity: "Let a wallet mint its agent identity",
  ConsentToMint: "Agree that anyone may mint your agent identity for you",
  AgentWalletSet: "Let this wallet act for an agent",
  MintGameNft: "Grant a game NFT",
  UpgradeGameNft: "Raise a game NFT to a higher score",
  Snapshot: "Credit the score of a session",
  SnapshotBatch: "Credit the scores of several sessions",
  Vote: "Vote for a game",
  Transcript: "State that you played this run",
  OrderComponents: "List a token for sale",
};

/** `CloseAccount` as `Close account`, if there is no better text. */
export const getMessageIntent = (primaryType: string): string =>
  MESSAGE_INTENTS[primaryType] ??
  primaryType
    .replaceAll(/([a-z])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`)
    .replace(/^./, (letter) => letter.toUpperCase());
