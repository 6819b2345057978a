/** The steps of an agent's life as flows. Each can be repeated after a crash at any point and goes on from there. */
import type { ArcadeClient } from "./client.ts";
import { ArcadeApiError, ArcadeChainError, isApiError } from "./errors.ts";
import type { RegisterInput } from "./routes.ts";
import type { Hex, NftReason, PayoutReason, PayoutView, TokenFacts } from "./types.ts";
import { type ArcadeWallet, type Receipt, sendSignedCall } from "./wallet.ts";

interface FlowOptions {
  readonly client: ArcadeClient;
  /** The client's own when left out. */
  readonly wallet?: ArcadeWallet;
}

function walletOf({ client, wallet }: FlowOptions): ArcadeWallet {
  const found = wallet ?? client.wallet;
  if (found === null) throw new TypeError("This flow sends from a wallet; create the client with one");
  return found;
}

/**
 * Whether a failed step is asked for once more: the contract refused what may have happened already (an earlier run's
 * transaction), or the signature's deadline passed. The service knows which.
 */
const mayAskAgain = (error: unknown): boolean => error instanceof ArcadeChainError && error.code === "REVERTED";

/** Runs `work`, and once more after a revert; a second revert is the caller's. */
async function onceMore<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!mayAskAgain(error)) throw error;
    return work();
  }
}

export interface Registered {
  readonly agentId: string;
  /** Null where the wallet held its identity before. */
  readonly receipt: Receipt | null;
}

/** Makes sure that the wallet holds an agent identity. */
export async function registerAgent(
  options: FlowOptions & Omit<RegisterInput, "walletAddress" | "chainId" | "verifyingContract" | "nonce" | "deadline">,
): Promise<Registered> {
  const { client, wallet: _, ...facts } = options;
  const wallet = walletOf(options);
  const held = async (): Promise<string | null> => {
    const status = await client.identity.ownershipStatus({ walletAddress: wallet.address });
    return status.owned ? status.agentId : null;
  };
  return onceMore(async () => {
    const before = await held();
    if (before !== null) return { agentId: before, receipt: null };
    try {
      const prepared = await client.identity.register({ ...facts, walletAddress: wallet.address });
      const receipt = await sendSignedCall(wallet, prepared);
      const agentId = await waitFor(client, held);
      return { agentId, receipt };
    } catch (error) {
      if (isApiError(error, "ALREADY_REGISTERED")) return { agentId: String(error.fields.agentId), receipt: null };
      throw error;
    }
  });
}

const WAIT_TRIES = 60;
const WAIT_MS = 500;

/** Asks until there is an answer: the service's node may be a block behind the wallet's. */
async function waitFor<T>(client: ArcadeClient, ask: () => Promise<T | null>): Promise<T> {
  for (let tries = 0; tries < WAIT_TRIES; tries++) {
    const answer = await ask();
    if (answer !== null) return answer;
    await client.retry.sleep(WAIT_MS);
  }
  throw new ArcadeChainError(
    "TX_TIMEOUT",
    "The transaction is on chain, but the service has not seen it; ask again in a moment.",
  );
}

export interface Snapshotted {
  /** `none`: there was no score to snapshot; `already_done`: it was on chain before. */
  readonly mode: "none" | "already_done" | "recorded";
  readonly sessionId: string | null;
  readonly scoreDelta: number;
  readonly gameSessionHash: Hex | null;
  readonly txHash: Hex | null;
  /** Null where nothing was sent. */
  readonly receipt: Receipt | null;
}

/** Brings an ended session's score on chain; without `sessionId` the oldest one that waits. */
export async function snapshotScore(
  options: FlowOptions & { readonly sessionId?: string; readonly gameSlug?: string },
): Promise<Snapshotted> {
  const { client, sessionId, gameSlug } = options;
  const wanted = { ...(sessionId === undefined ? {} : { sessionId }), ...(gameSlug === undefined ? {} : { gameSlug }) };
  return onceMore(async () => {
    const answer = await client.rewards.snapshot(wanted).catch((error: unknown) => {
      if (isApiError(error, "NOTHING_TO_SNAPSHOT")) return null;
      throw error;
    });
    if (answer === null) {
      return {
        mode: "none",
        sessionId: sessionId ?? null,
        scoreDelta: 0,
        gameSessionHash: null,
        txHash: null,
        receipt: null,
      };
    }
    const { scoreDelta, gameSessionHash } = answer;
    const facts = { sessionId: answer.sessionId, scoreDelta, gameSessionHash };
    if (answer.mode !== "sign") return { mode: answer.mode, ...facts, txHash: answer.txHash, receipt: null };
    const receipt = await sendSignedCall(walletOf(options), answer);
    const recorded = await client.rewards.snapshot({ sessionId: answer.sessionId, txHash: receipt.txHash });
    return {
      mode: recorded.mode === "sign" ? "already_done" : recorded.mode,
      ...facts,
      txHash: receipt.txHash,
      receipt,
    };
  });
}

export interface NftProgress {
  readonly action: "mint" | "upgrade" | "none";
  /** Why there was nothing to do. */
  readonly reason: NftReason | null;
  readonly tokenId: string | null;
  readonly tier: number;
  readonly score: number;
  readonly receipt: Receipt | null;
}

/** Mints or upgrades the game's NFT where a score on chain is good for it. */
export async function progressNft(
  options: FlowOptions & { readonly slug: string; readonly sessionId?: string },
): Promise<NftProgress> {
  const { client, slug, sessionId } = options;
  return onceMore(async () => {
    const prepared = await client.nft.prepare({ slug, ...(sessionId === undefined ? {} : { sessionId }) });
    const { tier, score, tokenId } = prepared;
    if (prepared.action === "none")
      return { action: "none", reason: prepared.reason, tokenId, tier, score, receipt: null };
    const receipt = await sendSignedCall(walletOf(options), prepared);
    const recorded = await client.nft.record({ slug, txHash: receipt.txHash });
    return {
      action: recorded.action,
      reason: null,
      tokenId: recorded.tokenId,
      tier: recorded.tier,
      score: recorded.score,
      receipt,
    };
  });
}

export type PayoutOutcome =
  | { readonly paid: true; readonly payout: PayoutView; readonly token: TokenFacts }
  | {
      readonly paid: false;
      readonly reasons: readonly PayoutReason[];
      readonly nextEligibleAt: string | null;
      readonly token: TokenFacts;
    };

const POLL_TRIES = 120;
const POLL_MS = 1_000;

/** Pays the wallet's scorebank through the operator, or tells exactly why not. Waits for the payout's block. */
export async function requestPayout(options: FlowOptions & { readonly gameSlug?: string }): Promise<PayoutOutcome> {
  const { client, gameSlug } = options;
  const readiness = await client.rewards.readiness({});
  const { token, reasons, nextEligibleAt } = readiness;
  // One that is open already is answered again, and waited for.
  if (!readiness.ready && !reasons.includes("PAYOUT_PENDING")) {
    return { paid: false, reasons, nextEligibleAt, token };
  }
  try {
    const opened = await client.rewards.payout(gameSlug === undefined ? {} : { gameSlug });
    return { paid: true, payout: await settledPayout(client, opened), token };
  } catch (error) {
    if (!isApiError(error, "PAYOUT_NOT_READY")) throw error;
    return {
      paid: false,
      reasons: (error.fields.reasons ?? []) as readonly PayoutReason[],
      nextEligibleAt: (error.fields.nextEligibleAt ?? null) as string | null,
      token,
    };
  }
}

async function settledPayout(client: ArcadeClient, opened: PayoutView): Promise<PayoutView> {
  let payout = opened;
  for (let tries = 0; payout.status === "pending" || payout.status === "sent"; tries++) {
    if (tries === POLL_TRIES) {
      throw new ArcadeChainError(
        "TX_TIMEOUT",
        `Payout ${payout.payoutId} still waits for its block; ask for it again later.`,
      );
    }
    await client.retry.sleep(POLL_MS);
    payout = await client.rewards.payoutStatus({ payoutId: payout.payoutId });
  }
  if (payout.status === "included") return payout;
  throw new ArcadeApiError({
    code: "TX_FAILED",
    message: `Payout ${payout.payoutId} failed${payout.txHash === null ? "" : ` (${payout.txHash})`}; check readiness and ask again.`,
    status: 409,
    retryable: false,
    fields: { ...payout },
  });
}

/** Pays itself: the wallet sends the call and its own gas. */
export async function payoutByWallet(options: FlowOptions): Promise<Receipt> {
  const prepared = await options.client.rewards.payoutCall({ mode: "self" });
  return sendSignedCall(walletOf(options), prepared);
}
