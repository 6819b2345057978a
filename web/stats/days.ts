/** Sums by calendar day in UTC, for plots. */
import { DAY_SECONDS } from "../../domain/time.ts";

export interface DayRow {
  /** Unix seconds of the day's beginning in UTC. */
  readonly day: number;
  readonly value: number;
}

/** The minimum number of plotted days, so that a new service has more than one bar. */
const DAYS_MIN = 7;

/** Sums the values of each day. `at`: unix seconds. Days without a value also have a row. */
export function sumByDay(entries: readonly { readonly at: number; readonly value: number }[]): readonly DayRow[] {
  const sums = new Map<number, number>();
  for (const { at, value } of entries) {
    const day = Math.floor(at / DAY_SECONDS) * DAY_SECONDS;
    sums.set(day, (sums.get(day) ?? 0) + value);
  }
  if (sums.size === 0) return [];
  const last = Math.max(...sums.keys());
  const first = Math.min(...sums.keys(), last - (DAYS_MIN - 1) * DAY_SECONDS);
  const count = (last - first) / DAY_SECONDS + 1;
  return Array.from({ length: count }, (_, index) => {
    const day = first + index * DAY_SECONDS;
    return { day, value: sums.get(day) ?? 0 };
  });
}
