/** The payout of an agent, or why there is none. */
import { formatUnits } from "viem";
import type { PayoutReason } from "../../client/api.ts";
import type { ArcadeClient } from "../../client/client.ts";
import { type PayoutResult as ClientPayoutResult, getPayoutWaitMs, requestPayout } from "../../client/payout-flows.ts";
import type { StepReport, StepRunner } from "./steps.ts";

/** The outcome of the last attempt; `summary` is its line for the user. */
export type PayoutResult = ClientPayoutResult & { readonly summary: string };

/** The command waits for a cooldown up to this long. */
const WAIT_MAX_MS = 90_000;
const MAX_ATTEMPTS = 4;

const REASON_MESSAGES: { readonly [reason in PayoutReason]: string } = {
  SCOREBANK_EMPTY: "the scorebank is empty",
  BELOW_MINIMUM: "the scorebank is below the minimum",
  COOLDOWN_ACTIVE: "the cooldown is running",
  DAILY_CAP: "today's cap is used up",
  WEEKLY_CAP: "this week's cap is used up",
  FLOAT_EMPTY: "the rewards contract has too few tokens",
  PAUSED: "payouts are paused",
  IDENTITY_REQUIRED: "the wallet holds no agent identity",
  IDENTITY_TOO_NEW: "the wallet has not held its identity for a whole cooldown",
  PAYOUT_PENDING: "a payout is pending",
};

/** `the cooldown is running (COOLDOWN_ACTIVE), next time 2026-01-01T00:00:00Z`. */
export function formatUnpaidReasons(reasons: readonly PayoutReason[], nextEligibleAt: string | null): string {
  const text = reasons.map((reason) => `${REASON_MESSAGES[reason]} (${reason})`).join(", ");
  return `not paid: ${text || "no reason was given"}${nextEligibleAt === null ? "" : `, next time ${nextEligibleAt}`}`;
}

/** The line of one attempt. `waitMs`: how long the command waits before it tries again; null if it does not. */
export function toPayoutReport(outcome: ClientPayoutResult, waitMs: number | null): StepReport {
  const message = formatPayoutOutcome(outcome);
  if (outcome.paid) return { message, txHash: outcome.payout.txHash };
  if (waitMs === null) return { message, mark: "warn" };
  return { message: `in ${Math.ceil(waitMs / 1000)} s: ${REASON_MESSAGES[outcome.reasons[0]!]}`, mark: "quiet" };
}

function formatPayoutOutcome(outcome: ClientPayoutResult): string {
  if (!outcome.paid) return formatUnpaidReasons(outcome.reasons, outcome.nextEligibleAt);
  const { payout, token } = outcome;
  return `${formatUnits(BigInt(payout.amount), token.decimals)} ${token.symbol} received for ${payout.score} points`;
}

/** Requests the payout, waits for a short cooldown, and tries again. "Not paid" is a result, not a failure. */
export async function collectPayout(client: ArcadeClient, step: StepRunner, sponsor = false): Promise<PayoutResult> {
  for (let attempt = 1; ; attempt++) {
    const findWaitMs = (result: ClientPayoutResult): number | null =>
      result.paid || attempt === MAX_ATTEMPTS ? null : getPayoutWaitMs(result, WAIT_MAX_MS);
    const outcome = await step(
      "payout",
      "requesting the payout",
      // After the cooldown it waits for the block that shows it.
      () => requestPayout({ client, sponsor, waitMaxMs: 0 }),
      (result) => toPayoutReport(result, findWaitMs(result)),
    );
    const waitMs = findWaitMs(outcome);
    if (waitMs === null) return { ...outcome, summary: formatPayoutOutcome(outcome) };
    await step(
      "cooldown",
      `waiting ${Math.ceil(waitMs / 1000)} s`,
      () => client.retry.sleep(waitMs),
      () => ({
        message: "the cooldown has passed",
        mark: "quiet",
      }),
    );
  }
}
