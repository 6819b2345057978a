/** Shared by evaluations of bots, so that their figures can be compared: numbered seeds, and quantiles. */
import { sha256, stringToBytes } from "viem";

/** The seed of a numbered course: the same number gives the same course everywhere. */
export const toSeed = (number: number): Uint8Array => sha256(stringToBytes(`seed${number}`), "bytes");

/** The value below which a share of the values lies; they need not be sorted. */
export function getQuantile(values: readonly number[], fraction: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * fraction)] ?? 0;
}
