/** Getting paid, or knowing exactly why not. */
import { formatUnits } from "viem";
import type { ArcadeClient } from "../../client/client.ts";
import { type PayoutOutcome, requestPayout } from "../../client/flows.ts";
import type { Steps } from "./steps.ts";

/** The outcome of the last try; `words` says it in one line. */
export type Paid = PayoutOutcome & { readonly words: string };

/** A cooldown this short is waited for. */
const WAIT_MAX_MS = 30_000;
const TRIES = 4;

const REASONS: { readonly [reason: string]: string } = {
  SCOREBANK_EMPTY: "the scorebank is empty",
  BELOW_MINIMUM: "the scorebank is below the minimum",
  COOLDOWN_ACTIVE: "the cooldown is running",
  DAILY_CAP: "today's cap is used up",
  WEEKLY_CAP: "this week's cap is used up",
  FLOAT_EMPTY: "the rewards contract has too few tokens",
  PAUSED: "payouts are paused",
  IDENTITY_REQUIRED: "the wallet holds no agent identity",
  PAYOUT_PENDING: "a payout is under way",
};

/** `the cooldown is running (COOLDOWN_ACTIVE), next time 2026-01-01T00:00:00Z`. */
export function whyNotPaid(reasons: readonly string[], nextEligibleAt: string | null): string {
  const words = reasons.map((reason) => `${REASONS[reason] ?? "not ready"} (${reason})`).join(", ");
  return `not paid: ${words || "no reason was given"}${nextEligibleAt === null ? "" : `, next time ${nextEligibleAt}`}`;
}

/** Milliseconds to wait before a cooldown has passed; null where waiting does not help or takes too long. */
export function cooldownLeftMs(outcome: PayoutOutcome, nowMs: number): number | null {
  if (outcome.paid || outcome.nextEligibleAt === null) return null;
  if (outcome.reasons.some((reason) => reason !== "COOLDOWN_ACTIVE")) return null;
  const leftMs = Date.parse(outcome.nextEligibleAt) - nowMs;
  // A second more: the contract goes by the block's time, in whole seconds.
  return leftMs > WAIT_MAX_MS ? null : Math.max(0, leftMs) + 1_000;
}

function wordsOf(outcome: PayoutOutcome): string {
  if (!outcome.paid) return whyNotPaid(outcome.reasons, outcome.nextEligibleAt);
  const { payout, token } = outcome;
  return `${formatUnits(BigInt(payout.amount), token.decimals)} ${token.symbol} received for ${payout.score} points`;
}

/** Asks for the payout, waits for a short cooldown, asks again. A refusal is an outcome, not a failure. */
export async function getPaid(client: ArcadeClient, step: Steps): Promise<Paid> {
  for (let tries = 1; ; tries++) {
    const outcome = await step(
      "payout",
      "asking to be paid",
      () => requestPayout({ client }),
      (result) => ({
        words: wordsOf(result),
        txHash: result.paid ? result.payout.txHash : null,
        mark: result.paid ? "good" : "warn",
      }),
    );
    const waitMs = tries === TRIES ? null : cooldownLeftMs(outcome, Date.now());
    if (waitMs === null) return { ...outcome, words: wordsOf(outcome) };
    await step(
      "cooldown",
      `waiting ${Math.ceil(waitMs / 1000)} s`,
      () => client.retry.sleep(waitMs),
      () => ({
        words: "the cooldown has passed",
        mark: "quiet",
      }),
    );
  }
}
