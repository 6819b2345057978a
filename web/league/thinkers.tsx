/** The board of the thinkers of a season. */
import { Table } from "../components/table.tsx";
import { LEAGUE_LABELS } from "../labels/league.ts";
import { formatNumber } from "../labels/shared.ts";
import { EntrantLink } from "./entrant.tsx";
import type { ThinkerView } from "./league-data.ts";

export function Thinkers({ season, thinkers }: { readonly season: number; readonly thinkers: readonly ThinkerView[] }) {
  if (thinkers.length === 0) return null;
  const label = LEAGUE_LABELS.thinkers(season);
  return (
    <section class="section" aria-labelledby={`thinkers-${season}`}>
      <h2 id={`thinkers-${season}`}>{label}</h2>
      <p class="quiet">{LEAGUE_LABELS.thinkersLead}</p>
      <Table
        label={label}
        rows={thinkers.map((thinker, index) => ({ ...thinker, rank: index + 1 }))}
        toKey={({ id }) => id}
        columns={[
          { key: "rank", title: LEAGUE_LABELS.rank, isNumber: true, cell: ({ rank }) => rank },
          { key: "thinker", title: LEAGUE_LABELS.thinker, cell: (entrant) => <EntrantLink entrant={entrant} /> },
          {
            key: "points",
            title: LEAGUE_LABELS.points,
            isNumber: true,
            cell: ({ points }) => formatNumber(points),
          },
          { key: "courses", title: LEAGUE_LABELS.coursesColumn, isNumber: true, cell: ({ courses }) => courses },
          {
            key: "decisions",
            title: LEAGUE_LABELS.decisions,
            isNumber: true,
            isMinor: true,
            cell: ({ decisions }) => decisions,
          },
        ]}
      />
    </section>
  );
}
