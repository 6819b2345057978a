/** Checks a run in the reader's own browser: its score is played again, and looked up on chain without the service. */
import type { Replay } from "../../backend/domain/replay/replay.ts";
import type { SessionRecord } from "../../client/api.ts";
import type { SnapshotEvent } from "../../client/snapshot-event.ts";
import { CHECK_LABELS } from "../labels/runs.ts";
import { getErrorMessage } from "../labels/shared.ts";
import { siteConfig } from "../site-config.ts";

export interface Check {
  /** `open`: there is nothing to compare with yet. */
  readonly verdict: "ok" | "failed" | "open";
  readonly text: string;
  readonly event?: SnapshotEvent;
}

const ON_CHAIN = new Set(["included", "safe", "final"]);

/** Plays the replay again and compares it with the session's public record. */
export async function checkReproduced(replay: Replay, record: SessionRecord): Promise<Check> {
  const { verifyReplay } = await import("../../client/verify-replay.ts");
  const result = await verifyReplay(replay, { session: record });
  const differs = result.differences.map(({ field }) => field);
  if (result.finalScore !== record.score) differs.push("score");
  if (replay.wallet.toLowerCase() !== record.walletAddress?.toLowerCase()) differs.push("wallet");
  if (differs.length > 0) return { verdict: "failed", text: CHECK_LABELS.diverged(result.finalScore, differs) };
  const isAttested = result.verdict === "ATTESTED";
  return { verdict: "ok", text: CHECK_LABELS.reproduced(result.finalScore, isAttested) };
}

async function findEventOf(replay: Replay, record: SessionRecord, rpcUrl: string): Promise<SnapshotEvent | null> {
  const [{ findEvent }, { verifyReplay }] = await Promise.all([
    import("./find-event.ts"),
    import("../../client/verify-replay.ts"),
  ]);
  // The hash is derived here; the record's one is only compared by `checkReproduced`.
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

/** Looks for the run's `ScoreSnapshot` on chain, by the node that the browser asks itself. Never throws. */
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
    const { verifyReplay } = await import("../../client/verify-replay.ts");
    const result = await verifyReplay(replay, { event });
    const differs = result.differences.map(({ field }) => field);
    if (differs.length > 0) return { verdict: "failed", text: CHECK_LABELS.otherOnChain(event.score, differs), event };
    return { verdict: "ok", text: CHECK_LABELS.onChain(event.score, event.block), event };
  } catch (error) {
    return { verdict: "open", text: CHECK_LABELS.unreadable(getErrorMessage(error)) };
  }
}
