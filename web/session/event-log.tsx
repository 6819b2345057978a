/** What has happened, newest first. */
import { type EventLogLine, HUD_LABELS } from "../labels/session.ts";
import { formatDuration } from "../labels/shared.ts";

export interface EventLogEntry extends EventLogLine {
  readonly id: number;
  readonly atSeconds: number;
}

export const EVENT_LOG_ENTRIES_MAX = 30;

export function EventLog({ entries }: { readonly entries: readonly EventLogEntry[] }) {
  return (
    <section class="event-log" aria-label={HUD_LABELS.happened}>
      <h2>{HUD_LABELS.happened}</h2>
      {entries.length === 0 && <p class="quiet">{HUD_LABELS.nothingYet}</p>}
      <ol {...(entries.length === 0 ? {} : { tabIndex: 0 })}>
        {entries.map(({ id, atSeconds, tone, text, points }) => (
          <li key={id} class={`tone-${tone}`}>
            <time>{formatDuration(atSeconds)}</time>
            <span>{text}</span>
            {points > 0 && <b>{`+${points}`}</b>}
          </li>
        ))}
      </ol>
    </section>
  );
}
