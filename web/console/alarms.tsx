/** What is wrong, before everything else, each with the line of the runbook that helps. */
import { toSitePath } from "../../domain/site.ts";
import { ALARM_LABELS } from "../labels/alarms.ts";
import { listAlarms } from "./list-alarms.ts";
import type { ServiceStatus } from "./service-status.ts";

export function Alarms({ status }: { readonly status: ServiceStatus }) {
  const alarms = listAlarms(status);
  if (alarms.length === 0) return <p class="check-ok">{ALARM_LABELS.none}</p>;
  return (
    <ul class="alarms" role="alert" aria-label={ALARM_LABELS.title}>
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
  );
}
