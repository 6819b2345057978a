/** Trends of the console's figures since it was opened in this tab. */
import { formatTrend } from "../labels/console.ts";
import type { ServiceStatus } from "./service-status.ts";

/** Half an hour of polls. */
const POINTS_MAX = 600;

const READ_FIGURES = {
  lateness: ({ ticks }: ServiceStatus) => ticks.lateP99Ms,
  dropped: ({ ticks }: ServiceStatus) => ticks.dropped,
  balance: ({ payouts }: ServiceStatus) => toNumber(payouts.operatorBalanceWei),
  float: ({ payouts }: ServiceStatus) => toNumber(payouts.float),
  openPayouts: ({ payouts }: ServiceStatus) => payouts.openPayouts,
} as const;
export type TrendName = keyof typeof READ_FIGURES;

/** Ether and the arcade's token have 18 decimals. */
const toNumber = (units: string | null): number | null => (units === null ? null : Number(BigInt(units)) / 1e18);

interface Point {
  readonly atMs: number;
  readonly value: number;
}

/** Module state, so that it survives navigation to another page. */
const trends: { readonly [name in TrendName]: Point[] } = {
  lateness: [],
  dropped: [],
  balance: [],
  float: [],
  openPayouts: [],
};

/** Adds the values of a poll. */
export function noteTrends(status: ServiceStatus): void {
  const atMs = Date.now();
  for (const name of Object.keys(trends) as TrendName[]) {
    const value = READ_FIGURES[name](status);
    if (value !== null && trends[name].push({ atMs, value }) > POINTS_MAX) trends[name].shift();
  }
}

const HEIGHT = 24;

/** The points of the line in a box of 100 by `HEIGHT`. A constant figure gives a horizontal line. */
function toPath(points: readonly Point[]): string {
  const values = points.map(({ value }) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const startMs = points[0]!.atMs;
  const spanMs = points.at(-1)!.atMs - startMs;
  return points
    .map(({ atMs, value }) => {
      const share = high === low ? 0.5 : (value - low) / (high - low);
      return `${((atMs - startMs) / spanMs) * 100},${1 + (1 - share) * (HEIGHT - 2)}`;
    })
    .join(" ");
}

export function Trend({ name }: { readonly name: TrendName }) {
  const points = trends[name];
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || last.atMs === first.atMs)
    return <span class="trend" aria-hidden="true" />;
  const label = formatTrend(first.value, last.value, (last.atMs - first.atMs) / 1000);
  return (
    <svg class="trend" viewBox={`0 0 100 ${HEIGHT}`} preserveAspectRatio="none" role="img">
      <title>{label}</title>
      <polyline points={toPath(points)} />
    </svg>
  );
}
