/** A payout that only a short cooldown keeps back is worth waiting for. */

const WAIT_MAX_MS = 30_000;

/** Milliseconds until the cooldown is over; null where waiting does not help or takes too long. */
export function getCooldownMs({
  reasons,
  nextEligibleAt,
}: {
  readonly reasons?: unknown;
  readonly nextEligibleAt?: unknown;
}) {
  if (!Array.isArray(reasons) || reasons.some((reason) => reason !== "COOLDOWN_ACTIVE")) return null;
  // The contract compares whole seconds.
  const waitMs = Math.max(0, Date.parse(String(nextEligibleAt)) - Date.now()) + 1000;
  return waitMs <= WAIT_MAX_MS ? waitMs : null;
}
