/** The steps of an agent as flows. Each can be repeated after a crash at any point and continues from there. */

import type { Address, Hex } from "viem";
import { toGameId } from "../backend/domain/replay/replay.ts";
import type { Input, NftReason, PayoutReason, PayoutView, SnapshotResponse, TokenInfo } from "./api.ts";
import { type CallExpectation, createRefusal } from "./check-call.ts";
import type { ArcadeClient } from "./client.ts";
import type { ArcadeContracts } from "./contracts.ts";
import { ArcadeApiError, ArcadeChainError, isApiError } from "./errors.ts";
import { type ArcadeWallet, type Receipt, sendSignedCall } from "./wallet.ts";

interface FlowOptions {
  readonly client: ArcadeClient;
  /** The client's own when left out. */
  readonly wallet?: ArcadeWallet;
}

function getWallet({ client, wallet }: FlowOptions): ArcadeWallet {
  const found = wallet ?? client.wallet;
  if (found === null) throw new TypeError("This flow sends from a wallet; create the client with one");
  return found;
}

/**
 * Whether a failed step is tried once more: the contract reverted because an earlier run's transaction has done it
 * already, or because the signature's deadline passed. The service's response says which.
 */
const isRevertError = (error: unknown): boolean => error instanceof ArcadeChainError && error.code === "REVERTED";

/** Runs `work`, and once more after a revert; a second revert is the caller's. */
async function retryAfterRevert<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isRevertError(error)) throw error;
    return work();
  }
}

export interface RegistrationResult {
  readonly agentId: string;
  /** Null where the wallet held its identity before. */
  readonly receipt: Receipt | null;
}

/** Makes sure that the wallet holds an agent identity. */
export async function registerAgent(
  options: FlowOptions &
    Omit<Input<"identity.register">, "walletAddress" | "chainId" | "verifyingContract" | "nonce" | "deadline">,
): Promise<RegistrationResult> {
  const { client, wallet: _, ...registration } = options;
  const wallet = getWallet(options);
  const findAgentId = async (): Promise<string | null> => {
    const status = await client.identity.ownershipStatus({ walletAddress: wallet.address });
    return status.owned ? status.agentId : null;
  };
  return retryAfterRevert(async () => {
    const existingAgentId = await findAgentId();
    if (existingAgentId !== null) return { agentId: existingAgentId, receipt: null };
    try {
      const prepared = await client.identity.register({ ...registration, walletAddress: wallet.address });
      const { chainId, identity } = await client.getContracts();
      const receipt = await sendSignedCall(wallet, prepared, {
        ...{ chainId, to: identity, functionName: "mintIdentityWithSignature" },
        args: [wallet.address, undefined, undefined, undefined],
      });
      const agentId = await waitFor(client, findAgentId);
      return { agentId, receipt };
    } catch (error) {
      if (isApiError(error, "ALREADY_REGISTERED")) return { agentId: String(error.fields.agentId), receipt: null };
      throw error;
    }
  });
}

const WAIT_ATTEMPTS = 60;
const WAIT_MS = 500;

/** Repeats the query until it has a result: the service's node may be a block behind the wallet's. */
async function waitFor<T>(client: ArcadeClient, query: () => Promise<T | null>): Promise<T> {
  for (let tries = 0; tries < WAIT_ATTEMPTS; tries++) {
    const result = await query();
    if (result !== null) return result;
    await client.retry.sleep(WAIT_MS);
  }
  throw new ArcadeChainError(
    "TX_TIMEOUT",
    "The transaction is on chain, but the service has not seen it; ask again in a moment.",
  );
}

export interface SnapshotResult {
  /** `none`: there was no score to snapshot; `already_done`: it was on chain before. */
  readonly mode: "none" | "already_done" | "recorded";
  readonly sessionId: string | null;
  readonly scoreDelta: number;
  readonly gameSessionHash: Hex | null;
  readonly txHash: Hex | null;
  /** Null where nothing was sent. */
  readonly receipt: Receipt | null;
}

export interface SnapshotOptions extends FlowOptions {
  readonly sessionId?: string;
  readonly gameSlug?: string;
  /** The score that the player saw at the end; another one is refused. */
  readonly score?: number;
}

/** The snapshot of the session that was asked for, with its score. */
async function expectSnapshot(
  options: SnapshotOptions,
  { gameSlug, scoreDelta, gameSessionHash, ...response }: SnapshotResponse,
): Promise<CallExpectation> {
  const { chainId, rewards } = await options.client.getContracts();
  checkField("sessionId", options.sessionId, response.sessionId);
  checkField("gameSlug", options.gameSlug, gameSlug);
  checkField("score", options.score, scoreDelta);
  return {
    ...{ chainId, to: rewards, functionName: "snapshotScoreSigned" },
    args: [getWallet(options).address, toGameId(gameSlug), String(scoreDelta), gameSessionHash, undefined, undefined],
  };
}

/** Brings an ended session's score on chain; without `sessionId` the oldest one that waits. */
export async function snapshotScore(options: SnapshotOptions): Promise<SnapshotResult> {
  const { client, sessionId, gameSlug } = options;
  const request = {
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(gameSlug === undefined ? {} : { gameSlug }),
  };
  return retryAfterRevert(async () => {
    const response = await client.rewards.snapshot(request).catch((error: unknown) => {
      if (isApiError(error, "NOTHING_TO_SNAPSHOT")) return null;
      throw error;
    });
    if (response === null) {
      return {
        mode: "none",
        sessionId: sessionId ?? null,
        scoreDelta: 0,
        gameSessionHash: null,
        txHash: null,
        receipt: null,
      };
    }
    const { scoreDelta, gameSessionHash } = response;
    const summary = { sessionId: response.sessionId, scoreDelta, gameSessionHash };
    if (response.mode !== "sign") return { mode: response.mode, ...summary, txHash: response.txHash, receipt: null };
    const receipt = await sendSignedCall(getWallet(options), response, await expectSnapshot(options, response));
    const recorded = await client.rewards.snapshot({ sessionId: response.sessionId, txHash: receipt.txHash });
    return {
      mode: recorded.mode === "sign" ? "already_done" : recorded.mode,
      ...summary,
      txHash: receipt.txHash,
      receipt,
    };
  });
}

/** A fact of the service's response that the caller knows already. */
function checkField(field: string, expected: unknown, received: unknown): void {
  if (expected !== undefined && expected !== received) throw createRefusal(field, expected, received);
}

/** Throws `CONTRACTS_UNKNOWN` for a game without a contract. */
function getNftContract(nft: ArcadeContracts["nft"], slug: string): Address {
  const address = Object.hasOwn(nft, slug) ? nft[slug] : undefined;
  if (address !== undefined) return address;
  throw new ArcadeChainError(
    "CONTRACTS_UNKNOWN",
    `Expected the NFT contract of ${slug} among the client's contracts, received those of ${Object.keys(nft).join(", ")}.`,
  );
}

export interface NftResult {
  readonly action: "mint" | "upgrade" | "none";
  /** Why there was nothing to do. */
  readonly reason: NftReason | null;
  readonly tokenId: string | null;
  readonly tier: number;
  readonly score: number;
  readonly receipt: Receipt | null;
}

/** Mints or upgrades the game's NFT where a score on chain reaches a tier. */
export async function mintOrUpgradeNft(
  options: FlowOptions & { readonly slug: string; readonly sessionId?: string },
): Promise<NftResult> {
  const { client, slug, sessionId } = options;
  return retryAfterRevert(async () => {
    const prepared = await client.nft.prepare({ slug, ...(sessionId === undefined ? {} : { sessionId }) });
    const { tier, score, tokenId } = prepared;
    if (prepared.action === "none")
      return { action: "none", reason: prepared.reason, tokenId, tier, score, receipt: null };
    const wallet = getWallet(options);
    const { chainId, nft } = await client.getContracts();
    const receipt = await sendSignedCall(wallet, prepared, {
      ...{ chainId, to: getNftContract(nft, slug) },
      functionName: prepared.action === "mint" ? "mintSigned" : "upgradeSigned",
      args: [wallet.address, undefined, String(score), undefined, undefined],
    });
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

export type PayoutResult =
  | { readonly paid: true; readonly payout: PayoutView; readonly token: TokenInfo }
  | {
      readonly paid: false;
      readonly reasons: readonly PayoutReason[];
      readonly nextEligibleAt: string | null;
      readonly token: TokenInfo;
    };

const POLL_ATTEMPTS = 120;
const POLL_MS = 1_000;

/** Pays the wallet's scorebank through the operator and waits for the payout's block, or returns why it cannot. */
export async function requestPayout(options: FlowOptions & { readonly gameSlug?: string }): Promise<PayoutResult> {
  const { client, gameSlug } = options;
  const readiness = await client.rewards.readiness({});
  const { token, reasons, nextEligibleAt } = readiness;
  // An open payout is returned again, so that it is waited for.
  if (!readiness.ready && !reasons.includes("PAYOUT_PENDING")) {
    return { paid: false, reasons, nextEligibleAt, token };
  }
  try {
    const initialPayout = await client.rewards.payout(gameSlug === undefined ? {} : { gameSlug });
    return { paid: true, payout: await waitForPayout(client, initialPayout), token };
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

async function waitForPayout(client: ArcadeClient, initialPayout: PayoutView): Promise<PayoutView> {
  let payout = initialPayout;
  for (let tries = 0; payout.status === "pending" || payout.status === "sent"; tries++) {
    if (tries === POLL_ATTEMPTS) {
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

/** The wallet sends the payout itself and pays its gas. */
export async function sendPayoutFromWallet(options: FlowOptions): Promise<Receipt> {
  const { client } = options;
  const wallet = getWallet(options);
  const prepared = await client.rewards.payoutCall({ mode: "self" });
  const { chainId, rewards } = await client.getContracts();
  return sendSignedCall(wallet, prepared, { chainId, to: rewards, functionName: "payout", args: [wallet.address] });
}
