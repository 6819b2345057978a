/** How far the wallet has come in each game: tiers with their pictures, and its last runs. */

import type { SessionRecord } from "../../client/api.ts";
import { toSitePath } from "../../domain/site.ts";
import { findGame } from "../../games/index.ts";
import { EmptyState } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { TierPicture } from "../components/tier-picture.tsx";
import { ACCOUNT_LABELS } from "../labels/account.ts";
import { SNAPSHOT_STATE_LABELS } from "../labels/session.ts";
import { formatDateTime, formatNumber } from "../labels/shared.ts";
import type { GameProgress } from "./account-data.ts";

const { columns } = ACCOUNT_LABELS;

export const Progress = ({ games }: { readonly games: readonly GameProgress[] }) => (
  <section class="section" aria-labelledby="nft-title">
    <h2 id="nft-title">{ACCOUNT_LABELS.nft}</h2>
    <div class="progress-games">
      {games.map((game) => (
        <GameTiers key={game.slug} progress={game} />
      ))}
    </div>
  </section>
);

function GameTiers({ progress: { slug, best } }: { readonly progress: GameProgress }) {
  const game = findGame(slug)!;
  const { tiers } = game.nft;
  const next = tiers.find(({ minScore }) => best < minScore);
  return (
    <div class="panel">
      <h3>{game.title}</h3>
      <p>
        {`${ACCOUNT_LABELS.best} `}
        <b>{formatNumber(best)}</b>
        {`. ${next === undefined ? ACCOUNT_LABELS.allTiers : ACCOUNT_LABELS.nextTier(next.name, next.minScore - best)}`}
      </p>
      <ol class="tier-pictures">
        {tiers.map((tier) => (
          <li key={tier.tier} class={best >= tier.minScore ? "tier-reached" : "tier-open"}>
            <TierPicture slug={slug} tier={tier} />
            <span>{tier.name}</span>
            <span class="quiet">{formatNumber(tier.minScore)}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}

export function Runs({ games }: { readonly games: readonly GameProgress[] }) {
  const runs = games.flatMap((game) => game.runs).sort((one, other) => other.startedAt.localeCompare(one.startedAt));
  return (
    <section class="section" aria-labelledby="runs-title">
      <h2 id="runs-title">{ACCOUNT_LABELS.runs}</h2>
      {runs.length === 0 ? (
        <EmptyState>{ACCOUNT_LABELS.noRuns}</EmptyState>
      ) : (
        <Table<SessionRecord>
          label={ACCOUNT_LABELS.runs}
          rows={runs}
          toKey={({ sessionId }) => sessionId}
          columns={[
            { key: "game", title: columns.game, cell: ({ slug }) => findGame(slug)?.title ?? slug },
            { key: "points", title: columns.points, isNumber: true, cell: ({ score }) => formatNumber(score) },
            { key: "time", title: columns.time, isMinor: true, cell: ({ startedAt }) => formatDateTime(startedAt) },
            { key: "state", title: columns.state, cell: ({ snapshot }) => SNAPSHOT_STATE_LABELS[snapshot.state] },
            {
              key: "run",
              title: columns.run,
              cell: ({ sessionId }) => <a href={toSitePath("run", { id: sessionId })}>{ACCOUNT_LABELS.watchAgain}</a>,
            },
          ]}
        />
      )}
    </section>
  );
}
