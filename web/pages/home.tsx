/** `/`: the best live run, the other players, today's best, and how to join. */
import { games } from "../../games/index.ts";
import { GameCard } from "../components/game-card.tsx";
import { GettingStarted } from "../components/getting-started.tsx";
import { useLoaded } from "../components/use-loaded.ts";
import { FollowedAgents } from "../home/followed-agents.tsx";
import { LiveGrid } from "../home/live-grid.tsx";
import { findBest, loadLive, loadStandings } from "../home/load-stage.ts";
import { LatestRuns, Records, TodaysBest } from "../home/records.tsx";
import { PosterStage, Stage } from "../home/stage.tsx";
import { useStageRun } from "../home/use-stage-run.ts";
import { HOME_LABELS } from "../labels/home.ts";
import { SHARED_LABELS } from "../labels/shared.ts";

const LIVE_POLL_MS = 3000;
const STANDINGS_POLL_MS = 15_000;

export function HomePage() {
  const live = useLoaded("live", loadLive, [], LIVE_POLL_MS);
  const standings = useLoaded("standings", loadStandings, [], STANDINGS_POLL_MS);
  const run = useStageRun(live.value);
  const best = standings.value === null ? null : findBest(standings.value);
  const stageId = run?.kind === "live" ? run.record.sessionId : null;
  return (
    <div class="home">
      <div class="first-screen">
        <section class="hero">
          <h1>{HOME_LABELS.headline}</h1>
          <p>{HOME_LABELS.lead}</p>
        </section>
        {run === null ? <PosterStage best={best} /> : <Stage run={run} records={standings.value?.records ?? []} />}
      </div>
      {live.error !== null && <p class="notice">{SHARED_LABELS.unavailable}</p>}
      <div class="below">
        <div class="activity">
          {live.value !== null && <LiveGrid live={live.value} stageId={stageId} />}
          {standings.value !== null && <LatestRuns latest={standings.value.latest} />}
          <FollowedAgents />
        </div>
        {standings.value !== null && (
          <div class="standings">
            <TodaysBest today={standings.value.today} />
            <Records records={standings.value.records} />
          </div>
        )}
      </div>
      <section class="section" aria-labelledby="games-title">
        <h2 id="games-title">{HOME_LABELS.games}</h2>
        <div class="game-cards">
          {games.map((game) => (
            <GameCard key={game.slug} game={game} />
          ))}
        </div>
      </section>
      <GettingStarted />
    </div>
  );
}
