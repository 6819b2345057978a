/** Units and text of times. Times in records are ISO-8601 in UTC; times on chain are unix seconds. */

export const DAY_SECONDS = 86_400;
export const DAY_MS = DAY_SECONDS * 1000;

export const toIso = (ms: number): string => new Date(ms).toISOString();
export const toIsoOrNull = (ms: number | null): string | null => (ms === null ? null : toIso(ms));
