/** Puts all pending scores of a wallet on chain. */
import type { Hex } from "viem";
import { toGameId } from "../domain/replay/replay.ts";
import type { SnapshotBatchResponse, SnapshotSummary, SponsoredSnapshotBatch } from "./api.ts";
import { type CallExpectation, createRefusal } from "./check-call.ts";
import { isApiError } from "./errors.ts";
import { type FlowOptions, getWallet, retryAfterRevert, sendFromWallet, waitFor } from "./flows.ts";
import { waitForRelay } from "./sponsored.ts";

export interface SnapshotScoresOptions extends FlowOptions {
  /** Only of this game. */
  readonly gameSlug?: string;
}

export interface SnapshotScoresResult {
  /** The scores that are now on chain; empty if none waited. */
  readonly sessions: readonly SnapshotSummary[];
  readonly scoreDelta: number;
  readonly txHashes: readonly Hex[];
}

type Batch = SnapshotBatchResponse | SponsoredSnapshotBatch;

/**
 * Puts the scores of all ended sessions on chain, up to 16 per transaction, until none is left. Throws
 * `ArcadeApiError`, `ArcadeChainError`, and errors of the wallet; call it again to continue.
 */
export async function snapshotScores(options: SnapshotScoresOptions): Promise<SnapshotScoresResult> {
  const { client } = options;
  const done = new Map<string, SnapshotSummary>();
  const txHashes: Hex[] = [];
  const isNew = ({ sessions }: Batch): boolean => sessions.every(({ sessionId }) => !done.has(sessionId));
  for (let isMore = true; isMore; ) {
    isMore = await retryAfterRevert(async () => {
      const { batch } = await waitFor(client, async () => {
        const next = await askForBatch(options);
        return next === null || isNew(next) ? { batch: next } : null;
      });
      if (batch === null) return false;
      txHashes.push(await sendBatch(options, batch));
      for (const summary of batch.sessions) done.set(summary.sessionId, summary);
      return batch.more;
    });
  }
  const sessions = [...done.values()];
  return { sessions, scoreDelta: sessions.reduce((sum, { scoreDelta }) => sum + scoreDelta, 0), txHashes };
}

/** Null if no score is pending. Throws if the response does not match the request. */
async function askForBatch({ client, sponsor, gameSlug }: SnapshotScoresOptions): Promise<Batch | null> {
  const request = { all: true, ...(gameSlug === undefined ? {} : { gameSlug }) } as const;
  try {
    const batch = await (sponsor === true
      ? client.rewards.snapshotAllSponsored({ ...request, sponsor: true })
      : client.rewards.snapshotAll(request));
    checkSessions(batch, gameSlug);
    return batch;
  } catch (error) {
    if (isApiError(error, "NOTHING_TO_SNAPSHOT")) return null;
    throw error;
  }
}

/** A response without sessions would be requested forever. */
function checkSessions({ sessions }: Batch, gameSlug: string | undefined): void {
  if (sessions.length === 0) throw createRefusal("sessions", "at least one", "none");
  const other = sessions.find((session) => gameSlug !== undefined && session.gameSlug !== gameSlug);
  if (other !== undefined) throw createRefusal("gameSlug", gameSlug, other.gameSlug);
}

/** Sends the batch from the wallet, or waits for the operator's transaction. */
async function sendBatch(options: SnapshotScoresOptions, batch: Batch): Promise<Hex> {
  const { client } = options;
  if (batch.mode === "relayed") return (await waitForRelay(client, batch)).txHash;
  const { txHash } = await sendFromWallet(options, batch, await expectBatch(options, batch));
  // Request the next batch only from a server that has seen this one.
  await client.rewards.snapshot({ sessionId: batch.sessions[0]!.sessionId, txHash });
  return txHash;
}

async function expectBatch(
  options: SnapshotScoresOptions,
  { sessions }: SnapshotBatchResponse,
): Promise<CallExpectation> {
  const { chainId, rewards } = await options.client.getContracts();
  const items = sessions.map(({ gameSessionHash, gameSlug, scoreDelta }) => ({
    gameSessionHash,
    gameId: toGameId(gameSlug),
    score: String(scoreDelta),
  }));
  const { address } = getWallet(options);
  return { chainId, to: rewards, functionName: "snapshotScoresSigned", args: [address, items, undefined, undefined] };
}
