/** Runs as a table. Each row links to its replay and to its player. */

import type { Answer } from "../../client/api.ts";
import { toSitePath } from "../../domain/site.ts";
import { findGame } from "../../games/index.ts";
import { RUN_LABELS } from "../labels/runs.ts";
import { SNAPSHOT_STATE_LABELS } from "../labels/session.ts";
import { formatAgo, formatDuration } from "../labels/shared.ts";
import { PlayerLink } from "./player-link.tsx";
import { ScoreLink } from "./score-link.tsx";
import { EmptyState } from "./states.tsx";
import { type Column, Table } from "./table.tsx";

/** A run with its game, which the lists of a single game leave out. */
export type ListedRun = Answer<"games.runs">["items"][number] & { readonly slug: string };

interface RunsTableProps {
  readonly runs: readonly ListedRun[];
  readonly hasPlayer?: boolean;
  readonly hasGame?: boolean;
  /** Only player, game, points and time. */
  readonly isShort?: boolean;
}

const PLAYER: Column<ListedRun> = {
  key: "player",
  title: RUN_LABELS.player,
  cell: (run) => <PlayerLink player={run} />,
};
const GAME: Column<ListedRun> = {
  key: "game",
  title: RUN_LABELS.game,
  cell: ({ slug }) => <a href={toSitePath("game", { game: slug })}>{findGame(slug)?.title ?? slug}</a>,
};
const REST: readonly Column<ListedRun>[] = [
  {
    key: "score",
    title: RUN_LABELS.score,
    isNumber: true,
    cell: (run) => <ScoreLink {...run} />,
  },
  {
    key: "time",
    title: RUN_LABELS.time,
    isNumber: true,
    isMinor: true,
    cell: ({ playSeconds }) => formatDuration(playSeconds),
  },
  {
    key: "chain",
    title: RUN_LABELS.chain,
    isMinor: true,
    cell: ({ snapshot }) => SNAPSHOT_STATE_LABELS[snapshot.state],
  },
  {
    key: "when",
    title: RUN_LABELS.when,
    cell: ({ endedAt }) => <time dateTime={endedAt}>{formatAgo(endedAt)}</time>,
  },
];

/** Left out of a short table. */
const LONG_ONLY: readonly string[] = ["time", "chain"];

export function RunsTable({ runs, hasPlayer = true, hasGame = true, isShort = false }: RunsTableProps) {
  if (runs.length === 0) return <EmptyState>{RUN_LABELS.none}</EmptyState>;
  const columns = [
    ...(hasPlayer ? [PLAYER] : []),
    ...(hasGame ? [{ ...GAME, isMinor: hasPlayer }] : []),
    ...REST,
  ].filter(({ key }) => !isShort || !LONG_ONLY.includes(key));
  return <Table label={RUN_LABELS.title} columns={columns} rows={runs} toKey={({ sessionId }) => sessionId} />;
}
