/** Times as they appear outside: record times ISO-8601 UTC, chain times unix seconds. */
export const isoOf = (ms: number): string => new Date(ms).toISOString();
export const unixSecondsOf = (ms: number): number => Math.floor(ms / 1000);
