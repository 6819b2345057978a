/** The state of the service: alarms with their remedies, figures and, below all lists, draining. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { formatEther, formatUnits } from "viem";
import { toSitePath } from "../../domain/site.ts";
import { ActionButton } from "../components/action-button.tsx";
import { Load } from "../components/load.tsx";
import { useLoaded } from "../components/use-loaded.ts";
import { shortenNumber } from "../labels/account.ts";
import { ALARM_LABELS } from "../labels/alarms.ts";
import { CONSOLE_LABELS } from "../labels/console.ts";
import { formatNumber, formatUptime } from "../labels/shared.ts";
import { client } from "../wallet/service.ts";
import { asOperator } from "./console-store.ts";
import { listAlarms } from "./list-alarms.ts";
import { loadStatus, type ServiceStatus } from "./service-status.ts";
import { noteTrends, Trend, type TrendName } from "./trends.tsx";

const POLL_MS = 3000;
const TOKEN_DECIMALS = 18;

/** `children`: the lists. */
export function StatusBar({ children }: { readonly children: ComponentChildren }) {
  const loaded = useLoaded(
    null,
    async (signal) => {
      const status = await loadStatus(signal);
      const drain = await client.console.draining({}, asOperator(signal));
      noteTrends(status);
      return { status, drain };
    },
    [],
    POLL_MS,
  );
  const draining = loaded.value?.drain.draining ?? null;
  return (
    <>
      <Load loaded={loaded}>
        {({ status, drain }) => (
          <section aria-label={CONSOLE_LABELS.status}>
            <Alarms status={status} />
            <Figures status={status} isDraining={drain.draining} />
          </section>
        )}
      </Load>
      {children}
      {draining !== null && <DrainForm draining={draining} onChanged={loaded.reload} />}
    </>
  );
}

function Alarms({ status }: { readonly status: ServiceStatus }) {
  const alarms = listAlarms(status);
  if (alarms.length === 0) return <p class="check-ok">{ALARM_LABELS.none}</p>;
  return (
    <div role="alert">
      <ul class="alarms" aria-label={ALARM_LABELS.title}>
        {alarms.map(({ sentence, help, entry }) => (
          <li key={sentence}>
            <b>{sentence}</b>
            <p>
              {`${help} `}
              <a href={`${toSitePath("guide", { guide: "operating" })}#runbook`}>{ALARM_LABELS.runbook(entry)}</a>
            </p>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Figures({ status, isDraining }: { readonly status: ServiceStatus; readonly isDraining: boolean }) {
  const { ticks, payouts } = status;
  const state = status.ready ? CONSOLE_LABELS.ready : isDraining ? CONSOLE_LABELS.draining : CONSOLE_LABELS.notReady;
  const figures: readonly (readonly [label: string, value: string, trend?: TrendName])[] = [
    [CONSOLE_LABELS.status, state],
    [CONSOLE_LABELS.uptime, formatUptime(status.uptimeSeconds)],
    [
      CONSOLE_LABELS.lateness,
      CONSOLE_LABELS.milliseconds(ticks.lateP50Ms, ticks.lateP99Ms, ticks.lateMaxMs),
      "lateness",
    ],
    [CONSOLE_LABELS.dropped, formatNumber(ticks.dropped), "dropped"],
    [
      CONSOLE_LABELS.balance,
      formatOrDash(payouts.operatorBalanceWei, (wei) => `${shortenNumber(formatEther(wei))} ETH`),
      "balance",
    ],
    [
      CONSOLE_LABELS.float,
      formatOrDash(payouts.float, (units) => shortenNumber(formatUnits(units, TOKEN_DECIMALS))),
      "float",
    ],
    [CONSOLE_LABELS.openPayouts, formatNumber(payouts.openPayouts), "openPayouts"],
  ];
  return (
    <dl class="figures console-figures" aria-label={CONSOLE_LABELS.status} data-ready={String(status.ready)}>
      {figures.map(([label, value, trend]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            <b>{value}</b>
            {trend !== undefined && <Trend name={trend} />}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const formatOrDash = (units: string | null, format: (units: bigint) => string): string =>
  units === null ? "–" : format(BigInt(units));

interface DrainFormProps {
  readonly draining: boolean;
  readonly onChanged: () => void;
}

function DrainForm({ draining, onChanged }: DrainFormProps) {
  const reason = useSignal("");
  return (
    <div class="form form-row drain">
      <label>
        {CONSOLE_LABELS.reason}
        <input
          type="text"
          maxLength={200}
          placeholder={CONSOLE_LABELS.reasonHelp}
          value={reason.value}
          onInput={({ currentTarget }) => {
            reason.value = currentTarget.value;
          }}
        />
      </label>
      <ActionButton
        label={draining ? CONSOLE_LABELS.resume : CONSOLE_LABELS.drain}
        isQuiet={!draining}
        isDisabled={reason.value.trim() === ""}
        onClick={async () => {
          await client.console.drain({ draining: !draining, reason: reason.value.trim() }, asOperator());
          reason.value = "";
          onChanged();
        }}
      />
      <p class="quiet">{CONSOLE_LABELS.drainText}</p>
    </div>
  );
}
