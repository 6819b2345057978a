/** Every metric of the service by its name; Prometheus text through prom-client. Beside them: prom-client's own process metrics. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { MetricSources, Metrics, Signers } from "../ports.ts";

type Kind = "counter" | "gauge" | "histogram";

interface MetricRow {
  readonly kind: Kind;
  readonly help: string;
  readonly labels: readonly string[];
}

const row = (kind: Kind, help: string, ...labels: readonly string[]): MetricRow => ({ kind, help, labels });

export const METRICS = {
  arcade_http_requests_total: row("counter", "Answered requests", "route", "method", "status"),
  arcade_http_request_seconds: row("histogram", "From a request's arrival to its answer", "route"),
  arcade_http_errors_total: row("counter", "Failures by their code", "route", "code"),
  arcade_sessions_live: row("gauge", "Sessions that run in this process", "slug"),
  arcade_spectators_live: row("gauge", "Spectator seats that are taken", "slug"),
  arcade_sessions_ended_total: row("counter", "Sessions stored as ended", "slug", "source", "end_reason"),
  arcade_ticks_total: row("counter", "Game ticks"),
  arcade_ticks_dropped_total: row("counter", "Game ticks left out because the process was too late"),
  arcade_tick_lateness_seconds: row("gauge", "How late the latest 8192 ticks were", "quantile"),
  arcade_recorder_failures_total: row("counter", "Failed writes of running sessions"),
  arcade_scores_withheld_total: row("counter", "Scores that their replay did not confirm"),
  arcade_signatures_total: row("counter", "Signatures asked of a signer", "duty", "outcome"),
  arcade_chain_head_block: row("gauge", "The chain's latest block"),
  arcade_chain_followed_block: row("gauge", "The latest block whose events are stored"),
  arcade_chain_lag_blocks: row("gauge", "Blocks that wait to be followed"),
  arcade_chain_outage_seconds: row("gauge", "How long the chain has not answered"),
  arcade_ready: row("gauge", "1 where a check of /readyz passes", "check"),
} as const satisfies Record<string, MetricRow>;

type MetricName = keyof typeof METRICS;

/** From a cached read to a payout that waits 10 s for its block. */
const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function makeMetrics(sources: MetricSources): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });

  const options = (name: MetricName) => {
    const { help, labels } = METRICS[name];
    return { name, help, labelNames: [...labels] as string[], registers: [registry] };
  };
  const counter = (name: MetricName) => new Counter(options(name));
  const gauge = (name: MetricName, read: (self: Gauge) => void | Promise<void>) =>
    new Gauge({
      ...options(name),
      async collect() {
        this.reset();
        await read(this);
      },
    });
  /** A count that another room keeps. */
  const counted = (name: MetricName, read: () => number) =>
    new Counter({
      ...options(name),
      collect() {
        this.reset();
        this.inc(read());
      },
    });

  const requests = counter("arcade_http_requests_total");
  const errors = counter("arcade_http_errors_total");
  const seconds = new Histogram({ ...options("arcade_http_request_seconds"), buckets: BUCKETS_SECONDS });
  const ended = counter("arcade_sessions_ended_total");
  const signatures = counter("arcade_signatures_total");

  gauge("arcade_sessions_live", (self) => {
    for (const { slug, sessions } of sources.games()) self.set({ slug }, sessions);
  });
  gauge("arcade_spectators_live", (self) => {
    for (const { slug, spectators } of sources.games()) self.set({ slug }, spectators);
  });
  counted("arcade_ticks_total", () => sources.live().ticks);
  counted("arcade_ticks_dropped_total", () => sources.live().droppedTicks);
  counted("arcade_recorder_failures_total", () => sources.live().storeFailures);
  counted("arcade_scores_withheld_total", () => sources.live().withheld);
  gauge("arcade_tick_lateness_seconds", (self) => {
    const { p50Ms, p99Ms, maxMs } = sources.live().lateness;
    self.set({ quantile: "0.5" }, p50Ms / 1000);
    self.set({ quantile: "0.99" }, p99Ms / 1000);
    self.set({ quantile: "1" }, maxMs / 1000);
  });
  gauge("arcade_chain_head_block", (self) => self.set(sources.chain().head ?? 0));
  gauge("arcade_chain_followed_block", (self) => self.set(sources.chain().followed ?? 0));
  gauge("arcade_chain_lag_blocks", (self) => self.set(sources.chain().lagBlocks ?? 0));
  gauge("arcade_chain_outage_seconds", (self) => self.set(sources.chain().outageMs / 1000));
  gauge("arcade_ready", async (self) => {
    for (const { name, ok } of await sources.checks()) self.set({ check: name }, ok ? 1 : 0);
  });

  return {
    countRequest: ({ route, method, status, code, seconds: taken }) => {
      requests.inc({ route, method, status });
      seconds.observe({ route }, taken);
      if (code !== null) errors.inc({ route, code });
    },
    countSessionEnd: ({ slug, source, endReason }) => ended.inc({ slug, source, end_reason: endReason }),
    countSignature: ({ duty, ok }) => signatures.inc({ duty, outcome: ok ? "signed" : "failed" }),
    text: () => registry.metrics(),
  };
}

/** The same signers, each signature counted. */
export const countSignatures =
  (signers: Signers, metrics: Pick<Metrics, "countSignature">): Signers =>
  (duty) => {
    const signer = signers(duty);
    return {
      address: signer.address,
      sign: async (typedData) => {
        try {
          const signed = await signer.sign(typedData);
          metrics.countSignature({ duty, ok: true });
          return signed;
        } catch (fault) {
          metrics.countSignature({ duty, ok: false });
          throw fault;
        }
      },
    };
  };
