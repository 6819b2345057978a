import { expect } from "chai";
import { createMetrics } from "../../../backend/adapters/system/metrics.ts";
import type { RewardsState, TokenInfo } from "../../../backend/ports/chain.ts";
import { PayoutMonitor } from "../../../backend/services/operations/payout-monitor.ts";
import { ArcadeError } from "../../../domain/errors.ts";
import { openMemoryStore } from "../../../testing/images.ts";
import { createPayoutRow } from "../../adapters/store/rows.ts";
import { useEach } from "../../helpers/fixture.ts";
import { TestClock } from "../../helpers/test-clock.ts";

const ETHER = 10n ** 18n;
const COUNTS = { included: 3, failed: 1, refused: 2, bumped: 4, reorganized: 5, aboveFeeCap: 6, againstPolicy: 7 };

describe("the payout monitor", () => {
  let clock: TestClock;
  let balanceWei: bigint | null;
  let reads: number;
  let monitor: PayoutMonitor;
  const store = useEach(openMemoryStore);
  beforeEach(async () => {
    clock = new TestClock();
    balanceWei = 0n;
    reads = 0;
    monitor = new PayoutMonitor({
      store: store.payouts,
      clock,
      chain: {
        getRewardsState: async () => ({ float: 250n * ETHER }) as RewardsState,
        getTokenInfo: async () => ({ decimals: 18 }) as TokenInfo,
      },
      writer: {
        counts: () => COUNTS,
        getBalance: async () => {
          reads += 1;
          if (balanceWei === null) throw new ArcadeError("CHAIN_UNAVAILABLE", "away");
          return balanceWei;
        },
      },
    });
  });

  it("reports the number of open payouts and the age of the oldest", async () => {
    expect(await monitor.read()).to.include({ openPayouts: 0, oldestOpenSeconds: 0 });
    const oldest = createPayoutRow({ createdAtMs: clock.nowMs() });
    await store.payouts.open(oldest);
    clock.advance(60_000);
    const other = createPayoutRow({ wallet: "0x00000000000000000000000000000000000000b0", createdAtMs: clock.nowMs() });
    await store.payouts.open(other);
    clock.advance(30_000);
    expect(await monitor.read()).to.include({ openPayouts: 2, oldestOpenSeconds: 90 });
    await store.payouts.advance(oldest.payoutId, "pending", { status: "included" });
    expect(await monitor.read()).to.include({ openPayouts: 1, oldestOpenSeconds: 30 });
  });

  it("reports unknown funds at once before they are read", async () => {
    expect(await monitor.read()).to.include({ operatorBalanceWei: null, float: null, openPayouts: 0 });
    expect(reads).to.equal(0);
  });

  it("reports an empty operator, the float, and unknown funds while the chain is unavailable", async () => {
    await monitor.refreshIfDue();
    expect(await monitor.read()).to.include({ operatorBalanceWei: 0n, float: 250n * ETHER });
    balanceWei = null;
    expect((await monitor.read()).operatorBalanceWei).to.equal(0n);
    expect(reads).to.equal(1);
    clock.advance(10_000);
    await monitor.refreshIfDue();
    await new Promise((resolve) => setImmediate(resolve));
    expect(await monitor.read()).to.include({ operatorBalanceWei: null, float: null });
  });

  it("sets the metrics", async () => {
    await store.payouts.open(createPayoutRow({ createdAtMs: clock.nowMs() - 5_000 }));
    balanceWei = ETHER / 4n;
    await monitor.refreshIfDue();
    const metrics = createMetrics({ payouts: () => monitor.read(), ...createOtherSources() });
    const text = await metrics.text();
    for (const line of [
      "arcade_operator_balance_ether 0.25",
      "arcade_rewards_float_tokens 250",
      "arcade_payouts_open 1",
      "arcade_payouts_oldest_open_seconds 5",
      ...Object.entries(COUNTS).map(([outcome, count]) => `arcade_transactions_total{outcome="${outcome}"} ${count}`),
    ])
      expect(text.split("\n")).to.include(line);
  });
});

const createOtherSources = () => ({
  games: () => [],
  live: () => ({
    ticks: 0,
    droppedTicks: 0,
    lateness: { p50Ms: 0, p99Ms: 0, maxMs: 0 },
    storeFailures: 0,
    withheld: 0,
  }),
  chain: () => ({ head: null, followed: null, lagBlocks: null, healthy: true, outageMs: 0 }),
  audit: () => ({ differences: 0 }),
  chainNodes: () => [],
  telemetry: () => ({ dropped: 0 }),
  checks: async () => [],
});
