import { ArcadeError } from "../domain/errors.ts";
import type { ChainReader, Clock, MetricSources, Metrics, Store } from "../ports.ts";

interface OperationPorts {
  readonly store: Pick<Store, "probe">;
  readonly chain: ChainReader;
  readonly clock: Clock;
  readonly draining: () => boolean;
  /** Says what is wrong with the signers' roles on chain, null when nothing is. */
  readonly signerFault: () => Promise<string | null>;
  /** How old the latest block may be; null on a chain that mines on demand. */
  readonly headAgeMaxSeconds: number | null;
  readonly sources: Pick<MetricSources, "games" | "live" | "chain">;
  readonly metrics: Pick<Metrics, "text">;
  /** Address that may read the metrics, `*` for any. */
  readonly metricsHost: string;
}

export type Operations = ReturnType<typeof makeOperations>;

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly sentence: string;
}

/** Where a request came from: `forwarded` where a proxy says that it stands between, and proxies are not trusted. */
export interface Peer {
  readonly address: string;
  readonly forwarded: boolean;
}

const plainAddress = (address: string): string => address.replace(/^::ffff:/, "");
const isLoopback = (address: string): boolean => address === "::1" || /^127\./.test(plainAddress(address));

/** Whether this process can do its work right now, and what it is doing. */
export function makeOperations(ports: OperationPorts) {
  const { store, chain, clock, draining, signerFault, headAgeMaxSeconds, sources, metrics, metricsHost } = ports;
  const startedAtMs = clock.nowMs();

  const check = async (name: string, run: () => Promise<string | null>): Promise<Check> => {
    try {
      const fault = await run();
      return { name, ok: fault === null, sentence: fault ?? "fine" };
    } catch (thrown) {
      const sentence = thrown instanceof ArcadeError ? thrown.message : "the check failed";
      return { name, ok: false, sentence };
    }
  };

  async function headFault(): Promise<string | null> {
    const { number, timestamp } = await chain.head();
    if (headAgeMaxSeconds === null) return null;
    const ageSeconds = Math.floor(clock.nowMs() / 1000) - timestamp;
    if (ageSeconds <= headAgeMaxSeconds) return null;
    return `block ${number}, the node's latest, is ${ageSeconds} s old; expected at most ${headAgeMaxSeconds} s`;
  }

  /** Database write, chain head, signer roles; `ready` is all of them. */
  async function readiness() {
    const checks = await Promise.all([
      check("process", async () => (draining() ? "the service is stopping" : null)),
      check("database", async () => {
        await store.probe();
        return null;
      }),
      check("chain", headFault),
      check("signers", signerFault),
    ]);
    return { ready: checks.every(({ ok }) => ok), checks };
  }

  return {
    readiness,

    /** One look at everything, for people and dashboards. */
    async status() {
      const { lateness, ...live } = sources.live();
      return {
        service: "agent-arcade" as const,
        startedAt: new Date(startedAtMs).toISOString(),
        uptimeSeconds: Math.max(0, Math.floor((clock.nowMs() - startedAtMs) / 1000)),
        ...(await readiness()),
        chain: { chainId: chain.deployment.chainId, ...sources.chain() },
        games: [...sources.games()],
        ticks: {
          count: live.ticks,
          dropped: live.droppedTicks,
          lateP50Ms: lateness.p50Ms,
          lateP99Ms: lateness.p99Ms,
          lateMaxMs: lateness.maxMs,
        },
        recorderFailures: live.storeFailures,
        scoresWithheld: live.withheld,
      };
    },

    /**
     * The metrics as text. Throws `NOT_FOUND` for anybody but the configured address. A request that was forwarded
     * came from the proxy's own address, which is often loopback: it is somebody else's.
     */
    async metrics(peer: Peer): Promise<string> {
      const address = plainAddress(peer.address);
      const isKnown = address === plainAddress(metricsHost) || (isLoopback(metricsHost) && isLoopback(address));
      if (metricsHost !== "*" && (peer.forwarded || !isKnown))
        throw new ArcadeError("NOT_FOUND", "Metrics are told to the configured address alone (ARCADE_METRICS_HOST).");
      return metrics.text();
    },
  };
}
