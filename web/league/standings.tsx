/** The table of a round: ratings with their intervals, and what beat what. */
import { toSitePath } from "../../domain/site.ts";
import { Pager } from "../components/pager.tsx";
import { type Column, Table } from "../components/table.tsx";
import { formatEntrant, LEAGUE_LABELS } from "../labels/league.ts";
import { formatNumber } from "../labels/shared.ts";
import { EntrantLink } from "./entrant.tsx";
import { type RoundView, STANDINGS_LIMIT, type Standing } from "./league-data.ts";

interface StandingsProps {
  readonly slug: string;
  readonly round: RoundView;
  readonly page: number;
  readonly query: { readonly [name: string]: string };
}

export function Standings({ slug, round, page, query }: StandingsProps) {
  return (
    <>
      <Table
        label={LEAGUE_LABELS.table(round.season)}
        columns={createColumns(round)}
        rows={round.standings}
        toKey={({ id }) => id}
      />
      <Pager
        page={page}
        total={round.total}
        limit={STANDINGS_LIMIT}
        path={toSitePath("league", { game: slug })}
        query={query}
      />
    </>
  );
}

const createColumns = ({ low, high }: RoundView): readonly Column<Standing>[] => [
  { key: "rank", title: LEAGUE_LABELS.rank, isNumber: true, cell: ({ rank }) => rank },
  { key: "entrant", title: LEAGUE_LABELS.entrant, cell: (standing) => <EntrantLink entrant={standing} /> },
  {
    key: "rating",
    title: LEAGUE_LABELS.rating,
    cell: (standing) => <RatingBar standing={standing} low={low} high={high} />,
  },
  {
    key: "results",
    title: LEAGUE_LABELS.results,
    isNumber: true,
    cell: ({ wins, ties, losses }) => [wins, ties, losses].map(formatNumber).join("/"),
  },
  { key: "forfeits", title: LEAGUE_LABELS.forfeits, isNumber: true, isMinor: true, cell: ({ forfeits }) => forfeits },
];

interface RatingBarProps extends Pick<RoundView, "low" | "high"> {
  readonly standing: Standing;
}

function RatingBar({ standing, low, high }: RatingBarProps) {
  const toShare = (value: number): number => (value - low) / Math.max(1, high - low);
  const shares = `--low: ${toShare(standing.low)}; --high: ${toShare(standing.high)}; --mid: ${toShare(standing.rating)}`;
  const interval = LEAGUE_LABELS.interval(standing.low, standing.high);
  return (
    <span class="rating" title={interval}>
      <b>{standing.rating}</b>
      <span class="visually-hidden">{interval}</span>
      <span class="interval" style={shares} aria-hidden="true">
        <i />
      </span>
    </span>
  );
}

interface MatrixProps {
  readonly slug: string;
  readonly round: RoundView;
}

/** Every cell leads to the match. */
export function Matrix({ slug, round: { season, shares, entrants } }: MatrixProps) {
  const top = entrants.slice(0, shares.length);
  const path = toSitePath("match", { game: slug, season: String(season) });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a region would repeat the landmark of the section around it
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by the keyboard
    <div class="table-box" role="group" aria-label={LEAGUE_LABELS.matrix} tabIndex={0}>
      <table class="matrix">
        <thead>
          <tr>
            <td />
            {top.map((entrant, index) => (
              <th key={entrant.id} scope="col" title={formatEntrant(entrant)}>
                {index + 1}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {top.map((one, row) => (
            <tr key={one.id}>
              <th scope="row">{`${row + 1} ${formatEntrant(one)}`}</th>
              {top.map((other, column) => (
                <td key={other.id}>
                  {row !== column && (
                    <MatrixCell
                      href={`${path}?${new URLSearchParams({ a: one.id, b: other.id })}`}
                      names={[formatEntrant(one), formatEntrant(other)]}
                      share={shares[row]![column]!}
                    />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface MatrixCellProps {
  readonly href: string;
  readonly names: readonly [string, string];
  readonly share: number;
}

function MatrixCell({ href, names, share }: MatrixCellProps) {
  const percent = Math.round(share * 100);
  const label = LEAGUE_LABELS.share(...names, percent);
  const tone = share > 0.5 ? "share share-good" : "share share-bad";
  return (
    <a class={tone} href={href} title={label} aria-label={label} style={`--share: ${Math.abs(share - 0.5) * 2}`}>
      {percent}
    </a>
  );
}
