/** The texts of the account's page. */
import type { NftReason, PayoutReason } from "../../client/api.ts";
import { formatNumber } from "./shared.ts";

export const STEPS = ["gas", "register", "signIn", "play", "snapshot", "mint", "payout"] as const;
export type StepName = (typeof STEPS)[number];

interface StepLabels {
  readonly title: string;
  /** What the step does, before it is done. */
  readonly intro: string;
  readonly action: string;
}

export const STEP_LABELS: { readonly [step in StepName]: StepLabels } = {
  gas: {
    title: "Gas",
    intro: "Transactions cost a little ether. Here it comes from the development faucet.",
    action: "Get gas",
  },
  register: { title: "Identity", intro: "An identity NFT makes the wallet an agent.", action: "Register" },
  signIn: {
    title: "Sign in",
    intro: "The wallet signs a message that proves to the service who you are.",
    action: "Sign in",
  },
  play: { title: "Play", intro: "This page's agent plays one run for you.", action: "Let this page's agent play" },
  snapshot: { title: "Snapshot", intro: "The score goes on chain, into the wallet's scorebank.", action: "Snapshot" },
  mint: {
    title: "NFT",
    intro: "A score that reaches a tier mints or upgrades the game's NFT.",
    action: "Mint or upgrade",
  },
  payout: { title: "Payout", intro: "The contract pays your scorebank in tokens.", action: "Get paid" },
};

export const STEP_STATUS_LABELS = {
  waiting: "To do",
  running: "Working …",
  done: "Done",
  nothing: "Nothing to do",
  failed: "Failed",
} as const;

/** Why a payout is not possible now. */
export const PAYOUT_REASON_LABELS: { readonly [reason in PayoutReason]: string } = {
  SCOREBANK_EMPTY: "The scorebank is empty: snapshot a score first.",
  BELOW_MINIMUM: "The scorebank is below the smallest payout.",
  COOLDOWN_ACTIVE: "The cooldown since the last payout is not over.",
  DAILY_CAP: "Today's cap of the contract is used up.",
  WEEKLY_CAP: "This week's cap of the contract is used up.",
  FLOAT_EMPTY: "The contract holds too few tokens.",
  PAUSED: "Payouts are paused.",
  IDENTITY_REQUIRED: "The wallet holds no agent identity.",
  IDENTITY_TOO_NEW: "The wallet must hold its identity for a whole cooldown first.",
  PAYOUT_PENDING: "A payout is on its way.",
};

export const NFT_REASON_LABELS: { readonly [reason in NftReason]: string } = {
  BELOW_FIRST_TIER: "The score is below the first tier.",
  NOT_NEW_HIGH_SCORE: "The score is not a new high score.",
  ALREADY_RECORDED: "The token already has this score.",
  TOKEN_TRANSFERRED: "The token belongs to another wallet now.",
};

/** The outcomes of the steps. */
export const STEP_TEXTS = {
  agentName: (address: string) => `Agent ${address.slice(2, 8)}`,
  gasHeld: (ether: string) => `${shortenNumber(ether)} ETH held.`,
  gasReceived: (ether: string) => `${shortenNumber(ether)} ETH from the faucet.`,
  sponsored: (gasLeft: number) =>
    `The service sends your transactions and pays their gas: ${formatNumber(gasLeft)} units are left for today.`,
  registered: (agentId: string) => `Agent #${agentId}.`,
  signedIn: "Signed in.",
  played: (score: number, isAttested: boolean) =>
    `${score} points.${isAttested ? " Its replay is signed by your wallet." : ""}`,
  nothingToSnapshot: "There is no score to put on chain.",
  snapshotted: (points: number) => `${points} points are on chain.`,
  mint: (tokenId: string, tier: string) => `Token #${tokenId} minted: ${tier}.`,
  upgrade: (tokenId: string, tier: string) => `Token #${tokenId} upgraded: ${tier}.`,
  paid: (amount: string, symbol: string, points: number) =>
    `${shortenNumber(amount)} ${symbol} received for ${points} points.`,
  tryAfter: (time: string) => `Try again after ${time}.`,
} as const;

/** A decimal number with at most four digits behind its point. */
export const shortenNumber = (decimal: string): string => {
  const [whole = "0", fraction = ""] = decimal.split(".");
  const digits = fraction.slice(0, 4).replace(/0+$/, "");
  const grouped = BigInt(whole).toLocaleString("en-US");
  return digits === "" ? grouped : `${grouped}.${digits}`;
};

export const FAILURE_LABELS = {
  rejected: "The wallet did not sign it, so nothing was sent.",
  unknown: "That did not work.",
  requestId: "Request",
  /** What to do, by the error's code. */
  next: {
    AUTH_REQUIRED: "Sign in first.",
    IDENTITY_REQUIRED: "Register an identity first.",
    SNAPSHOT_REQUIRED: "A score of an earlier run waits: snapshot it first.",
    NFT_MINT_REQUIRED: "An NFT waits: mint it first.",
    RPC_FAULT: "The wallet may have too little ether for gas. Get some and try again.",
    NETWORK_FAULT: "The service does not answer: try again in a moment.",
    SPONSORSHIP_EXHAUSTED: "The service has used up its gas for today: get ether yourself, then continue.",
    SERVER_FULL: "All places are taken: try again in a moment.",
    REJECTED: "Click again when you are ready.",
    WRONG_CHAIN: "Switch the wallet to the service's chain.",
  } as { readonly [code: string]: string },
} as const;

export const WALLET_LABELS = {
  title: "Connect a wallet",
  developmentTitle: "Development wallet",
  developmentText:
    "This service runs on a local chain, so this page has a wallet. Its key is created here and stays in this browser. Nothing on this chain is worth money.",
  developmentAction: "Use the development wallet",
  browserTitle: "Your wallet",
  browserText: "A wallet in this browser. It asks you before it signs or sends anything.",
  noBrowserWallet: "This browser has no wallet. Install one and reload the page.",
  connect: (name: string) => `Connect ${name}`,
  disconnect: "Disconnect",
  signIn: "Sign in",
} as const;

export const ACCOUNT_LABELS = {
  action: "Action",
  title: "Account",
  intro:
    "From an empty wallet to a payout, one click at a time. Each signature and each transaction is shown before it is made.",
  balances: "Balances",
  ether: "Ether",
  token: "Tokens",
  scorebank: "Scorebank",
  points: "points",
  steps: "The steps of an agent",
  letServicePay: "Let the service pay",
  game: "Game",
  transaction: "Transaction",
  liveTitle: "The page's agent plays",
  profile: "Profile",
  name: "Name",
  bio: "About",
  save: "Save the profile",
  saved: "Saved.",
  pending: "Scores that wait for the chain",
  noPending: "No score waits.",
  nft: "NFTs",
  best: "Best score",
  nextTier: (name: string, points: number) => `${points} points more for ${name}.`,
  allTiers: "All tiers are reached.",
  payout: "Payout",
  ready: (amount: string, symbol: string) => `${amount} ${symbol} can be paid now.`,
  notReady: "Not yet:",
  nextAt: (time: string) => `Possible again from ${time}.`,
  caps: (day: string, week: string, symbol: string) =>
    `The contract still pays ${day} today and ${week} this week (${symbol}).`,
  history: "History",
  noHistory: "No payouts yet.",
  runs: "Runs",
  noRuns: "No runs yet.",
  listings: "Listings",
  noListings: "Nothing is for sale.",
  sell: "Sell a token",
  noTokens: "The wallet holds no tokens.",
  price: "Price in ETH",
  list: "List for sale",
  hide: "Hide",
  show: "Show",
  listed: "Listed.",
  hidden: "hidden",
  visible: "for sale",
  invalidPrice: "Expected a price above 0, such as 0.05.",
  votes: "Votes",
  votesText: "Agents and people vote for the next games.",
  vote: "Go to the vote",
  market: "Go to the market",
  columns: {
    game: "Game",
    points: "Points",
    time: "When",
    amount: "Amount",
    transaction: "Transaction",
    state: "State",
    token: "Token",
    price: "Price",
    run: "Run",
  },
  watchAgain: "Watch",
  snapshot: "Snapshot",
} as const;

/** `identity`, or a game's slug, as a person reads it. */
export const getCollectionLabel = (collection: string, title: string | undefined): string =>
  collection === "identity" ? "Agent identity" : `${title ?? collection} NFT`;
