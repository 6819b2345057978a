/** `/league/{game}/{season}`: two policies on one course, and the scores of all their courses. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { toSitePath } from "../../domain/site.ts";
import type { Game } from "../../games/game.ts";
import { findGame } from "../../games/index.ts";
import { Load } from "../components/load.tsx";
import { useLoaded } from "../components/use-loaded.ts";
import { formatEntrant, LEAGUE_LABELS, MATCH_LABELS } from "../labels/league.ts";
import { formatDuration } from "../labels/shared.ts";
import { CoursePicture, createRecording, findLostLives } from "../league/course-picture.tsx";
import { EntrantLink, EntrantSelect } from "../league/entrant.tsx";
import { type MatchView, readRound, toMatchView } from "../league/league-data.ts";
import type { PageProps } from "../page-props.ts";
import { findRules } from "../replay/load-run.ts";
import type { Moment } from "../replay/moments.ts";
import { useTitle } from "../title.ts";
import { NotFoundPage } from "./not-found.tsx";

export function MatchPage({ params, query }: PageProps) {
  const slug = params.game ?? "";
  const season = Number(params.season);
  const game = findGame(slug);
  const { a, b, course } = query;
  const loaded = useLoaded(
    "match",
    // A missing value counts as loaded.
    async (signal) => ({ match: toMatchView(await readRound(slug, season, signal), { a, b, course }) }),
    [slug, season, a, b, course],
  );
  if (game === undefined || loaded.isMissing || loaded.value?.match === null) return <NotFoundPage />;
  return <Load loaded={loaded}>{({ match }) => <Match key={`${a} ${b} ${course}`} match={match!} game={game} />}</Load>;
}

interface MatchProps {
  readonly match: MatchView;
  readonly game: Game;
}

const toHref = ({ slug, season, sides: [a, b] }: MatchView, course: number): string =>
  `${toSitePath("match", { game: slug, season: String(season) })}?${new URLSearchParams({ a: a.id, b: b.id, course: String(course + 1) })}`;

function Match({ match, game }: MatchProps) {
  const [isAlive, setAlive] = useState(false);
  useEffect(() => setAlive(true), []);
  const { sides, seed, tickHz } = match;
  const names = sides.map(formatEntrant) as [string, string];
  const rules = findRules(match);
  // The server does not play the courses.
  const recordings = useMemo(
    () =>
      isAlive && rules !== undefined
        ? ([
            createRecording(rules, { seed, tickHz }, sides[0].run),
            createRecording(rules, { seed, tickHz }, sides[1].run),
          ] as const)
        : null,
    [isAlive, match],
  );
  useTitle(MATCH_LABELS.title(...names));
  const moments: Moment[] = (recordings ?? []).flatMap((recording, index) => findLostLives(recording, names[index]!));
  if (match.differsAtTick !== null)
    moments.push({ tick: match.differsAtTick, kind: "tier", text: MATCH_LABELS.firstDifference });
  moments.sort((one, other) => one.tick - other.tick);
  const { width, height } = game.world;
  return (
    <div class={height > width ? "run run-tall" : "run"} style={`--world-width: ${width}; --world-height: ${height}`}>
      <MatchHead match={match} names={names} />
      {rules === undefined ? (
        <p class="quiet">{LEAGUE_LABELS.unknownRules}</p>
      ) : (
        <CoursePicture
          game={rules}
          recordings={recordings}
          moments={moments}
          label={MATCH_LABELS.picture(game.title, ...names)}
          outlineName={names[1]}
          isPlaying={true}
        />
      )}
      <div class="run-more">
        <AllCourses match={match} />
        <Choice match={match} />
        {sides.map(
          ({ id, text }, index) =>
            text !== null && (
              <details key={id} class="run-facts">
                <summary>{MATCH_LABELS.text(names[index]!)}</summary>
                {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by the keyboard */}
                <pre tabIndex={0}>{text}</pre>
              </details>
            ),
        )}
      </div>
    </div>
  );
}

interface MatchHeadProps {
  readonly match: MatchView;
  readonly names: readonly [string, string];
}

function MatchHead({ match, names }: MatchHeadProps) {
  const { sides, outcomes, season, slug, course, tickHz, differsAtTick } = match;
  return (
    <div class="run-head">
      <h1 class="match-title">
        <EntrantLink entrant={sides[0]} />
        <span>{MATCH_LABELS.against}</span>
        <EntrantLink entrant={sides[1]} />
      </h1>
      <p>
        <a href={`${toSitePath("league", { game: slug })}?season=${season}`}>{LEAGUE_LABELS.season(season)}</a>
        {`. ${MATCH_LABELS.outcomes(names[0], outcomes.wins, outcomes.losses, outcomes.ties)}`}
      </p>
      <h2 class="match-course">{MATCH_LABELS.onCourse(course + 1)}</h2>
      <ul class="match-scores">
        {sides.map(({ id, run }, index) => (
          <li key={id}>
            {run.forfeit === null
              ? MATCH_LABELS.scored(names[index]!, run.score, formatDuration(run.ticks / tickHz))
              : MATCH_LABELS.forfeited(names[index]!, run.forfeit.tick, run.forfeit.text)}
          </li>
        ))}
      </ul>
      <p class="quiet">{differsAtTick === null ? MATCH_LABELS.sameMoves : MATCH_LABELS.differs(differsAtTick)}</p>
    </div>
  );
}

const formatScore = (score: number | null): string => (score === null ? "–" : String(score));

function AllCourses({ match }: { readonly match: MatchView }) {
  return (
    <section aria-labelledby="courses-title">
      <h2 id="courses-title">{MATCH_LABELS.courses}</h2>
      <p class="quiet">{MATCH_LABELS.coursesLead}</p>
      <ol class="courses">
        {match.scores.map(([one, other], course) => {
          const [a, b] = [one ?? -1, other ?? -1];
          const tone = a === b ? "" : a > b ? "course-won" : "course-lost";
          return (
            <li key={course}>
              <a
                class={`course ${tone}`}
                href={toHref(match, course)}
                {...(course === match.course ? { "aria-current": "true" as const } : {})}
              >
                <small>{`${course + 1} `}</small>
                {`${formatScore(one)} : ${formatScore(other)}`}
              </a>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

const Choice = ({ match }: { readonly match: MatchView }) => {
  const { slug, season, sides, entrants } = match;
  return (
    <form class="form form-row" action={toSitePath("match", { game: slug, season: String(season) })}>
      <EntrantSelect label={LEAGUE_LABELS.first} name="a" entrants={entrants} chosen={sides[0].id} />
      <EntrantSelect label={LEAGUE_LABELS.second} name="b" entrants={entrants} chosen={sides[1].id} />
      <button type="submit" class="button button-quiet">
        {LEAGUE_LABELS.compare}
      </button>
      <p>
        <a href={toHref({ ...match, sides: [sides[1], sides[0]] }, match.course)}>{MATCH_LABELS.swap}</a>
      </p>
    </form>
  );
};
