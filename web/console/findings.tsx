/** Problems: the state of this process, and the doctor's findings on the chain. */
import { useSignal } from "@preact/signals";
import type { Answer } from "../../client/api.ts";
import { ActionButton } from "../components/action-button.tsx";
import { Load } from "../components/load.tsx";
import { type Column, Table } from "../components/table.tsx";
import { useLoaded } from "../components/use-loaded.ts";
import { CONSOLE_LABELS } from "../labels/console.ts";
import { client } from "../wallet/service.ts";
import { asOperator } from "./console-store.ts";
import { loadStatus } from "./service-status.ts";

const POLL_MS = 3000;
const { columns } = CONSOLE_LABELS;

type Check = Answer<"operations.status">["checks"][number];

const CHECK_COLUMNS: readonly Column<Check>[] = [
  { key: "check", title: columns.check, cell: ({ name }) => name },
  {
    key: "status",
    title: columns.status,
    cell: ({ ok }) => <span class={ok ? "check-ok" : "check-failed"}>{ok ? columns.ok : columns.bad}</span>,
  },
  { key: "finding", title: columns.finding, cell: ({ sentence }) => sentence },
];

export function Findings() {
  const loaded = useLoaded(null, async (signal) => (await loadStatus(signal)).checks, [], POLL_MS);
  return (
    <>
      <h2>{CONSOLE_LABELS.service}</h2>
      <Load loaded={loaded}>
        {(checks) => (
          <Table label={CONSOLE_LABELS.service} columns={CHECK_COLUMNS} rows={checks} toKey={({ name }) => name} />
        )}
      </Load>
      <Doctor />
    </>
  );
}

type DoctorFinding = Answer<"console.doctor">["findings"][number];

/** The worst first. */
const ORDER: readonly DoctorFinding["status"][] = ["fault", "warning", "skipped", "ok"];
const STATUS_CLASSES: { readonly [status in DoctorFinding["status"]]: string } = {
  ok: "check-ok",
  warning: "check-warning",
  fault: "check-failed",
  skipped: "quiet",
};

const DOCTOR_COLUMNS: readonly Column<DoctorFinding>[] = [
  {
    key: "status",
    title: columns.status,
    cell: ({ status }) => <span class={STATUS_CLASSES[status]}>{CONSOLE_LABELS.findingStatus[status]}</span>,
  },
  { key: "finding", title: columns.finding, cell: ({ finding }) => finding },
  { key: "next", title: CONSOLE_LABELS.next, cell: ({ next }) => next ?? "–" },
];

function Doctor() {
  const findings = useSignal<readonly DoctorFinding[] | null>(null);
  const run = async (): Promise<void> => {
    const answer = await client.console.doctor({}, asOperator());
    findings.value = answer.findings.toSorted((one, other) => ORDER.indexOf(one.status) - ORDER.indexOf(other.status));
  };
  return (
    <section class="section" aria-labelledby="doctor-title">
      <h2 id="doctor-title">{CONSOLE_LABELS.doctor}</h2>
      <p class="quiet">{CONSOLE_LABELS.doctorText}</p>
      <ActionButton label={CONSOLE_LABELS.runDoctor} isQuiet onClick={run} />
      {findings.value !== null && (
        <div role="status">
          {findings.value.every(({ status }) => status === "ok") && (
            <p class="check-ok">{CONSOLE_LABELS.allWell(findings.value.length)}</p>
          )}
          <Table
            label={CONSOLE_LABELS.doctor}
            columns={DOCTOR_COLUMNS}
            rows={findings.value}
            toKey={({ id, finding }) => `${id} ${finding}`}
          />
        </div>
      )}
    </section>
  );
}
