/** The payout tools wait for a cooldown that ends within this time; many clients time out after a minute. */
export const PAYOUT_WAIT_MAX_MS = 30_000;
