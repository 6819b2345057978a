/** What has happened, newest first. */
import { clockText, type TickerLine } from "../words.ts";

export interface TickerEntry extends TickerLine {
  readonly id: number;
  readonly atSeconds: number;
}

export const TICKER_LINES = 30;

export function Ticker({ entries }: { readonly entries: readonly TickerEntry[] }) {
  return (
    <section class="ticker" aria-label="What happened">
      <h2>What happened</h2>
      {entries.length === 0 && <p class="quiet">Nothing yet.</p>}
      <ol>
        {entries.map(({ id, atSeconds, mood, text, points }) => (
          <li key={id} class={`mood-${mood}`}>
            <time>{clockText(atSeconds)}</time>
            <span>{text}</span>
            {points > 0 && <b>{`+${points}`}</b>}
          </li>
        ))}
      </ol>
    </section>
  );
}
