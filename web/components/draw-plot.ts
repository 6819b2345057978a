/** Draws a plot with uPlot, in the colors of the page, as wide as its box. */
import uPlot from "uplot";
import { formatClock, formatDay } from "../labels/shared.ts";
import { type PlotKind, type PlotSeries, stackSeries } from "./plot-series.ts";

export interface PlotData {
  readonly x: readonly number[];
  readonly isTime: boolean;
  readonly series: readonly PlotSeries[];
  readonly kind: PlotKind;
  readonly height: number;
}

const FILL_ALPHA = "33";
const COLORS = ["--coral", "--mint", "--sand", "--rose"] as const;

/** The resolved value of a color, which may be defined as `light-dark(…)`. */
function readColor(element: Element, name: string): string {
  const probe = document.createElement("i");
  probe.style.color = `var(${name})`;
  element.append(probe);
  const channels = getComputedStyle(probe).color.match(/\d+/g) ?? ["128", "128", "128"];
  probe.remove();
  return `#${channels
    .slice(0, 3)
    .map((channel) => Number(channel).toString(16).padStart(2, "0"))
    .join("")}`;
}

/** The least distance between two labels of a time axis. */
const TIME_PIXELS = 80;
const HOUR_SECONDS = 3600;
const DAY_SECONDS = 24 * HOUR_SECONDS;
const WHOLE_STEPS = Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();

/** The ends of the x axis: half a step beyond the first and last value, so that bars and single points fit. */
function toRange({ x, isTime }: PlotData): [number, number] {
  const first = x[0]!;
  const last = x.at(-1)!;
  const step = x.length > 1 ? (last - first) / (x.length - 1) : isTime ? HOUR_SECONDS : 1;
  const margin = Math.max(step, isTime ? HOUR_SECONDS - (last - first) : 1) / 2;
  return [first - margin, last + margin];
}

/** Labels of a time axis: days, or times with the day on the first one of each day. */
function labelTimes(seconds: readonly number[], stepSeconds: number): string[] {
  const days = seconds.map((at) => formatDay(at * 1000));
  if (stepSeconds >= DAY_SECONDS) return days;
  return seconds.map((at, index) => {
    const time = formatClock(at * 1000);
    return days[index] === days[index - 1] ? time : `${time}\n${days[index]}`;
  });
}

function createOptions(element: HTMLElement, data: PlotData): uPlot.Options {
  const { isTime, series, kind, height } = data;
  const text = readColor(element, "--muted");
  const line = readColor(element, "--line");
  const axis = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
  const { bars } = uPlot.paths;
  return {
    width: Math.max(1, element.clientWidth),
    height,
    scales: { x: { time: isTime, range: () => toRange(data) } },
    // Scores, counts and places are whole numbers.
    axes: [
      isTime
        ? { ...axis, space: TIME_PIXELS, values: (_plot, seconds, _axis, _space, step) => labelTimes(seconds, step) }
        : { ...axis, incrs: WHOLE_STEPS },
      { ...axis, incrs: WHOLE_STEPS },
    ],
    legend: { show: series.length > 1, live: false },
    cursor: { drag: { x: false, y: false } },
    series: [
      {},
      ...series.map(({ label, color }, index) => {
        const stroke = readColor(element, color ?? COLORS[index % COLORS.length]!);
        const shape =
          kind === "bars" ? { paths: bars!({ size: [0.8] }) } : kind === "points" ? { paths: () => null } : {};
        // A bar of a stack hides those behind it.
        const alpha = kind === "bars" && series.length > 1 ? "" : FILL_ALPHA;
        return {
          label,
          stroke,
          fill: stroke + alpha,
          width: 2,
          spanGaps: true,
          points: { show: kind !== "bars" },
          ...shape,
        };
      }),
    ],
  };
}

/** Returns a function that removes the plot. */
export function drawPlot(element: HTMLElement, given: PlotData): () => void {
  // Assign colors in the given order, since stacking reverses the series.
  const series = given.series.map((one, index) => ({ ...one, color: one.color ?? COLORS[index % COLORS.length]! }));
  const data = { ...given, series: given.kind === "bars" ? stackSeries(series) : series };
  const rows = [data.x, ...data.series.map(({ values }) => values)] as unknown as uPlot.AlignedData;
  let plot = new uPlot(createOptions(element, data), rows, element);
  const resizes = new ResizeObserver(() =>
    plot.setSize({ width: Math.max(1, element.clientWidth), height: data.height }),
  );
  resizes.observe(element);
  // Redraw when the system's color scheme changes.
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  const redraw = (): void => {
    plot.destroy();
    plot = new uPlot(createOptions(element, data), rows, element);
  };
  scheme.addEventListener("change", redraw);
  return () => {
    scheme.removeEventListener("change", redraw);
    resizes.disconnect();
    plot.destroy();
  };
}
