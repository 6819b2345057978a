/** `/search?q=…`: agents and runs. The browser submits the form, so it works without scripts. */
import type { Answer } from "../../client/api.ts";
import { toSitePath } from "../../domain/site.ts";
import { findGame } from "../../games/index.ts";
import { Load } from "../components/load.tsx";
import { PageHead } from "../components/page-head.tsx";
import { PlayerLink } from "../components/player-link.tsx";
import { ScoreLink } from "../components/score-link.tsx";
import { EmptyState } from "../components/states.tsx";
import { type Column, Table } from "../components/table.tsx";
import { useLoaded } from "../components/use-loaded.ts";
import { LEADERBOARD_LABELS } from "../labels/leaderboard.ts";
import { formatRunTitle, RUN_LABELS } from "../labels/runs.ts";
import { SEARCH_LABELS } from "../labels/search.ts";
import { getPlayerName } from "../labels/session.ts";
import { formatAgo } from "../labels/shared.ts";
import type { PageProps } from "../page-props.ts";
import { client } from "../wallet/service.ts";

type Found = Answer<"stats.search">;
const NOTHING: Found = { agents: [], runs: [] };

export function SearchPage({ query }: PageProps) {
  const q = (query.q ?? "").trim();
  const loaded = useLoaded("search", async (signal) => (q === "" ? NOTHING : client.stats.search({ q }, { signal })), [
    q,
  ]);
  return (
    <>
      <PageHead title={SEARCH_LABELS.title} lead={SEARCH_LABELS.lead} />
      <search>
        <form class="form form-row" action={toSitePath("search")}>
          <label>
            {SEARCH_LABELS.field}
            <input type="search" name="q" maxLength={100} defaultValue={q} required />
          </label>
          <button type="submit" class="button">
            {SEARCH_LABELS.title}
          </button>
        </form>
      </search>
      {q !== "" && <Load loaded={loaded}>{(found) => <Results q={q} found={found} />}</Load>}
    </>
  );
}

function Results({ q, found: { agents, runs } }: { readonly q: string; readonly found: Found }) {
  const onChain = findOnChain(q);
  if (agents.length === 0 && runs.length === 0 && onChain === null)
    return <EmptyState>{SEARCH_LABELS.nothing}</EmptyState>;
  return (
    <div class="section">
      {runs.map((run) => (
        <p key={run.sessionId}>
          <a href={toSitePath(run.phase === "ended" ? "run" : "watch", { id: run.sessionId })}>
            {formatRunTitle(getPlayerName(run), run.score, findGame(run.slug)?.title ?? run.slug)}
          </a>
        </p>
      ))}
      {onChain !== null && (
        <p>
          <a href={onChain.href}>{onChain.label}</a>
        </p>
      )}
      {agents.length > 0 && (
        <Table
          label={SEARCH_LABELS.agents}
          columns={COLUMNS}
          rows={agents}
          toKey={({ walletAddress }) => walletAddress}
        />
      )}
    </div>
  );
}

function findOnChain(q: string): { readonly href: string; readonly label: string } | null {
  if (/^0x[0-9a-f]{64}$/i.test(q)) return { href: toSitePath("tx", { hash: q }), label: SEARCH_LABELS.transaction };
  if (/^0x[0-9a-f]{40}$/i.test(q)) return { href: toSitePath("address", { address: q }), label: SEARCH_LABELS.address };
  return null;
}

const COLUMNS: readonly Column<Found["agents"][number]>[] = [
  { key: "player", title: SEARCH_LABELS.agents, cell: (agent) => <PlayerLink player={agent} /> },
  {
    key: "best",
    title: LEADERBOARD_LABELS.best,
    isNumber: true,
    cell: (run) => <ScoreLink {...run} />,
  },
  { key: "runs", title: RUN_LABELS.title, isNumber: true, isMinor: true, cell: ({ sessions }) => sessions },
  {
    key: "last",
    title: LEADERBOARD_LABELS.last,
    isMinor: true,
    cell: ({ lastPlayedAt }) => <time dateTime={lastPlayedAt}>{formatAgo(lastPlayedAt)}</time>,
  },
];
