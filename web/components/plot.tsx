/** A plot over numbers or times. The library is loaded with the first plot. */
import { useEffect, useRef } from "preact/hooks";
import { SHARED_LABELS } from "../labels/shared.ts";
import { loadScript } from "../load-script.ts";
import type { PlotKind, PlotSeries } from "./plot-series.ts";
import { EmptyState } from "./states.tsx";

interface PlotProps {
  /** A description of the plot for screen readers. */
  readonly label: string;
  /** Numbers, or unix seconds if `isTime`, in ascending order. */
  readonly x: readonly number[];
  readonly isTime?: boolean;
  readonly series: readonly PlotSeries[];
  /** `points` are unrelated values, which must not be joined by a line. */
  readonly kind?: PlotKind;
}

const HEIGHT = 220;

export function Plot({ label, x, isTime = false, series, kind = "line" }: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const data = JSON.stringify([x, series]);
  useEffect(() => {
    const element = box.current;
    if (element === null || x.length === 0) return;
    let remove = (): void => undefined;
    let isGone = false;
    void loadScript(() => import("./draw-plot.ts")).then(({ drawPlot }) => {
      if (!isGone) remove = drawPlot(element, { x, isTime, series, kind, height: HEIGHT });
    });
    return () => {
      isGone = true;
      remove();
    };
  }, [data, isTime, kind]);
  if (x.length === 0)
    return (
      <div class="plot">
        <EmptyState>{SHARED_LABELS.noPlot}</EmptyState>
      </div>
    );
  return <div class="plot" ref={box} role="img" aria-label={label} />;
}
