import type { ChainReader, ChainWriter } from "../../ports/chain.ts";
import type { PayoutStore } from "../../ports/store/chain.ts";
import type { Clock, PayoutFacts } from "../../ports/system.ts";

interface PayoutMonitorPorts {
  readonly store: Pick<PayoutStore, "summarizeOpen">;
  readonly chain: Pick<ChainReader, "getRewardsState" | "getTokenInfo">;
  readonly writer: Pick<ChainWriter, "getBalance" | "counts">;
  readonly clock: Pick<Clock, "nowMs" | "monotonicMs">;
}

/** Balance and float change with transactions only, and status and metrics are read often. */
const CACHE_TTL_MS = 10_000;

type Funds = Pick<PayoutFacts, "operatorBalanceWei" | "float" | "tokenDecimals">;

const UNKNOWN: Funds = { operatorBalanceWei: null, float: null, tokenDecimals: null };

/** Whether payouts can be made and are made: the operator's gas, the float, open payouts, and the transactions' outcomes. */
export class PayoutMonitor {
  readonly #ports: PayoutMonitorPorts;
  #funds = UNKNOWN;
  #readAtMs: number | null = null;
  #reading: Promise<void> | null = null;

  constructor(ports: PayoutMonitorPorts) {
    this.#ports = ports;
  }

  /** Funds are up to 10 s old, and null while the chain does not answer; a later read never waits for the chain. */
  async read(): Promise<PayoutFacts> {
    const { store, writer, clock } = this.#ports;
    const isFirst = this.#readAtMs === null;
    if (isFirst || clock.monotonicMs() - this.#readAtMs! >= CACHE_TTL_MS) this.#reading ??= this.#readFunds();
    if (isFirst) await this.#reading;
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
