/** What the steps of an agent report. */
import type { EndMessage } from "../../client/channel.ts";
import type { NftResult, SnapshotResult } from "../../client/flows.ts";
import type { AnswerCount } from "./answer-count.ts";
import type { StepReport } from "./steps.ts";

export type GameNftResult = NftResult & { readonly slug: string };

const NFT_REASON_MESSAGES: { readonly [reason: string]: string } = {
  BELOW_FIRST_TIER: "below the first tier",
  NOT_NEW_HIGH_SCORE: "no new high score",
  ALREADY_RECORDED: "the token already has this score",
  TOKEN_TRANSFERRED: "the token now belongs to another wallet",
};

export function toPlayReport(
  slug: string,
  { score, endReason }: EndMessage,
  reconnects: number,
  { frames, answers }: AnswerCount,
): StepReport {
  const times = reconnects === 1 ? "once" : `${reconnects} times`;
  const reconnected = reconnects === 0 ? "" : `, reconnected ${times}`;
  const message = `${slug}: ${score} points, ${endReason.replaceAll("_", " ")}${reconnected}`;
  if (answers * 2 >= frames) return { message };
  return { message: `${message}, the bot answered ${answers} of ${frames} frames`, mark: "warn" };
}

export function toSnapshotReport({ mode, scoreDelta, receipt, txHash }: SnapshotResult): StepReport {
  if (mode === "none") return { message: "no points to put on chain", mark: "quiet" };
  const message = `+${scoreDelta} points on chain${mode === "already_done" ? " (before)" : ""}`;
  return { message, gasUsed: receipt?.gasUsed, txHash };
}

export function toNftReport(
  { slug, action, reason, tier, tokenId, receipt, txHash }: GameNftResult,
  tierName: string | undefined,
): StepReport {
  if (action === "none") return { message: NFT_REASON_MESSAGES[reason ?? ""] ?? String(reason), mark: "quiet" };
  const verb = action === "mint" ? "minted" : "upgraded";
  const message = `${slug} #${tokenId} ${verb}, tier ${tier}${tierName === undefined ? "" : ` ${tierName}`}`;
  return { message, gasUsed: receipt?.gasUsed, txHash: receipt?.txHash ?? txHash };
}
