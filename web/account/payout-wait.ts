/** When a payout that is not possible now will be. */
import type { PayoutReason } from "../../client/api.ts";
import type { PayoutResult } from "../../client/payout-flows.ts";
import { PAYOUT_REASON_LABELS, STEP_TEXTS } from "../labels/account.ts";

const WAIT_MAX_MS = 30_000;
const TIME_REASONS: readonly PayoutReason[] = ["COOLDOWN_ACTIVE", "IDENTITY_TOO_NEW"];

/** How long until only the time has kept the payout back; null where waiting does not help or takes too long. */
export function getWaitMs({ reasons, nextEligibleAt }: Extract<PayoutResult, { readonly paid: false }>): number | null {
  if (nextEligibleAt === null || reasons.some((reason) => !TIME_REASONS.includes(reason))) return null;
  const leftMs = Date.parse(nextEligibleAt) - Date.now();
  // One second more: the contract compares block times in whole seconds.
  return leftMs > WAIT_MAX_MS ? null : Math.max(0, leftMs) + 1000;
}

/** The contract does not pay now. */
export class PayoutNotReadyError extends Error {
  readonly code = "PAYOUT_NOT_READY";

  constructor(reasons: readonly PayoutReason[], nextEligibleAt: string | null) {
    const when =
      nextEligibleAt === null ? "" : ` ${STEP_TEXTS.tryAfter(new Date(nextEligibleAt).toLocaleTimeString())}`;
    super(`${reasons.map((reason) => PAYOUT_REASON_LABELS[reason]).join(" ")}${when}`);
    this.name = "PayoutNotReadyError";
  }
}
