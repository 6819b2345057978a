/** The metrics of the service by name, as Prometheus text by prom-client, including process metrics. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { formatUnits } from "viem";
import type { MetricSources, Metrics, Signers } from "../../ports/system.ts";

type Kind = "counter" | "gauge" | "histogram";

interface MetricDefinition {
  readonly kind: Kind;
  readonly help: string;
  readonly labels: readonly string[];
}

const defineMetric = (kind: Kind, help: string, ...labels: readonly string[]): MetricDefinition => ({
  kind,
  help,
  labels,
});

export const METRICS = {
  arcade_http_requests_total: defineMetric("counter", "Requests with a response", "route", "method", "status"),
  arcade_http_request_seconds: defineMetric("histogram", "Seconds from a request's arrival to its response", "route"),
  arcade_http_errors_total: defineMetric("counter", "Error responses by code", "route", "code"),
  arcade_sessions_live: defineMetric("gauge", "Sessions running in this process", "slug"),
  arcade_spectators_live: defineMetric("gauge", "Spectator seats taken", "slug"),
  arcade_sessions_ended_total: defineMetric("counter", "Sessions stored as ended", "slug", "source", "end_reason"),
  arcade_ticks_total: defineMetric("counter", "Game ticks"),
  arcade_ticks_dropped_total: defineMetric("counter", "Game ticks skipped because the process was too late"),
  arcade_tick_lateness_seconds: defineMetric("gauge", "Lateness of the latest 8192 ticks", "quantile"),
  arcade_recorder_failures_total: defineMetric("counter", "Failed writes of running sessions"),
  arcade_scores_withheld_total: defineMetric("counter", "Scores withheld because the replay did not confirm them"),
  arcade_telemetry_dropped_total: defineMetric("counter", "Events dropped because the store rejects their content"),
  arcade_signatures_total: defineMetric("counter", "Signatures requested from a signer", "duty", "outcome"),
  arcade_chain_head_block: defineMetric("gauge", "The chain's latest block"),
  arcade_chain_followed_block: defineMetric("gauge", "The latest block whose events are stored"),
  arcade_chain_lag_blocks: defineMetric("gauge", "Blocks whose events are not stored yet"),
  arcade_chain_outage_seconds: defineMetric("gauge", "Seconds since the chain last answered; 0: it answers"),
  arcade_chain_node_used: defineMetric(
    "gauge",
    "1 if the service accepts this node's head; only with several nodes",
    "node",
    "host",
  ),
  arcade_chain_node_head_block: defineMetric(
    "gauge",
    "The node's latest block; only with several nodes",
    "node",
    "host",
  ),
  arcade_chain_differences: defineMetric("gauge", "Figures from stored events that differ from the contracts"),
  arcade_operator_balance_ether: defineMetric(
    "gauge",
    "The operator's balance for gas; absent while the chain does not answer",
  ),
  arcade_rewards_float_tokens: defineMetric(
    "gauge",
    "Tokens in the rewards contract; absent while the chain does not answer",
  ),
  arcade_payouts_open: defineMetric("gauge", "Payouts not in a block yet"),
  arcade_payouts_oldest_open_seconds: defineMetric(
    "gauge",
    "Seconds since the request for the oldest open payout; 0: none is open",
  ),
  arcade_transactions_total: defineMetric("counter", "The operator's transactions by outcome", "outcome"),
  arcade_ready: defineMetric("gauge", "1 while the check of /readyz passes, 0 if the operator must act", "check"),
} as const satisfies Record<string, MetricDefinition>;

type MetricName = keyof typeof METRICS;

/** Buckets from a cached read to a payout that waits 10 s for its block. */
const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

let processMetrics: Registry | null = null;

/**
 * The metrics of the process. Created once: Node never releases their observers, nor the service that created them. The
 * first scrape creates them, because their watch of the event loop wakes the process a hundred times a second.
 */
function getProcessMetrics(): Registry {
  if (processMetrics !== null) return processMetrics;
  processMetrics = new Registry();
  collectDefaultMetrics({ register: processMetrics });
  return processMetrics;
}

/** Creates metrics of the table in a registry. */
function createMetricFactory(registry: Registry) {
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
  /** A counter whose value is kept in another module. */
  const counterFrom = (name: MetricName, read: () => number) =>
    new Counter({
      ...options(name),
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  return { options, counter, gauge, counterFrom };
}

type MetricFactory = ReturnType<typeof createMetricFactory>;

/** The metrics of running sessions. */
function addSessionMetrics({ gauge, counterFrom }: MetricFactory, sources: MetricSources): void {
  gauge("arcade_sessions_live", (self) => {
    for (const { slug, sessions } of sources.games()) self.set({ slug }, sessions);
  });
  gauge("arcade_spectators_live", (self) => {
    for (const { slug, spectators } of sources.games()) self.set({ slug }, spectators);
  });
  counterFrom("arcade_ticks_total", () => sources.live().ticks);
  counterFrom("arcade_ticks_dropped_total", () => sources.live().droppedTicks);
  counterFrom("arcade_recorder_failures_total", () => sources.live().storeFailures);
  counterFrom("arcade_scores_withheld_total", () => sources.live().withheld);
  counterFrom("arcade_telemetry_dropped_total", () => sources.telemetry().dropped);
  gauge("arcade_tick_lateness_seconds", (self) => {
    const { p50Ms, p99Ms, maxMs } = sources.live().lateness;
    self.set({ quantile: "0.5" }, p50Ms / 1000);
    self.set({ quantile: "0.99" }, p99Ms / 1000);
    self.set({ quantile: "1" }, maxMs / 1000);
  });
}

/** The metrics of the chain, as the indexer and the audit know it. */
function addChainMetrics({ gauge }: MetricFactory, sources: MetricSources): void {
  gauge("arcade_chain_head_block", (self) => self.set(sources.chain().head ?? 0));
  gauge("arcade_chain_followed_block", (self) => self.set(sources.chain().followed ?? 0));
  gauge("arcade_chain_lag_blocks", (self) => self.set(sources.chain().lagBlocks ?? 0));
  gauge("arcade_chain_outage_seconds", (self) => self.set(sources.chain().outageMs / 1000));
  gauge("arcade_chain_node_used", (self) => {
    for (const { place, host, problem } of sources.chainNodes())
      self.set({ node: String(place), host }, problem === null ? 1 : 0);
  });
  gauge("arcade_chain_node_head_block", (self) => {
    for (const { place, host, head } of sources.chainNodes())
      if (head !== null) self.set({ node: String(place), host }, head);
  });
  gauge("arcade_chain_differences", (self) => self.set(sources.audit().differences));
}

/** The metrics of funds, payouts and the operator's transactions. */
function addPayoutMetrics({ options, gauge }: MetricFactory, sources: MetricSources): void {
  gauge("arcade_operator_balance_ether", async (self) => {
    const { operatorBalanceWei } = await sources.payouts();
    if (operatorBalanceWei !== null) self.set(Number(formatUnits(operatorBalanceWei, 18)));
  });
  gauge("arcade_rewards_float_tokens", async (self) => {
    const { float, tokenDecimals } = await sources.payouts();
    if (float !== null && tokenDecimals !== null) self.set(Number(formatUnits(float, tokenDecimals)));
  });
  gauge("arcade_payouts_open", async (self) => self.set((await sources.payouts()).openPayouts));
  gauge("arcade_payouts_oldest_open_seconds", async (self) => self.set((await sources.payouts()).oldestOpenSeconds));
  new Counter({
    ...options("arcade_transactions_total"),
    async collect() {
      const { transactions } = await sources.payouts();
      this.reset();
      for (const [outcome, count] of Object.entries(transactions)) this.inc({ outcome }, count);
    },
  });
}

export function createMetrics(sources: MetricSources): Metrics {
  const registry = new Registry();
  const factory = createMetricFactory(registry);
  const { options, counter, gauge } = factory;
  const requests = counter("arcade_http_requests_total");
  const errors = counter("arcade_http_errors_total");
  const seconds = new Histogram({ ...options("arcade_http_request_seconds"), buckets: BUCKETS_SECONDS });
  const ended = counter("arcade_sessions_ended_total");
  const signatures = counter("arcade_signatures_total");
  addSessionMetrics(factory, sources);
  addChainMetrics(factory, sources);
  addPayoutMetrics(factory, sources);
  gauge("arcade_ready", async (self) => {
    for (const { name, ok } of await sources.checks()) self.set({ check: name }, ok ? 1 : 0);
  });

  return {
    countRequest: ({ route, method, status, code, seconds: durationSeconds }) => {
      requests.inc({ route, method, status });
      seconds.observe({ route }, durationSeconds);
      if (code !== null) errors.inc({ route, code });
    },
    countSessionEnd: ({ slug, source, endReason }) => ended.inc({ slug, source, end_reason: endReason }),
    countSignature: ({ role, ok }) => signatures.inc({ duty: role, outcome: ok ? "signed" : "failed" }),
    text: async () => [await getProcessMetrics().metrics(), await registry.metrics()].join("\n"),
  };
}

/** Wraps signers so that each signature is counted. */
export const countSignatures =
  (signers: Signers, metrics: Pick<Metrics, "countSignature">): Signers =>
  (role) => {
    const signer = signers(role);
    return {
      address: signer.address,
      sign: async (typedData) => {
        try {
          const signed = await signer.sign(typedData);
          metrics.countSignature({ role, ok: true });
          return signed;
        } catch (error) {
          metrics.countSignature({ role, ok: false });
          throw error;
        }
      },
    };
  };
