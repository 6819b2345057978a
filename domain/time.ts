/** Units and text of times. Times in records are ISO-8601 in UTC; times on chain are unix seconds. */

export const HOUR_MS = 3_600_000;
export const DAY_SECONDS = 86_400;
export const DAY_MS = DAY_SECONDS * 1000;

/** The last moment of the years with four digits, which every reader of ISO 8601 understands. */
const ISO_MAX_MS = Date.UTC(10_000, 0, 1) - 1;

/** Later times, which a chain may report, become the last moment of the year 9999. */
export const toIso = (ms: number): string => new Date(Math.min(ms, ISO_MAX_MS)).toISOString();
export const toIsoOrNull = (ms: number | null): string | null => (ms === null ? null : toIso(ms));
