import { expect } from "chai";
import { checkCapsAndFloat } from "../../scripts/doctor/money.ts";
import type { DoctorTarget } from "../../scripts/doctor/target.ts";

/** The least payout is 10 tokens, the largest 100. */
async function check(change: { readonly [view: string]: unknown } = {}) {
  const wei = 10n ** 18n;
  const views: { readonly [view: string]: unknown } = {
    caps: [1_000n, 5_000n],
    getDailyRemaining: 1_000n,
    maxPayout: 100n,
    floatBalance: 1_000n,
    ...change,
  };
  const toWei = (value: unknown): unknown => (Array.isArray(value) ? value.map(toWei) : (value as bigint) * wei);
  const client = {
    readContract: async ({ functionName: view }: { readonly functionName: string }) =>
      ({ minScore: 10n, scoreToTokenRate: wei, symbol: "TKN" })[view] ?? toWei(views[view]),
  };
  const target = { client, record: { rewards: "0x1", token: "0x2" } } as unknown as DoctorTarget;
  return Object.fromEntries((await checkCapsAndFloat(target)).map(({ id, status }) => [id, status]));
}

describe("the doctor's check of caps and float", () => {
  it("compares the caps with the smallest and the largest payout", async () => {
    expect(await check()).to.deep.equal({ caps: "ok", float: "ok" });
    expect(await check({ caps: [100n, 100n], floatBalance: 100n })).to.deep.equal({ caps: "ok", float: "ok" });
    expect(await check({ caps: [99n, 500n] })).to.include({ caps: "warning" });
    expect(await check({ caps: [10n, 10n] })).to.include({ caps: "warning" });
    expect(await check({ caps: [9n, 500n] })).to.include({ caps: "fault" });
    expect(await check({ caps: [500n, 9n] })).to.include({ caps: "fault" });
  });

  it("warns when less than the smallest payout is left today", async () => {
    expect(await check({ getDailyRemaining: 10n })).to.not.have.property("caps.today");
    expect(await check({ getDailyRemaining: 9n })).to.have.property("caps.today", "warning");
  });

  it("compares the float with the largest payout and a day's cap", async () => {
    expect(await check({ floatBalance: 999n })).to.include({ float: "warning" });
    expect(await check({ floatBalance: 100n })).to.include({ float: "warning" });
    expect(await check({ floatBalance: 99n })).to.include({ float: "fault" });
  });
});
