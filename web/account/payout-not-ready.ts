/** A payout that is not possible now. */
import type { PayoutReason } from "../../client/api.ts";
import { PAYOUT_REASON_LABELS, STEP_TEXTS } from "../labels/account.ts";
import { formatDateTime } from "../labels/shared.ts";

/** The contract does not pay now. */
export class PayoutNotReadyError extends Error {
  readonly code = "PAYOUT_NOT_READY";

  constructor(reasons: readonly PayoutReason[], nextEligibleAt: string | null) {
    const when = nextEligibleAt === null ? "" : ` ${STEP_TEXTS.tryAfter(formatDateTime(nextEligibleAt))}`;
    super(`${reasons.map((reason) => PAYOUT_REASON_LABELS[reason]).join(" ")}${when}`);
    this.name = "PayoutNotReadyError";
  }
}
