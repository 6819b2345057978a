/** `/runs`: the latest and the best runs, with links to their replays. */
import { toSitePath } from "../../domain/site.ts";
import { games } from "../../games/index.ts";
import { Load } from "../components/load.tsx";
import { PageHead } from "../components/page-head.tsx";
import { Pager, readPageNumber } from "../components/pager.tsx";
import { pickChoice, QueryTabs } from "../components/query-tabs.tsx";
import { RunsTable } from "../components/runs-table.tsx";
import { useLoaded } from "../components/use-loaded.ts";
import { PERIOD_CHOICES, RUN_LABELS } from "../labels/runs.ts";
import type { PageProps } from "../page-props.ts";
import { client } from "../wallet/service.ts";

const LIMIT = 25;
const POLL_MS = 10_000;
const GAMES = games.map(({ slug, title }) => [slug, title] as const);
const SORTS = [
  ["recent", RUN_LABELS.recent],
  ["top", RUN_LABELS.top],
] as const;

export function RunsPage({ query }: PageProps) {
  const path = toSitePath("runs");
  const slug = pickChoice(GAMES, query.game);
  const sort = pickChoice(SORTS, query.sort);
  const period = pickChoice(PERIOD_CHOICES, query.period);
  const page = readPageNumber(query);
  const loaded = useLoaded(
    "runs",
    (signal) => client.games.runs({ slug, sort, period, page, limit: LIMIT }, { signal }),
    [slug, sort, period, page],
    POLL_MS,
  );
  return (
    <>
      <PageHead title={RUN_LABELS.title} lead={RUN_LABELS.lead} />
      <div class="filters">
        <QueryTabs label={RUN_LABELS.game} path={path} query={query} field="game" choices={GAMES} />
        <QueryTabs label={RUN_LABELS.sort} path={path} query={query} field="sort" choices={SORTS} />
        <QueryTabs label={RUN_LABELS.period} path={path} query={query} field="period" choices={PERIOD_CHOICES} />
      </div>
      <Load loaded={loaded}>
        {({ items, total }) => (
          <>
            <RunsTable runs={items.map((run) => ({ ...run, slug }))} hasGame={false} />
            <Pager page={page} total={total} limit={LIMIT} path={path} query={query} />
          </>
        )}
      </Load>
    </>
  );
}
