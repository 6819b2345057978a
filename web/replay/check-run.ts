/** Checks a run in the user's browser: replays it, and looks up its score on chain without the service. */

import type { SessionRecord } from "../../client/api.ts";
import type { SnapshotEvent } from "../../client/snapshot-event.ts";
import type { Verdict } from "../../client/verify-replay.ts";
import type { Replay } from "../../domain/replay/replay.ts";
import { CHECK_LABELS } from "../labels/runs.ts";
import { getErrorMessage } from "../labels/shared.ts";
import { loadScript } from "../load-script.ts";
import { siteConfig } from "../site-config.ts";

export interface Check {
  /** `open`: nothing to compare with yet, or the rules are missing. */
  readonly verdict: "ok" | "failed" | "open";
  /** The verifier's text for the result of a fresh run; absent without one. */
  readonly word?: Verdict;
  readonly text: string;
  readonly event?: SnapshotEvent;
}

const ON_CHAIN = new Set(["included", "safe", "final"]);

/** Plays the replay again and compares it with the session's public record. */
export async function checkReproduced(replay: Replay, record: SessionRecord): Promise<Check> {
  const { toReason, verifyReplay } = await loadScript(() => import("../../client/verify-replay.ts"));
  const result = await verifyReplay(replay, { session: record });
  const { verdict: word, reason, finalScore } = result;
  if (word === "CANNOT_RECOMPUTE") return { verdict: "open", word, text: CHECK_LABELS.cannotRecompute(reason) };
  const differences = [...result.differences];
  const compare = (field: string, expected: string, received: string): void => {
    if (expected !== received) differences.push({ field, expected, received });
  };
  if (finalScore !== null) compare("score", String(finalScore), String(record.score));
  compare("wallet", replay.wallet.toLowerCase(), String(record.walletAddress).toLowerCase());
  if (differences.length > 0)
    return { verdict: "failed", word: "DIVERGED", text: CHECK_LABELS.diverged(toReason(differences)) };
  return { verdict: "ok", word, text: CHECK_LABELS.reproduced(reason) };
}

async function findEventOf(replay: Replay, record: SessionRecord, rpcUrl: string): Promise<SnapshotEvent | null> {
  const [{ findEvent }, { verifyReplay }] = await Promise.all([
    loadScript(() => import("./find-event.ts")),
    loadScript(() => import("../../client/verify-replay.ts")),
  ]);
  // The hash is derived here. Only `checkReproduced` compares the one in the record.
  const { gameSessionHash } = await verifyReplay(replay);
  if (gameSessionHash === null) return null;
  return findEvent(rpcUrl, {
    rewards: siteConfig.contracts.rewards,
    gameSessionHash,
    wallet: replay.wallet,
    txHash: record.snapshot.txHash,
    fromBlock: BigInt(siteConfig.startBlock),
  });
}

/** Looks for the run's `ScoreSnapshot` on chain. The browser calls the node directly. Never throws. */
export async function checkOnChain(replay: Replay, record: SessionRecord): Promise<Check> {
  const { rpcUrl } = siteConfig;
  if (rpcUrl === null) return { verdict: "open", text: CHECK_LABELS.noNode };
  try {
    const event = await findEventOf(replay, record, rpcUrl);
    if (event === null) {
      return ON_CHAIN.has(record.snapshot.state)
        ? { verdict: "failed", text: CHECK_LABELS.noEvent }
        : { verdict: "open", text: CHECK_LABELS.notYet };
    }
    const { toReason, verifyReplay } = await loadScript(() => import("../../client/verify-replay.ts"));
    const { verdict, differences } = await verifyReplay(replay, { event });
    if (verdict === "CANNOT_RECOMPUTE")
      return { verdict: "open", text: CHECK_LABELS.onChainUnchecked(event.score, event.block), event };
    if (differences.length > 0)
      return { verdict: "failed", text: CHECK_LABELS.otherOnChain(event.score, toReason(differences)), event };
    return { verdict: "ok", text: CHECK_LABELS.onChain(event.score, event.block), event };
  } catch (error) {
    return { verdict: "open", text: CHECK_LABELS.unreadable(getErrorMessage(error)) };
  }
}
