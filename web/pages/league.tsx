/** `/league/{game}`: the open season, the table of the last round, and its check. */
import { toSitePath } from "../../domain/site.ts";
import { findGame } from "../../games/index.ts";
import { CopyText } from "../components/copy-text.tsx";
import { Load } from "../components/load.tsx";
import { PageHead } from "../components/page-head.tsx";
import { readPageNumber } from "../components/pager.tsx";
import { EmptyState } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { useLoaded } from "../components/use-loaded.ts";
import { formatEntrant, LEAGUE_LABELS } from "../labels/league.ts";
import { formatAgo, formatDateTime, formatNumber } from "../labels/shared.ts";
import { CheckPanel } from "../league/check-panel.tsx";
import { EntrantSelect } from "../league/entrant.tsx";
import { type League, type RoundView, readLeague, readRound, toRoundPath, toRoundView } from "../league/league-data.ts";
import { Matrix, Standings } from "../league/standings.tsx";
import { Thinkers } from "../league/thinkers.tsx";
import type { PageProps } from "../page-props.ts";
import { useTitle } from "../title.ts";
import { NotFoundPage } from "./not-found.tsx";

export function LeaguePage({ params, query }: PageProps) {
  const slug = params.game ?? "";
  const game = findGame(slug);
  const loaded = useLoaded("league", (signal) => readLeague(slug, signal), [slug]);
  useTitle(game === undefined ? null : LEAGUE_LABELS.title(game.title));
  if (game === undefined) return <NotFoundPage />;
  return (
    <>
      <PageHead title={LEAGUE_LABELS.title(game.title)} lead={LEAGUE_LABELS.lead}>
        <p class="actions">
          <a class="button" href={toSitePath("write", { game: slug })}>
            {LEAGUE_LABELS.write}
          </a>
          <a class="button button-quiet" href={toSitePath("guide", { guide: "league" })}>
            {LEAGUE_LABELS.guide}
          </a>
        </p>
      </PageHead>
      <Load loaded={loaded}>{(league) => <LeagueView league={league} query={query} />}</Load>
    </>
  );
}

interface LeagueViewProps {
  readonly league: League;
  readonly query: PageProps["query"];
}

function LeagueView({ league, query }: LeagueViewProps) {
  const season = league.played.find((each) => String(each.season) === query.season) ?? league.played[0];
  return (
    <>
      <SeasonFacts league={league} />
      <Thinkers
        season={league.season}
        thinkers={league.thinkers.map(({ wallet, ...thinker }) => ({ ...thinker, id: wallet }))}
      />
      {season === undefined ? (
        <EmptyState>{LEAGUE_LABELS.none}</EmptyState>
      ) : (
        <PlayedRound key={season.season} slug={league.slug} season={season.season} query={query} />
      )}
      <Seasons league={league} />
    </>
  );
}

function SeasonFacts({ league }: { readonly league: League }) {
  const { season, state, closesAt, policies, commitment, policiesDigest } = league;
  return (
    <section class="season" aria-labelledby="season-title">
      <h2 id="season-title">{LEAGUE_LABELS.season(season)}</h2>
      <dl class="season-facts">
        <div>
          <dt>{LEAGUE_LABELS.closes}</dt>
          <dd>
            <time dateTime={closesAt}>{formatDateTime(closesAt)}</time>
            {` (${state === "playing" ? LEAGUE_LABELS.closed : formatAgo(closesAt)})`}
          </dd>
        </div>
        <div>
          <dt>{LEAGUE_LABELS.policies}</dt>
          <dd>{formatNumber(policies)}</dd>
        </div>
        <div>
          <dt>{LEAGUE_LABELS.commitment}</dt>
          <dd>
            <CopyText text={commitment} label={LEAGUE_LABELS.commitment} />
          </dd>
        </div>
        {policiesDigest !== null && (
          <div>
            <dt>{LEAGUE_LABELS.policiesDigest}</dt>
            <dd>
              <CopyText text={policiesDigest} label={LEAGUE_LABELS.policiesDigest} />
            </dd>
          </div>
        )}
      </dl>
    </section>
  );
}

interface PlayedRoundProps {
  readonly slug: string;
  readonly season: number;
  readonly query: PageProps["query"];
}

function PlayedRound({ slug, season, query }: PlayedRoundProps) {
  const page = readPageNumber(query);
  const loaded = useLoaded("league-round", async (signal) => toRoundView(await readRound(slug, season, signal), page), [
    slug,
    season,
    page,
  ]);
  return (
    <>
      <section class="section" aria-labelledby="table-title">
        <h2 id="table-title">{LEAGUE_LABELS.table(season)}</h2>
        <Load loaded={loaded}>
          {(round) => (
            <>
              <p class="quiet">{LEAGUE_LABELS.tableLead(round.courses)}</p>
              <Standings slug={slug} round={round} page={page} query={query} />
            </>
          )}
        </Load>
      </section>
      {loaded.value !== null && <Matches slug={slug} round={loaded.value} />}
      {loaded.value !== null && <Thinkers season={season} thinkers={loaded.value.thinkers} />}
      <section class="section" aria-labelledby="check-title">
        <h2 id="check-title">{LEAGUE_LABELS.checkTitle}</h2>
        <CheckPanel slug={slug} season={season} />
        <p>
          <a href={toRoundPath(slug, season)}>{LEAGUE_LABELS.file}</a>
        </p>
      </section>
    </>
  );
}

const Matches = ({ slug, round }: { readonly slug: string; readonly round: RoundView }) => (
  <section class="section" aria-labelledby="matrix-title">
    <h2 id="matrix-title">{LEAGUE_LABELS.matrix}</h2>
    <p class="quiet">{LEAGUE_LABELS.matrixLead}</p>
    <Matrix slug={slug} round={round} />
    <form class="form form-row" action={toSitePath("match", { game: slug, season: String(round.season) })}>
      <EntrantSelect label={LEAGUE_LABELS.first} name="a" entrants={round.entrants} chosen={round.entrants[0]!.id} />
      <EntrantSelect label={LEAGUE_LABELS.second} name="b" entrants={round.entrants} chosen={round.entrants[1]!.id} />
      <button type="submit" class="button button-quiet">
        {LEAGUE_LABELS.compare}
      </button>
    </form>
  </section>
);

function Seasons({ league: { slug, played } }: { readonly league: League }) {
  if (played.length === 0) return null;
  const path = toSitePath("league", { game: slug });
  return (
    <section class="section" aria-labelledby="seasons-title">
      <h2 id="seasons-title">{LEAGUE_LABELS.seasons}</h2>
      <Table
        label={LEAGUE_LABELS.seasons}
        rows={played}
        toKey={({ season }) => String(season)}
        columns={[
          {
            key: "season",
            title: LEAGUE_LABELS.seasonColumn,
            cell: ({ season }) => <a href={`${path}?season=${season}`}>{LEAGUE_LABELS.season(season)}</a>,
          },
          {
            key: "closed",
            title: LEAGUE_LABELS.closedAt,
            cell: ({ closesAt }) => <time dateTime={closesAt}>{formatDateTime(closesAt)}</time>,
          },
          {
            key: "policies",
            title: LEAGUE_LABELS.policiesColumn,
            isMinor: true,
            cell: ({ policies }) => formatNumber(policies),
          },
          {
            key: "winner",
            title: LEAGUE_LABELS.winner,
            cell: ({ winner }) =>
              winner === null ? null : (
                <a href={toSitePath("address", { address: winner })}>{formatEntrant({ id: winner, agentId: null })}</a>
              ),
          },
        ]}
      />
    </section>
  );
}
