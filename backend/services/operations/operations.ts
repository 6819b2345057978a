import { ArcadeError } from "../../../domain/errors.ts";
import { isLoopbackHost } from "../../../domain/origins.ts";
import { toIso } from "../../../domain/time.ts";
import type { ChainReader } from "../../ports/chain.ts";
import type { Clock, MetricSources, Metrics } from "../../ports/system.ts";
import type { Readiness } from "./readiness.ts";
import { isSameSecret } from "./secrets.ts";

interface OperationPorts {
  readonly chain: Pick<ChainReader, "deployment">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly readiness: Pick<Readiness, "check">;
  readonly sources: Pick<MetricSources, "games" | "live" | "chain" | "payouts">;
  readonly metrics: Pick<Metrics, "text">;
  /** The address that may read the metrics without a token, `*` for any. */
  readonly metricsHost: string;
  /** Reads the metrics from anywhere; null: there is none. */
  readonly metricsToken: string | null;
  readonly publicUrl: () => string;
}

/** The sender of a request. `forwarded`: a proxy that is not trusted has passed it on. */
export interface Peer {
  readonly address: string;
  readonly forwarded: boolean;
  /** The bearer token of the request. */
  readonly token: string | null;
}

/** An IPv4 address without its IPv6 mapping. */
const normalizeAddress = (address: string): string => address.replace(/^::ffff:/, "");
const isLoopback = (address: string): boolean => address === "::1" || /^127\./.test(normalizeAddress(address));

/** The state of this process for operators: status, readiness and metrics. */
export class Operations {
  readonly #ports: OperationPorts;
  readonly #startedAtMs: number;

  constructor(ports: OperationPorts) {
    this.#ports = ports;
    this.#startedAtMs = ports.clock.nowMs();
  }

  /** The checks of `/readyz`. */
  getReadiness() {
    return this.#ports.readiness.check();
  }

  /** One overview for people and dashboards. */
  async getStatus() {
    const { sources, clock, chain, readiness } = this.#ports;
    const { lateness, ...live } = sources.live();
    const { operatorBalanceWei, float, tokenDecimals: _, ...payouts } = await sources.payouts();
    return {
      service: "agent-arcade" as const,
      startedAt: toIso(this.#startedAtMs),
      uptimeSeconds: Math.max(0, Math.floor((clock.nowMs() - this.#startedAtMs) / 1000)),
      ...(await readiness.check()),
      chain: { chainId: chain.deployment.chainId, ...sources.chain() },
      games: [...sources.games()],
      ticks: {
        count: live.ticks,
        dropped: live.droppedTicks,
        lateP50Ms: lateness.p50Ms,
        lateP99Ms: lateness.p99Ms,
        lateMaxMs: lateness.maxMs,
      },
      payouts: {
        ...payouts,
        operatorBalanceWei: operatorBalanceWei?.toString() ?? null,
        float: float?.toString() ?? null,
      },
      recorderFailures: live.storeFailures,
      scoresWithheld: live.withheld,
    };
  }

  /**
   * The metrics as text, for the configured token, or for a direct request from the configured address. A public
   * service is behind a proxy that may add no headers, so a loopback address proves nothing there. Throws `NOT_FOUND`.
   */
  async getMetricsText(peer: Peer): Promise<string> {
    if (!this.#isTokenOf(peer) && !this.#isTrusted(peer))
      throw new ArcadeError(
        "NOT_FOUND",
        "Metrics are served to the configured address (ARCADE_METRICS_HOST) or token (ARCADE_METRICS_TOKEN).",
      );
    return this.#ports.metrics.text();
  }

  #isTokenOf({ token }: Peer): boolean {
    const { metricsToken } = this.#ports;
    return token !== null && metricsToken !== null && isSameSecret(token, metricsToken);
  }

  #isTrusted(peer: Peer): boolean {
    const { metricsHost, publicUrl } = this.#ports;
    if (metricsHost === "*") return true;
    if (peer.forwarded) return false;
    const address = normalizeAddress(peer.address);
    if (!isLoopback(metricsHost)) return address === normalizeAddress(metricsHost);
    return isLoopback(address) && isLoopbackHost(new URL(publicUrl()).hostname);
  }
}
