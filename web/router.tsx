/** The client-side router. The server renders the first page; links within the site open others without a page load. */
import { batch, type Signal, signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { createRandomId } from "../client/random-id.ts";
import { SITE_PAGES, type SitePageName, toDocumentTitle } from "../domain/site.ts";
import { NOT_FOUND_LABELS } from "./labels/frame.ts";
import { loadScript } from "./load-script.ts";
import type { PageProps } from "./page-props.ts";
import { AgentPage } from "./pages/agent.tsx";
import { GamePage } from "./pages/game.tsx";
import { HomePage } from "./pages/home.tsx";
import { LeaderboardPage } from "./pages/leaderboard.tsx";
import { NotFoundPage } from "./pages/not-found.tsx";
import { RunPage } from "./pages/run.tsx";
import { RunsPage } from "./pages/runs.tsx";
import { WatchPage } from "./pages/watch.tsx";
import { keepScroll, restoreScroll, startAtTop } from "./scroll.ts";

type Page = ComponentType<PageProps>;
type MorePages = typeof import("./more-pages.ts");
const more = (name: keyof MorePages) => async (): Promise<Page> =>
  (await loadScript(() => import("./more-pages.ts")))[name];

/** The embedded page has a separate entry point. */
type RoutedName = Exclude<SitePageName, "embed">;

/** Each page, or a function that loads its script. */
const PAGES: { readonly [name in RoutedName]: { readonly page: Page } | { readonly load: () => Promise<Page> } } = {
  home: { page: HomePage },
  watch: { page: WatchPage },
  run: { page: RunPage },
  runs: { page: RunsPage },
  leaderboard: { page: LeaderboardPage },
  game: { page: GamePage },
  agent: { page: AgentPage },
  practice: { load: more("PracticePage") },
  search: { load: more("SearchPage") },
  account: { load: more("AccountPage") },
  market: { load: more("MarketPage") },
  vote: { load: more("VotePage") },
  league: { load: more("LeaguePage") },
  write: { load: more("WritePage") },
  match: { load: more("MatchPage") },
  stats: { load: more("StatsPage") },
  console: { load: more("ConsolePage") },
  docs: { load: more("DocsPage") },
  guide: { load: more("GuidePage") },
  tx: { load: more("TxPage") },
  address: { load: more("AddressPage") },
};

const toPattern = (path: string): RegExp => new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/?#]+)")}$`);
const PATTERNS = (Object.keys(PAGES) as RoutedName[]).map((name) => [name, toPattern(SITE_PAGES[name].path)] as const);

interface FoundPage extends PageProps {
  readonly name: RoutedName | null;
}

function findPage({ pathname, searchParams }: URL): FoundPage {
  const query = Object.fromEntries(searchParams);
  for (const [name, pattern] of PATTERNS) {
    const groups = pattern.exec(pathname)?.groups;
    if (pattern.test(pathname)) return { name, query, params: decodeParams(groups ?? {}) };
  }
  return { name: null, query, params: {} };
}

function decodeParams(params: { readonly [name: string]: string }): PageProps["params"] {
  try {
    return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    return {};
  }
}

/** The page on the screen. `Page` is null if its script could not be loaded. */
export interface Shown extends FoundPage {
  readonly Page: Page | null;
  readonly path: string;
}
export const shown: Signal<Shown> = signal({ name: null, params: {}, query: {}, path: "/", Page: null });
/** Whether the script of the next page is being loaded. */
export const isTurning: Signal<boolean> = signal(false);

/** Finds the page of a URL and loads its script. Never throws. */
export async function openPage(url: URL): Promise<Shown> {
  const found = findPage(url);
  const entry = found.name === null ? { page: NotFoundPage } : PAGES[found.name];
  const Page = "page" in entry ? entry.page : await entry.load().catch(() => null);
  return { ...found, path: url.pathname, Page };
}

let turns = 0;

async function turnTo(url: URL): Promise<void> {
  turns += 1;
  const turn = turns;
  isTurning.value = true;
  const next = await openPage(url);
  if (turn !== turns) return;
  document.title = toDocumentTitle(next.name === null ? NOT_FOUND_LABELS.title : SITE_PAGES[next.name].title);
  batch(() => {
    isTurning.value = false;
    shown.value = next;
  });
}

/** Navigates to another URL of the site. */
function navigate(href: string, isReplacing = false): void {
  const url = new URL(href, location.href);
  keepScroll();
  if (isReplacing) history.replaceState(history.state, "", url);
  else history.pushState({ key: createRandomId() }, "", url);
  void turnTo(url).then(() => {
    if (!isReplacing) startAtTop(url.hash);
  });
}

/** The URL that a click opens without a page load; null if the browser handles the click. */
function findTarget(event: MouseEvent): string | null {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return null;
  const link = (event.target as Element | null)?.closest?.("a[href]");
  if (!(link instanceof HTMLAnchorElement) || link.target !== "" || link.hasAttribute("download")) return null;
  const url = new URL(link.href);
  if (url.origin !== location.origin || findPage(url).name === null) return null;
  const isSamePage = url.pathname === location.pathname && url.search === location.search;
  return isSamePage && url.hash !== "" ? null : url.href;
}

/** Handles clicks on links, and the browser's back and forward buttons. */
export function followLinks(): void {
  history.scrollRestoration = "manual";
  document.addEventListener("click", (event) => {
    const target = findTarget(event);
    if (target === null) return;
    event.preventDefault();
    navigate(target, target === location.href);
  });
  addEventListener("popstate", () => {
    keepScroll();
    void turnTo(new URL(location.href)).then(restoreScroll);
  });
  addEventListener("pagehide", keepScroll);
}
