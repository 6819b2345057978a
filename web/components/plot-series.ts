/** One line, or row of bars, of a plot. */
export interface PlotSeries {
  readonly label: string;
  readonly values: readonly (number | null)[];
  /** A color of the palette: the name of a custom property. */
  readonly color?: "--coral" | "--mint" | "--sand" | "--rose";
}

export type PlotKind = "line" | "bars" | "points";

/** Stacks bars: each series includes those below it. The tallest comes first, because it is drawn behind the others. */
export function stackSeries(series: readonly PlotSeries[]): readonly PlotSeries[] {
  let below: readonly number[] = [];
  const stacked = series.map((one) => {
    below = one.values.map((value, index) => (value ?? 0) + (below[index] ?? 0));
    return { ...one, values: below };
  });
  return stacked.reverse();
}
