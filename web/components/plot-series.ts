/** One line, or row of bars, of a plot. */
export interface PlotSeries {
  readonly label: string;
  readonly values: readonly (number | null)[];
  /** A color of the palette: the name of a custom property. */
  readonly color?: "--coral" | "--mint" | "--sand" | "--rose";
}
