/** What has happened, newest first. */
import type { EventLogLine } from "../labels/session.ts";
import { formatDuration } from "../labels/shared.ts";

export interface EventLogEntry extends EventLogLine {
  readonly id: number;
  readonly atSeconds: number;
}

export const EVENT_LOG_ENTRIES_MAX = 30;

export function EventLog({ entries }: { readonly entries: readonly EventLogEntry[] }) {
  return (
    <section class="event-log" aria-label="What happened">
      <h2>What happened</h2>
      {entries.length === 0 && <p class="quiet">Nothing yet.</p>}
      <ol>
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
