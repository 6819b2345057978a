/** One line, or row of bars, of a plot. */
export interface PlotSeries {
  readonly label: string;
  readonly values: readonly (number | null)[];
  /** A color of the palette: the name of a custom property. */
  readonly color?: "--coral" | "--mint" | "--sand" | "--rose";
}

export type PlotKind = "line" | "bars" | "points";

/** Bars stand on one another: each with the values of those below it, the highest first, as it is drawn behind the others. */
export function stackSeries(series: readonly PlotSeries[]): readonly PlotSeries[] {
  let below: readonly number[] = [];
  const stacked = series.map((one) => {
    below = one.values.map((value, index) => (value ?? 0) + (below[index] ?? 0));
    return { ...one, values: below };
  });
  return stacked.reverse();
}
