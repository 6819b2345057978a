import type { ChainFacts } from "../../ports/chain.ts";
import type { PayoutStore } from "../../ports/store/chain.ts";
import type { Clock, PayoutFacts } from "../../ports/system.ts";
import type { ChainWriter } from "../../ports/transactions.ts";

interface PayoutMonitorPorts {
  readonly store: Pick<PayoutStore, "summarizeOpen">;
  readonly chain: Pick<ChainFacts, "getRewardsState" | "getTokenInfo">;
  readonly writer: Pick<ChainWriter, "getBalance" | "counts">;
  readonly clock: Pick<Clock, "nowMs" | "monotonicMs">;
}

/** Balance and float change with transactions only, and status and metrics are read often. */
const CACHE_TTL_MS = 10_000;

type Funds = Pick<PayoutFacts, "operatorBalanceWei" | "float" | "tokenDecimals">;

const UNKNOWN: Funds = { operatorBalanceWei: null, float: null, tokenDecimals: null };

/** Whether payouts can be made and are made: the operator's gas, the float, open payouts, and transaction outcomes. */
export class PayoutMonitor {
  readonly #ports: PayoutMonitorPorts;
  #funds = UNKNOWN;
  #readAtMs: number | null = null;
  #reading: Promise<void> | null = null;

  constructor(ports: PayoutMonitorPorts) {
    this.#ports = ports;
  }

  /**
   * Reads the funds again if they are older than 10 s. The indexer's polls call it, so that no request has to. The
   * first call resolves when the funds are read, all others at once.
   */
  async refreshIfDue(): Promise<void> {
    const isDue = this.#readAtMs === null || this.#ports.clock.monotonicMs() - this.#readAtMs >= CACHE_TTL_MS;
    if (!isDue) return;
    const isFirst = this.#readAtMs === null && this.#reading === null;
    this.#reading ??= this.#readFunds();
    if (isFirst) await this.#reading;
  }

  /** Funds are those of the last read; null before it, and if it failed. Does not wait for the chain. */
  async read(): Promise<PayoutFacts> {
    const { store, writer, clock } = this.#ports;
    const { count, oldestAtMs } = await store.summarizeOpen();
    return {
      ...this.#funds,
      openPayouts: count,
      oldestOpenSeconds: oldestAtMs === null ? 0 : Math.max(0, clock.nowMs() - oldestAtMs) / 1000,
      transactions: writer.counts(),
    };
  }

  async #readFunds(): Promise<void> {
    const { chain, writer, clock } = this.#ports;
    try {
      const [operatorBalanceWei, { float }, { decimals }] = await Promise.all([
        writer.getBalance(),
        chain.getRewardsState(),
        chain.getTokenInfo(),
      ]);
      this.#funds = { operatorBalanceWei, float, tokenDecimals: decimals };
    } catch {
      this.#funds = UNKNOWN;
    }
    this.#readAtMs = clock.monotonicMs();
    this.#reading = null;
  }
}
