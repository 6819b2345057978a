/** The state of the service at a glance, and the draining. */
import { useSignal } from "@preact/signals";
import { formatEther, formatUnits } from "viem";
import type { Answer } from "../../client/api.ts";
import { ActionButton } from "../components/action-button.tsx";
import { Load } from "../components/load.tsx";
import { useLoaded } from "../components/use-loaded.ts";
import { shortenNumber } from "../labels/account.ts";
import { CONSOLE_LABELS } from "../labels/console.ts";
import { formatDuration, formatNumber } from "../labels/shared.ts";
import { client } from "../wallet/service.ts";
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
          <Figures status={status} isDraining={drain.draining} />
          <DrainForm drain={drain} onChanged={loaded.reload} />
        </section>
      )}
    </Load>
  );
}

function Figures({ status, isDraining }: { readonly status: ServiceStatus; readonly isDraining: boolean }) {
  const { ticks, payouts } = status;
  const alarms = status.checks.flatMap(({ name, ok }) => (ok ? [] : [name]));
  const ready = alarms.length === 0 ? CONSOLE_LABELS.ready : CONSOLE_LABELS.alarm(alarms);
  const state = status.ready ? ready : isDraining ? CONSOLE_LABELS.draining : CONSOLE_LABELS.notReady;
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

interface DrainFormProps {
  readonly drain: Answer<"console.draining">;
  readonly onChanged: () => void;
}

function DrainForm({ drain: { draining }, onChanged }: DrainFormProps) {
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
