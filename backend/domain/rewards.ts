/** Bit `i` of the rewards contract's `readiness().reasons` is the i-th word here. */
export const READINESS_REASONS = [
  "SCOREBANK_EMPTY",
  "BELOW_MINIMUM",
  "COOLDOWN_ACTIVE",
  "DAILY_CAP",
  "WEEKLY_CAP",
  "FLOAT_EMPTY",
  "PAUSED",
  "IDENTITY_REQUIRED",
] as const;
export type ReadinessReason = (typeof READINESS_REASONS)[number];

export const reasonsOf = (bits: bigint): readonly ReadinessReason[] =>
  READINESS_REASONS.filter((_, index) => (bits >> BigInt(index)) & 1n);
