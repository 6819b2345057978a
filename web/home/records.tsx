/** Today's best agents, and the record of each game. */
import { Fragment } from "preact";
import { toSitePath } from "../../domain/site.ts";
import { PlayerLink } from "../components/player-link.tsx";
import { RunsTable } from "../components/runs-table.tsx";
import { ScoreLink } from "../components/score-link.tsx";
import { HOME_LABELS } from "../labels/home.ts";
import type { Standings } from "./load-stage.ts";

export function TodaysBest({ today }: Pick<Standings, "today">) {
  return (
    <section class="todays-best" aria-labelledby="today-title">
      <h2 id="today-title">{HOME_LABELS.todaysBest}</h2>
      {today.every(({ entries }) => entries.length === 0) && <p class="quiet">{HOME_LABELS.noneToday}</p>}
      {today.map(({ title, entries }) =>
        entries.length === 0 ? null : (
          <Fragment key={title}>
            <h3>{title}</h3>
            <ol class="ranks">
              {entries.map((entry) => (
                <li key={entry.walletAddress}>
                  <span class="rank">{entry.rank}</span>
                  <PlayerLink player={entry} />
                  <ScoreLink {...entry} />
                </li>
              ))}
            </ol>
          </Fragment>
        ),
      )}
      <p class="section-more">
        <a href={toSitePath("leaderboard")}>{HOME_LABELS.leaderboard}</a>
      </p>
    </section>
  );
}

/** The latest runs, with links to their replays. */
export function LatestRuns({ latest }: Pick<Standings, "latest">) {
  if (latest.length === 0) return null;
  return (
    <section class="latest-runs" aria-labelledby="latest-title">
      <h2 id="latest-title">{HOME_LABELS.latest}</h2>
      <RunsTable runs={latest} isShort />
      <p class="section-more">
        <a href={toSitePath("runs")}>{HOME_LABELS.allRuns}</a>
      </p>
    </section>
  );
}

export function Records({ records }: Pick<Standings, "records">) {
  return (
    <section class="records" aria-labelledby="record-title">
      <h2 id="record-title">{HOME_LABELS.record}</h2>
      <ul class="ranks">
        {records.map(({ slug, title, run }) => (
          <li key={slug}>
            <a href={toSitePath("game", { game: slug })}>{title}</a>
            {run === null ? (
              <span class="quiet">{HOME_LABELS.noRecord}</span>
            ) : (
              <>
                <PlayerLink player={run} />
                <ScoreLink {...run} />
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
