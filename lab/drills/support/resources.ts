/** The resource counts that a leak drill compares. */
import type { GameStats } from "./game-server.ts";

/** The counts that reveal a leaked session, socket or timer. */
export const toResourceCounts = ({
  sessions,
  scheduled,
  storing,
  connections,
  channels,
  unauthenticated,
  timers,
  tcpSockets,
  descriptors,
  addresses,
  waiting,
}: GameStats) => ({
  sessions,
  scheduled,
  storing,
  connections,
  channels,
  unauthenticated,
  timers,
  tcpSockets,
  descriptors,
  addresses,
  waiting,
});

/** The counts that have grown. An earlier timer may have ended since. */
export const listGrownCounts = (before: GameStats, after: GameStats): { readonly [name: string]: number } => {
  const limits: { readonly [name: string]: number } = toResourceCounts(before);
  return Object.fromEntries(Object.entries(toResourceCounts(after)).filter(([name, count]) => count > limits[name]!));
};

/** Bytes per repetition: the median of the slopes between all pairs of samples. */
export function computeMedianSlope(samples: readonly (readonly [repetitions: number, bytes: number])[]): number {
  const slopes = samples
    .flatMap(([x, bytes], i) => samples.slice(i + 1).map(([otherX, other]) => (other - bytes) / (otherX - x)))
    .sort((a, b) => a - b);
  return slopes[slopes.length >> 1] ?? Number.NaN;
}

export const formatMb = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MB`;
