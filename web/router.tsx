/** Shows the page of the address. A page is one file in `pages/`, loaded when it is first opened. */
import type { ComponentType } from "preact";
import { lazy, Route, Router } from "preact-iso";
import { SITE_PAGES, type SitePageName } from "../domain/site.ts";
import type { PageProps } from "./page-props.ts";
import { NotFoundPage } from "./pages/not-found.tsx";

const PAGES: { readonly [name in SitePageName]: ComponentType<PageProps> } = {
  home: lazy(() => import("./pages/home.tsx").then(({ HomePage }) => HomePage)),
  watch: lazy(() => import("./pages/watch.tsx").then(({ WatchPage }) => WatchPage)),
  run: lazy(() => import("./pages/run.tsx").then(({ RunPage }) => RunPage)),
  runs: lazy(() => import("./pages/runs.tsx").then(({ RunsPage }) => RunsPage)),
  leaderboard: lazy(() => import("./pages/leaderboard.tsx").then(({ LeaderboardPage }) => LeaderboardPage)),
  game: lazy(() => import("./pages/game.tsx").then(({ GamePage }) => GamePage)),
  agent: lazy(() => import("./pages/agent.tsx").then(({ AgentPage }) => AgentPage)),
  practice: lazy(() => import("./pages/practice.tsx").then(({ PracticePage }) => PracticePage)),
  account: lazy(() => import("./pages/account.tsx").then(({ AccountPage }) => AccountPage)),
  market: lazy(() => import("./pages/market.tsx").then(({ MarketPage }) => MarketPage)),
  vote: lazy(() => import("./pages/vote.tsx").then(({ VotePage }) => VotePage)),
  stats: lazy(() => import("./pages/stats.tsx").then(({ StatsPage }) => StatsPage)),
  console: lazy(() => import("./pages/console.tsx").then(({ ConsolePage }) => ConsolePage)),
  docs: lazy(() => import("./pages/docs.tsx").then(({ DocsPage }) => DocsPage)),
  guide: lazy(() => import("./pages/guide.tsx").then(({ GuidePage }) => GuidePage)),
};

const toPattern = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ":$1");

/** `onRouteChange`: another page is on the screen now. */
export function PageRouter({ onRouteChange }: { readonly onRouteChange: () => void }) {
  return (
    <Router onRouteChange={onRouteChange}>
      {Object.entries(SITE_PAGES).map(([name, { path }]) => (
        <Route key={name} path={toPattern(path)} component={PAGES[name as SitePageName]} />
      ))}
      <Route default component={NotFoundPage} />
    </Router>
  );
}

const patterns = Object.values(SITE_PAGES).map(({ path }) => path.replaceAll(/\{\w+\}/g, "[^/?#]+"));

/** Links that the router follows; the server answers all others. */
export const SITE_LINKS = new RegExp(`^(?:${patterns.join("|")})(?:[?#].*)?$`);
