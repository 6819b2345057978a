/** `dist/dashboard.json`: a Grafana dashboard over the service's metrics; import it and pick a Prometheus source. */
import type { METRICS } from "../../../backend/adapters/system/metrics.ts";

type Name = keyof typeof METRICS;
/** Names of prom-client's process metrics that the dashboard shows. */
type ProcessName = "process_resident_memory_bytes" | "process_cpu_seconds_total" | "nodejs_eventloop_lag_p99_seconds";

interface Panel {
  readonly title: string;
  readonly unit: string;
  readonly queries: readonly { readonly expr: string; readonly legend: string }[];
  readonly kind?: "timeseries" | "stat";
}

const metric = (name: Name | ProcessName, labels = ""): string => `${name}${labels}`;
const rate = (name: Name | ProcessName): string => `rate(${metric(name)}[5m])`;

const PANELS: readonly Panel[] = [
  {
    title: "Ready",
    unit: "none",
    kind: "stat",
    queries: [{ expr: metric("arcade_ready"), legend: "{{check}}" }],
  },
  {
    title: "Sessions",
    unit: "none",
    queries: [
      { expr: metric("arcade_sessions_live"), legend: "{{slug}}" },
      { expr: metric("arcade_spectators_live"), legend: "{{slug}} spectators" },
    ],
  },
  {
    title: "Sessions ended",
    unit: "cps",
    queries: [
      { expr: `sum by (slug, end_reason) (${rate("arcade_sessions_ended_total")})`, legend: "{{slug}} {{end_reason}}" },
    ],
  },
  {
    title: "Tick lateness",
    unit: "s",
    queries: [{ expr: metric("arcade_tick_lateness_seconds"), legend: "p{{quantile}}" }],
  },
  {
    title: "Ticks dropped",
    unit: "cps",
    queries: [{ expr: rate("arcade_ticks_dropped_total"), legend: "dropped" }],
  },
  {
    title: "Requests",
    unit: "reqps",
    queries: [{ expr: `sum by (route) (${rate("arcade_http_requests_total")})`, legend: "{{route}}" }],
  },
  {
    title: "Request time, p99",
    unit: "s",
    queries: [
      {
        expr: "histogram_quantile(0.99, sum by (le, route) (rate(arcade_http_request_seconds_bucket[5m])))",
        legend: "{{route}}",
      },
    ],
  },
  {
    title: "Failures by code",
    unit: "cps",
    queries: [{ expr: `sum by (code) (${rate("arcade_http_errors_total")})`, legend: "{{code}}" }],
  },
  {
    title: "Chain",
    unit: "none",
    queries: [
      { expr: metric("arcade_chain_lag_blocks"), legend: "blocks behind" },
      { expr: metric("arcade_chain_outage_seconds"), legend: "seconds without an answer" },
      { expr: metric("arcade_chain_differences"), legend: "figures that differ from the contracts'" },
    ],
  },
  {
    title: "Signatures",
    unit: "cps",
    queries: [{ expr: `sum by (duty, outcome) (${rate("arcade_signatures_total")})`, legend: "{{duty}} {{outcome}}" }],
  },
  {
    title: "Payouts",
    unit: "none",
    queries: [
      { expr: metric("arcade_payouts_open"), legend: "open" },
      { expr: metric("arcade_payouts_oldest_open_seconds"), legend: "seconds since the oldest open one" },
      { expr: `sum by (outcome) (${rate("arcade_transactions_total")})`, legend: "transactions {{outcome}} a second" },
    ],
  },
  {
    title: "Funds",
    unit: "none",
    kind: "stat",
    queries: [
      { expr: metric("arcade_operator_balance_ether"), legend: "operator, ether" },
      { expr: metric("arcade_rewards_float_tokens"), legend: "float, tokens" },
    ],
  },
  {
    title: "Alarms",
    unit: "none",
    kind: "stat",
    queries: [
      { expr: metric("arcade_scores_withheld_total"), legend: "scores withheld" },
      { expr: metric("arcade_recorder_failures_total"), legend: "failed writes" },
      { expr: metric("arcade_telemetry_dropped_total"), legend: "dropped telemetry" },
    ],
  },
  {
    title: "Process",
    unit: "short",
    queries: [
      { expr: metric("process_resident_memory_bytes"), legend: "memory" },
      { expr: rate("process_cpu_seconds_total"), legend: "CPU seconds a second" },
      { expr: metric("nodejs_eventloop_lag_p99_seconds"), legend: "event loop p99" },
    ],
  },
];

const DATA_SOURCE = { type: "prometheus", uid: "$" + "{source}" };

const toPanel = ({ title, unit, queries, kind = "timeseries" }: Panel, index: number) => ({
  id: index + 1,
  title,
  type: kind,
  datasource: DATA_SOURCE,
  gridPos: { x: (index % 3) * 8, y: Math.floor(index / 3) * 8, w: 8, h: 8 },
  fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
  options: {},
  targets: queries.map(({ expr, legend }, at) => ({
    refId: String.fromCharCode(65 + at),
    datasource: DATA_SOURCE,
    expr,
    legendFormat: legend,
  })),
});

export const createDashboard = () => ({
  title: "Agent Arcade",
  uid: "agent-arcade",
  schemaVersion: 41,
  version: 1,
  tags: ["agent-arcade"],
  time: { from: "now-6h", to: "now" },
  refresh: "30s",
  templating: { list: [{ name: "source", label: "Prometheus", type: "datasource", query: "prometheus" }] },
  panels: PANELS.map(toPanel),
});
