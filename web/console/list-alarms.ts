/** Which alarms the state of the service raises. */
import { formatEther } from "viem";
import { shortenNumber } from "../labels/account.ts";
import { ALARM_LABELS, HELP_BY_CHECK, type Help } from "../labels/alarms.ts";
import type { ServiceStatus } from "./service-status.ts";

/** A payout takes seconds; docs/operating.md has the same bounds. */
const OLDEST_PAYOUT_SECONDS = 120;
const OPERATOR_WEI_MIN = 10n ** 16n;
/** Games tick 20 times a second. */
const TICK_MS = 50;

export interface Alarm extends Help {
  readonly sentence: string;
}

/** The service's own checks first. */
export function listAlarms({ checks, ticks, payouts }: ServiceStatus): readonly Alarm[] {
  const { operatorBalanceWei, float, oldestOpenSeconds, transactions } = payouts;
  const alarms = checks.flatMap(({ name, ok, sentence }) =>
    ok ? [] : [{ sentence: `${name}: ${sentence}`, ...(HELP_BY_CHECK[name] ?? ALARM_LABELS.unknown) }],
  );
  const add = (isOn: boolean, sentence: string, help: Help): void => {
    if (isOn) alarms.push({ sentence, ...help });
  };
  const { lateP99Ms, dropped } = ticks;
  add(lateP99Ms > TICK_MS, ALARM_LABELS.late(Math.round(lateP99Ms), TICK_MS, dropped), ALARM_LABELS.lateHelp);
  const wei = BigInt(operatorBalanceWei ?? OPERATOR_WEI_MIN);
  add(wei < OPERATOR_WEI_MIN, ALARM_LABELS.ether(shortenNumber(formatEther(wei))), ALARM_LABELS.etherHelp);
  add(float !== null && BigInt(float) === 0n, ALARM_LABELS.float, ALARM_LABELS.floatHelp);
  const isStuck = oldestOpenSeconds > OLDEST_PAYOUT_SECONDS;
  add(isStuck, ALARM_LABELS.stuck(Math.round(oldestOpenSeconds)), ALARM_LABELS.stuckHelp);
  const { againstPolicy } = transactions;
  add(againstPolicy > 0, ALARM_LABELS.againstPolicy(againstPolicy), ALARM_LABELS.againstPolicyHelp);
  return alarms;
}
