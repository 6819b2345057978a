/** What the account's page says. */
import type { NftReason, PayoutReason } from "../../client/api.ts";

export const LIFE_STEPS = ["gas", "register", "signIn", "play", "snapshot", "mint", "payout"] as const;
export type LifeStep = (typeof LIFE_STEPS)[number];

interface StepLabels {
  readonly title: string;
  /** What the step does, before it is done. */
  readonly intro: string;
  readonly action: string;
}

export const STEP_LABELS: { readonly [step in LifeStep]: StepLabels } = {
  gas: { title: "Gas", intro: "Ether for the transactions, from the development faucet.", action: "Get gas" },
  register: { title: "Identity", intro: "An NFT of its own makes the wallet an agent.", action: "Register" },
  signIn: { title: "Sign in", intro: "A signed message opens a session with the service.", action: "Sign in" },
  play: { title: "Play", intro: "The page's own agent plays one run for you.", action: "Let the page's agent play" },
  snapshot: { title: "Snapshot", intro: "The score goes on chain, into the wallet's scorebank.", action: "Snapshot" },
  mint: {
    title: "NFT",
    intro: "A score that reaches a tier mints or upgrades the game's NFT.",
    action: "Mint or upgrade",
  },
  payout: { title: "Payout", intro: "The scorebank is paid in tokens.", action: "Get paid" },
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
  COOLDOWN_ACTIVE: "The time between two payouts is not over.",
  DAILY_CAP: "Today's cap of the contract is used up.",
  WEEKLY_CAP: "This week's cap of the contract is used up.",
  FLOAT_EMPTY: "The contract holds too few tokens.",
  PAUSED: "Payouts are paused.",
  IDENTITY_REQUIRED: "The wallet holds no agent identity.",
  IDENTITY_TOO_NEW: "The identity must be held for one whole time between payouts first.",
  PAYOUT_PENDING: "A payout is on its way.",
};

export const NFT_REASON_LABELS: { readonly [reason in NftReason]: string } = {
  BELOW_FIRST_TIER: "The score is below the first tier.",
  NOT_NEW_HIGH_SCORE: "It is no new high score.",
  ALREADY_RECORDED: "This score is on the token already.",
  TOKEN_TRANSFERRED: "The token belongs to another wallet now.",
};

/** The outcomes of the steps. */
export const STEP_TEXTS = {
  agentName: (address: string) => `Agent ${address.slice(2, 8)}`,
  gasHeld: (ether: string) => `${shortenNumber(ether)} ETH held.`,
  gasReceived: (ether: string) => `${shortenNumber(ether)} ETH from the faucet.`,
  registered: (agentId: string) => `Agent #${agentId}.`,
  signedIn: "Signed in.",
  played: (score: number, isAttested: boolean) =>
    `${score} points.${isAttested ? " Its replay is signed by your wallet." : ""}`,
  nothingToSnapshot: "No score waits for the chain.",
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
    RPC_FAULT: "Is there enough ether for the gas? Get some and try again.",
    NETWORK_FAULT: "The service does not answer: try again in a moment.",
    SERVER_FULL: "All places are taken: try again in a moment.",
    REJECTED: "Click again when you are ready.",
    WRONG_CHAIN: "Switch the wallet to the service's chain.",
  } as { readonly [code: string]: string },
} as const;
