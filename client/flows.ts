/** The steps of an agent as flows. Each can be repeated after a crash and continues where it stopped. */

import type { Hex } from "viem";
import { toGameId } from "../domain/replay/replay.ts";
import type { Input, NftReason, RelayView, SnapshotResponse, SponsoredNft, SponsoredSnapshotResponse } from "./api.ts";
import { type CallExpectation, createRefusal } from "./check-call.ts";
import type { ArcadeClient } from "./client.ts";
import { ArcadeChainError, isApiError } from "./errors.ts";
import { expectNftCall } from "./nft-call.ts";
import { mintByConsent, waitForRelay } from "./sponsored.ts";
import { type ArcadeWallet, type PreparedCall, type Receipt, sendSignedCall } from "./wallet.ts";

export interface FlowOptions {
  readonly client: ArcadeClient;
  /** True: the operator sends the call and pays its gas. */
  readonly sponsor?: boolean;
  /** The client's wallet by default. */
  readonly wallet?: ArcadeWallet;
}

export function getWallet({ client, wallet }: FlowOptions): ArcadeWallet {
  const found = wallet ?? client.wallet;
  if (found === null) throw new TypeError("This flow sends from a wallet; create the client with one");
  return found;
}

/** Sends a prepared call from the wallet; later responses show its effect. */
export async function sendFromWallet(
  options: FlowOptions,
  prepared: PreparedCall,
  expected: CallExpectation,
): Promise<Receipt> {
  const receipt = await sendSignedCall(getWallet(options), prepared, expected);
  options.client.seeBlock(receipt.block);
  return receipt;
}

/**
 * Whether to try a failed step once more: the contract reverted because an earlier run had already done it, or because
 * the signature's deadline passed. The service's next response shows which.
 */
const isRevertError = (error: unknown): boolean => error instanceof ArcadeChainError && error.code === "REVERTED";

/** Runs `work`, and once more after a revert; throws a second revert. */
export async function retryAfterRevert<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isRevertError(error)) throw error;
    return work();
  }
}

export interface RegistrationResult {
  readonly agentId: string;
  /** Null if the wallet already held its identity. */
  readonly receipt: Receipt | null;
  /** The transaction that the operator sent; otherwise absent. */
  readonly relay?: RelayView;
}

/** Ensures that the wallet holds an agent identity. */
export async function registerAgent(
  options: FlowOptions &
    Omit<
      Input<"identity.register">,
      "walletAddress" | "chainId" | "verifyingContract" | "nonce" | "deadline" | "sponsor" | "consent"
    >,
): Promise<RegistrationResult> {
  const { client, wallet: _, sponsor, ...registration } = options;
  const wallet = getWallet(options);
  const findAgentId = async (): Promise<string | null> => {
    const status = await client.identity.ownershipStatus({ walletAddress: wallet.address });
    return status.owned ? status.agentId : null;
  };
  return retryAfterRevert(async () => {
    const existingAgentId = await findAgentId();
    if (existingAgentId !== null) return { agentId: existingAgentId, receipt: null };
    try {
      if (sponsor === true) {
        const relay = await mintByConsent(client, wallet, { ...registration, walletAddress: wallet.address });
        return { agentId: await waitFor(client, findAgentId), receipt: null, relay };
      }
      const prepared = await client.identity.register({ ...registration, walletAddress: wallet.address });
      const { chainId, identity } = await client.getContracts();
      const receipt = await sendFromWallet(options, prepared, {
        chainId,
        to: identity,
        functionName: "mintIdentityWithSignature",
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
export async function waitFor<T>(client: ArcadeClient, query: () => Promise<T | null>): Promise<T> {
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
  /** `none`: there was no score to snapshot; `already_done`: it was already on chain. */
  readonly mode: "none" | "already_done" | "recorded";
  readonly sessionId: string | null;
  readonly scoreDelta: number;
  readonly gameSessionHash: Hex | null;
  readonly txHash: Hex | null;
  /** Null if the wallet sent nothing. */
  readonly receipt: Receipt | null;
}

export interface SnapshotOptions extends FlowOptions {
  readonly sessionId?: string;
  readonly gameSlug?: string;
  /** The score that the player saw at the end; any other is refused. */
  readonly score?: number;
}

export async function expectSnapshot(
  options: SnapshotOptions,
  { gameSlug, scoreDelta, gameSessionHash, ...response }: SnapshotResponse,
): Promise<CallExpectation> {
  const { chainId, rewards } = await options.client.getContracts();
  checkField("sessionId", options.sessionId, response.sessionId);
  checkField("gameSlug", options.gameSlug, gameSlug);
  checkField("score", options.score, scoreDelta);
  return {
    chainId,
    to: rewards,
    functionName: "snapshotScoreSigned",
    args: [getWallet(options).address, toGameId(gameSlug), String(scoreDelta), gameSessionHash, undefined, undefined],
  };
}

const NO_SNAPSHOT = { mode: "none", scoreDelta: 0, gameSessionHash: null, txHash: null, receipt: null } as const;

/** Sends the snapshot from the wallet; null if the operator sends it. */
async function sendSnapshot(
  options: SnapshotOptions,
  response: Extract<SponsoredSnapshotResponse, { readonly mode: "sign" | "relayed" }>,
): Promise<{ readonly receipt: Receipt | null; readonly txHash: Hex }> {
  if (response.mode === "relayed")
    return { receipt: null, txHash: (await waitForRelay(options.client, response)).txHash };
  const receipt = await sendFromWallet(options, response, await expectSnapshot(options, response));
  return { receipt, txHash: receipt.txHash };
}

/** Puts an ended session's score on chain; without `sessionId` the oldest pending one. */
export async function snapshotScore(options: SnapshotOptions): Promise<SnapshotResult> {
  const { client, sessionId, gameSlug, sponsor } = options;
  const request = {
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(gameSlug === undefined ? {} : { gameSlug }),
  };
  const ask = (): Promise<SponsoredSnapshotResponse> =>
    sponsor === true
      ? client.rewards.snapshotSponsored({ ...request, sponsor: true })
      : client.rewards.snapshot(request);
  return retryAfterRevert(async () => {
    const response = await ask().catch((error: unknown) => {
      if (isApiError(error, "NOTHING_TO_SNAPSHOT")) return null;
      throw error;
    });
    if (response === null) return { ...NO_SNAPSHOT, sessionId: sessionId ?? null };
    const { scoreDelta, gameSessionHash } = response;
    const summary = { sessionId: response.sessionId, scoreDelta, gameSessionHash };
    if (response.mode === "already_done" || response.mode === "recorded")
      return { mode: response.mode, ...summary, txHash: response.txHash, receipt: null };
    const { receipt, txHash } = await sendSnapshot(options, response);
    const recorded = await client.rewards.snapshot({ sessionId: response.sessionId, txHash });
    return { mode: recorded.mode === "sign" ? "already_done" : recorded.mode, ...summary, txHash, receipt };
  });
}

/** Part of the service's response that the caller already knows. */
function checkField(field: string, expected: unknown, received: unknown): void {
  if (expected !== undefined && expected !== received) throw createRefusal(field, expected, received);
}

export interface NftResult {
  readonly action: "mint" | "upgrade" | "none";
  /** Why there was nothing to do. */
  readonly reason: NftReason | null;
  readonly tokenId: string | null;
  readonly tier: number;
  readonly score: number;
  readonly receipt: Receipt | null;
  /** The transaction that the operator sent; otherwise absent. */
  readonly txHash?: Hex;
}

/** Mints or upgrades the game's NFT if a score on chain reaches a tier. */
export async function mintOrUpgradeNft(
  options: FlowOptions & { readonly slug: string; readonly sessionId?: string },
): Promise<NftResult> {
  const { client, slug, sessionId, sponsor } = options;
  const request = { slug, ...(sessionId === undefined ? {} : { sessionId }) };
  return retryAfterRevert(async () => {
    const prepared: SponsoredNft =
      sponsor === true
        ? await client.nft.prepareSponsored({ ...request, sponsor: true })
        : await client.nft.prepare(request);
    const { tier, score, tokenId } = prepared;
    if (prepared.action === "none")
      return { action: "none", reason: prepared.reason, tokenId, tier, score, receipt: null };
    const { receipt, txHash } = await sendNftCall(options, prepared);
    const recorded = await client.nft.record({ slug, txHash });
    return {
      action: recorded.action,
      reason: null,
      tokenId: recorded.tokenId,
      tier: recorded.tier,
      score: recorded.score,
      receipt,
      ...(receipt === null ? { txHash } : {}),
    };
  });
}

/** Sends the mint or upgrade from the wallet; no receipt if the operator sends it. */
async function sendNftCall(
  options: FlowOptions & { readonly slug: string },
  prepared: Exclude<SponsoredNft, { readonly action: "none" }>,
): Promise<{ readonly receipt: Receipt | null; readonly txHash: Hex }> {
  const { client, slug } = options;
  if (!("call" in prepared)) return { receipt: null, txHash: (await waitForRelay(client, prepared)).txHash };
  const receipt = await sendFromWallet(
    options,
    prepared,
    await expectNftCall(client, slug, { ...prepared, wallet: getWallet(options).address }),
  );
  return { receipt, txHash: receipt.txHash };
}
