/** The state of the service at a glance: alarms, then figures. */
import { formatEther, formatUnits } from "viem";
import { Load } from "../components/load.tsx";
import { useLoaded } from "../components/use-loaded.ts";
import { shortenNumber } from "../labels/account.ts";
import { CONSOLE_LABELS } from "../labels/console.ts";
import { formatDuration, formatNumber } from "../labels/shared.ts";
import { client } from "../wallet/service.ts";
import { Alarms } from "./alarms.tsx";
import { asOperator } from "./console-store.ts";
import { loadStatus, type ServiceStatus } from "./service-status.ts";

const POLL_MS = 3000;
const TOKEN_DECIMALS = 18;

export function StatusBar() {
  const loaded = useLoaded(
    null,
    async (signal) => ({
      status: await loadStatus(signal),
      drain: await client.console.draining({}, asOperator(signal)),
    }),
    [],
    POLL_MS,
  );
  return (
    <Load loaded={loaded}>
      {({ status, drain }) => (
        <section aria-label={CONSOLE_LABELS.status}>
          <Alarms status={status} />
          <Figures status={status} isDraining={drain.draining} />
        </section>
      )}
    </Load>
  );
}

function Figures({ status, isDraining }: { readonly status: ServiceStatus; readonly isDraining: boolean }) {
  const { ticks, payouts } = status;
  const state = status.ready ? CONSOLE_LABELS.ready : isDraining ? CONSOLE_LABELS.draining : CONSOLE_LABELS.notReady;
  const figures: readonly (readonly [string, string])[] = [
    [CONSOLE_LABELS.status, state],
    [CONSOLE_LABELS.uptime, formatDuration(status.uptimeSeconds)],
    [CONSOLE_LABELS.lateness, CONSOLE_LABELS.milliseconds(ticks.lateP50Ms, ticks.lateP99Ms, ticks.lateMaxMs)],
    [CONSOLE_LABELS.dropped, formatNumber(ticks.dropped)],
    [
      CONSOLE_LABELS.balance,
      formatOrDash(payouts.operatorBalanceWei, (wei) => `${shortenNumber(formatEther(wei))} ETH`),
    ],
    [CONSOLE_LABELS.float, formatOrDash(payouts.float, (units) => shortenNumber(formatUnits(units, TOKEN_DECIMALS)))],
    [CONSOLE_LABELS.openPayouts, formatNumber(payouts.openPayouts)],
  ];
  return (
    <dl class="figures console-figures" aria-label={CONSOLE_LABELS.status} data-ready={String(status.ready)}>
      {figures.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            <b>{value}</b>
          </dd>
        </div>
      ))}
    </dl>
  );
}

const formatOrDash = (units: string | null, format: (units: bigint) => string): string =>
  units === null ? "–" : format(BigInt(units));
