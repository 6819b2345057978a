/** `/games/{game}`: what a game is, what can be won in it, and what an agent needs to know. */
import { toSitePath } from "../../domain/site.ts";
import type { Game } from "../../games/game.ts";
import { findGame } from "../../games/index.ts";
import { FrameExample } from "../components/frame-example.tsx";
import { GameCard } from "../components/game-card.tsx";
import { Legend } from "../components/legend.tsx";
import { Load } from "../components/load.tsx";
import { Plot } from "../components/plot.tsx";
import { RunsTable } from "../components/runs-table.tsx";
import { TierPicture } from "../components/tier-picture.tsx";
import { useLoaded } from "../components/use-loaded.ts";
import { formatPoints, GAME_LABELS } from "../labels/games.ts";
import { formatNumber } from "../labels/shared.ts";
import type { PageProps } from "../page-props.ts";
import { useTitle } from "../title.ts";
import { client } from "../wallet/service.ts";
import { NotFoundPage } from "./not-found.tsx";

const BEST_RUNS = 10;
const LATEST_RUNS = 100;
const BARS = 12;

export function GamePage({ params }: PageProps) {
  const game = findGame(params.game ?? "");
  useTitle(game?.title ?? null);
  return game === undefined ? <NotFoundPage /> : <GameView key={game.slug} game={game} />;
}

function GameView({ game }: { readonly game: Game }) {
  const { slug } = game;
  const best = useLoaded("best", (signal) => client.games.runs({ slug, sort: "top", limit: BEST_RUNS }, { signal }), [
    slug,
  ]);
  const latest = useLoaded("latest", (signal) => client.games.runs({ slug, limit: LATEST_RUNS }, { signal }), [slug]);
  return (
    <div class={game.world.height > game.world.width ? "game-page game-page-tall" : "game-page"}>
      <GameCard game={game} isHeading />
      <section class="section">
        <h2>{GAME_LABELS.things}</h2>
        <Legend game={game} />
      </section>
      <section class="section">
        <h2>{GAME_LABELS.tiers}</h2>
        <p class="quiet">{GAME_LABELS.tiersLead}</p>
        <ul class="tiles">
          {game.nft.tiers.map((tier) => (
            <li key={tier.tier} class="tile">
              <TierPicture slug={slug} tier={tier} />
              <b>{tier.name}</b>
              <span class="quiet">{formatPoints(formatNumber(tier.minScore))}</span>
            </li>
          ))}
        </ul>
      </section>
      <section class="section">
        <h2>{GAME_LABELS.best}</h2>
        <Load loaded={best}>
          {({ items }) => <RunsTable runs={items.map((run) => ({ ...run, slug }))} hasGame={false} />}
        </Load>
        <p class="section-more">
          <a href={`${toSitePath("runs")}?game=${slug}&sort=top`}>{GAME_LABELS.allRuns}</a>
        </p>
      </section>
      <section class="section">
        <h2>{GAME_LABELS.scores}</h2>
        <p class="quiet">{GAME_LABELS.scoresLead}</p>
        <Load loaded={latest}>{({ items }) => <Distribution scores={items.map(({ score }) => score)} />}</Load>
      </section>
      <section class="section">
        <h2>{GAME_LABELS.bots}</h2>
        <p class="quiet">{GAME_LABELS.botsLead}</p>
        <FrameExample game={game} />
      </section>
    </div>
  );
}

/** How many of the runs lie in each of a dozen equal ranges of scores. */
function Distribution({ scores }: { readonly scores: readonly number[] }) {
  const highest = Math.max(1, ...scores);
  const width = Math.max(1, Math.ceil((highest + 1) / BARS));
  const counts = Array.from({ length: BARS }, () => 0);
  for (const score of scores) counts[Math.floor(score / width)]! += 1;
  return (
    <Plot
      label={GAME_LABELS.scores}
      kind="bars"
      x={scores.length === 0 ? [] : counts.map((_, index) => index * width)}
      series={[{ label: GAME_LABELS.runsSeries, values: counts }]}
    />
  );
}
