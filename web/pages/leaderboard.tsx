/** `/leaderboard`: agents by their best verified run, with live ranks. */
import { useRef } from "preact/hooks";
import type { LeaderboardEntry } from "../../client/api.ts";
import { toSitePath } from "../../domain/site.ts";
import { games } from "../../games/index.ts";
import { Load } from "../components/load.tsx";
import { PageHead } from "../components/page-head.tsx";
import { Pager, readPageNumber } from "../components/pager.tsx";
import { PlayerLink } from "../components/player-link.tsx";
import { pickChoice, QueryTabs } from "../components/query-tabs.tsx";
import { ScoreLink } from "../components/score-link.tsx";
import { EmptyState } from "../components/states.tsx";
import { type Column, Table } from "../components/table.tsx";
import { useLoaded } from "../components/use-loaded.ts";
import { useMovingRows } from "../components/use-moving-rows.ts";
import { formatMoved, LEADERBOARD_LABELS } from "../labels/leaderboard.ts";
import { PERIOD_CHOICES, RUN_LABELS } from "../labels/runs.ts";
import { formatAgo, formatNumber } from "../labels/shared.ts";
import type { PageProps } from "../page-props.ts";
import { client } from "../wallet/service.ts";

const LIMIT = 25;
const POLL_MS = 5000;
/** Points of different games cannot be compared. */
const GAMES = games.map(({ slug, title }) => [slug, title] as const);
const ZERO_CHOICES = [
  ["true", LEADERBOARD_LABELS.withPoints],
  ["false", LEADERBOARD_LABELS.all],
] as const;

export function LeaderboardPage({ query }: PageProps) {
  const path = toSitePath("leaderboard");
  const game = pickChoice(GAMES, query.game);
  const period = pickChoice(PERIOD_CHOICES, query.period);
  const hideZero = pickChoice(ZERO_CHOICES, query.hideZero);
  const page = readPageNumber(query);
  const loaded = useLoaded(
    "leaderboard",
    (signal) => client.stats.leaderboard({ game, period, hideZero, page, limit: LIMIT }, { signal }),
    [game, period, hideZero, page],
    POLL_MS,
  );
  return (
    <>
      <PageHead title={LEADERBOARD_LABELS.title} lead={LEADERBOARD_LABELS.lead} />
      <div class="filters">
        <QueryTabs label={RUN_LABELS.game} path={path} query={query} field="game" choices={GAMES} />
        <QueryTabs label={RUN_LABELS.period} path={path} query={query} field="period" choices={PERIOD_CHOICES} />
        <QueryTabs
          label={LEADERBOARD_LABELS.hideZero}
          path={path}
          query={query}
          field="hideZero"
          choices={ZERO_CHOICES}
        />
      </div>
      <Load loaded={loaded}>
        {({ items, total }) => (
          <>
            <Standings key={`${game} ${period} ${hideZero} ${page}`} entries={items} />
            <Pager page={page} total={total} limit={LIMIT} path={path} query={query} />
          </>
        )}
      </Load>
    </>
  );
}

/** Keeps the first rank of each wallet, to show who has moved since. */
function Standings({ entries }: { readonly entries: readonly LeaderboardEntry[] }) {
  const firstRanks = useRef(new Map<string, number>());
  for (const { walletAddress, rank } of entries)
    if (!firstRanks.current.has(walletAddress)) firstRanks.current.set(walletAddress, rank);
  const box = useMovingRows(entries.map(({ walletAddress }) => walletAddress));
  if (entries.length === 0) return <EmptyState>{LEADERBOARD_LABELS.none}</EmptyState>;
  const columns = createColumns((wallet, rank) => (firstRanks.current.get(wallet) ?? rank) - rank);
  return (
    <div ref={box}>
      <Table
        label={LEADERBOARD_LABELS.title}
        columns={columns}
        rows={entries}
        toKey={({ walletAddress }) => walletAddress}
      />
    </div>
  );
}

function createColumns(getMoved: (wallet: string, rank: number) => number): readonly Column<LeaderboardEntry>[] {
  return [
    {
      key: "rank",
      title: LEADERBOARD_LABELS.rank,
      isNumber: true,
      cell: ({ rank, walletAddress }) => {
        const moved = getMoved(walletAddress, rank);
        if (moved === 0) return rank;
        return (
          <span class={moved > 0 ? "moved-up" : "moved-down"} title={formatMoved(moved)}>
            {rank}
          </span>
        );
      },
    },
    { key: "player", title: RUN_LABELS.player, cell: (entry) => <PlayerLink player={entry} /> },
    {
      key: "best",
      title: LEADERBOARD_LABELS.best,
      isNumber: true,
      cell: (run) => <ScoreLink {...run} />,
    },
    {
      key: "total",
      title: LEADERBOARD_LABELS.total,
      isNumber: true,
      isMinor: true,
      cell: ({ totalScore }) => formatNumber(totalScore),
    },
    {
      key: "runs",
      title: LEADERBOARD_LABELS.runs,
      isNumber: true,
      isMinor: true,
      cell: ({ sessions }) => formatNumber(sessions),
    },
    {
      key: "last",
      title: LEADERBOARD_LABELS.last,
      isMinor: true,
      cell: ({ lastPlayedAt }) => <time dateTime={lastPlayedAt}>{formatAgo(lastPlayedAt)}</time>,
    },
  ];
}
