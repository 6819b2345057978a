import { readFileSync } from "node:fs";
import { expect } from "chai";
import { listAlarms } from "../../web/console/list-alarms.ts";
import { ALARM_LABELS, HELP_BY_CHECK } from "../../web/labels/alarms.ts";

const RUNBOOK = readFileSync(new URL("../../docs/operating.md", import.meta.url), "utf8");
const CALM = {
  checks: [{ name: "chain", ok: true, sentence: "fine", required: false }],
  ticks: { count: 1, dropped: 9, lateP50Ms: 1, lateP99Ms: 50, lateMaxMs: 900 },
  payouts: {
    operatorBalanceWei: "10000000000000000",
    float: "1",
    openPayouts: 3,
    oldestOpenSeconds: 120,
    transactions: { included: 1, failed: 1, refused: 1, bumped: 1, reorganized: 0, aboveFeeCap: 0, againstPolicy: 0 },
  },
} as unknown as Parameters<typeof listAlarms>[0];

describe("the console's alarms", () => {
  it("are off at each bound, and while the funds are unknown", () => {
    expect(listAlarms(CALM)).to.deep.equal([]);
    const payouts = { ...CALM.payouts, operatorBalanceWei: null, float: null };
    expect(listAlarms({ ...CALM, payouts })).to.deep.equal([]);
  });

  it("list what is beyond a bound, with the checks first", () => {
    const { ticks, payouts } = CALM;
    const status = {
      ...CALM,
      checks: [{ name: "chain", ok: false, sentence: "The node does not answer.", required: false }],
      ticks: { ...ticks, lateP99Ms: 51 },
      payouts: {
        ...payouts,
        operatorBalanceWei: "9999999999999999",
        float: "0",
        oldestOpenSeconds: 121,
        transactions: { ...payouts.transactions, againstPolicy: 2 },
      },
    };
    const alarms = listAlarms(status);
    expect(alarms.map(({ sentence }) => sentence)).to.deep.equal([
      "chain: The node does not answer.",
      ALARM_LABELS.late(51, 50, 9),
      ALARM_LABELS.ether("0.0099"),
      ALARM_LABELS.float,
      ALARM_LABELS.stuck(121),
      ALARM_LABELS.againstPolicy(2),
    ]);
    const helps = [...alarms, ...Object.values(HELP_BY_CHECK), ALARM_LABELS.unknown];
    for (const { entry } of helps) expect(RUNBOOK).to.include(`**${entry}.**`);
  });
});
