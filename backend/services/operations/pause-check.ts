import type { ChainReader } from "../../ports/chain.ts";
import type { Clock } from "../../ports/system.ts";

interface PauseCheckPorts {
  readonly chain: Pick<ChainReader, "deployment" | "isPaused">;
  /** The games of this version. */
  readonly slugs: readonly string[];
  readonly clock: Pick<Clock, "monotonicMs">;
}

const CACHE_TTL_MS = 10_000;

/** Tracks which contracts are paused on chain, so that the operator learns of it before agents do. */
export class PauseCheck {
  readonly #ports: PauseCheckPorts;
  #paused: readonly string[] = [];
  #readAtMs: number | null = null;

  constructor(ports: PauseCheckPorts) {
    this.#ports = ports;
  }

  /** The paused contracts at the last read; null if none is paused. Does not query the node. */
  findProblem(): string | null {
    if (this.#paused.length === 0) return null;
    return `paused on chain: ${this.#paused.join(", ")}; signed calls and payouts fail until the admin runs npm run admin -- chain unpause`;
  }

  /** Reads the contracts again if the last read is older than 10 s. After a failure the last result stays. */
  async refreshIfDue(): Promise<void> {
    const { chain, slugs, clock } = this.#ports;
    const nowMs = clock.monotonicMs();
    if (this.#readAtMs !== null && nowMs - this.#readAtMs < CACHE_TTL_MS) return;
    this.#readAtMs = nowMs;
    const { rewards, identity, nft } = chain.deployment;
    const contracts = [
      ["rewards", rewards],
      ["identity", identity],
      ...slugs.map((slug) => [`nft.${slug}`, nft[slug]!]),
    ];
    const states = await Promise.all(
      contracts.map(async ([name, address]) => ((await chain.isPaused(address as typeof rewards)) ? [name!] : [])),
    ).catch(() => null);
    if (states !== null) this.#paused = states.flat();
  }
}
