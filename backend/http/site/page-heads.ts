/** The heads of the site's pages. The page of a run or a game has its name in the head. */
import { ArcadeError } from "../../../domain/errors.ts";
import { GUIDES, isGuideName } from "../../../domain/guides.ts";
import { LIVE_EMBED, SITE_PAGES, type SitePageName } from "../../../domain/site.ts";
import type { HandlerServices } from "../routing/handler-services.ts";
import { decimal, sessionIdText } from "../schemas/values.ts";
import { type PageHead, PREVIEW_PATH } from "./page-html.ts";

/** The services used for the heads. */
export const HEAD_SERVICES = [
  "sessions",
  "catalog",
  "profiles",
  "league",
] as const satisfies readonly (keyof HandlerServices)[];
type HeadServices = Pick<HandlerServices, (typeof HEAD_SERVICES)[number]>;

type Params = { readonly [name: string]: string };
/** Returns the fields specific to this page; null if there is nothing at its address. */
type FindHead = (params: Params, services: HeadServices, query: Params) => Promise<Partial<PageHead> | null>;

/** Networks that show previews do not draw SVG. */
const toPicturePath = (kind: "runs" | "agents" | "games", id: string): string => `/pictures/${kind}/${id}.png`;

async function findRunHead(
  { id }: Params,
  { sessions, catalog }: HeadServices,
  { t }: Params,
): Promise<Partial<PageHead> | null> {
  const sessionId = sessionIdText.safeParse(id);
  if (!sessionId.success) return null;
  const { session } = await sessions.getById(sessionId.data);
  const { title } = catalog.find(session.slug);
  const player = session.agentName ?? (session.source === "browser_ws" ? "A person" : "An AI agent");
  const isOver = session.phase === "ended";
  return {
    title: isOver ? `${player}: ${session.score} points in ${title}` : `${player} plays ${title}`,
    description: isOver
      ? `Watch the run again tick by tick, and check its score of ${session.score} yourself.`
      : `Live now with ${session.score} points. Watch the run.`,
    imagePath:
      isOver && session.source === "agent_api"
        ? `${toPicturePath("runs", session.sessionId)}${/^\d{1,7}$/.test(t ?? "") ? `?t=${t}` : ""}`
        : toPicturePath("games", session.slug),
  };
}

const findGuideHead: FindHead = async ({ guide = "" }) => {
  if (!isGuideName(guide)) return null;
  const { title, summary } = GUIDES[guide];
  return { title, description: summary };
};

const findLeagueHead =
  (start: string): FindHead =>
  async ({ game }, { catalog, league }) => {
    const { title, slug } = catalog.find(game!);
    if (!league.isOn) return null;
    return { title: `${start} ${title}`, imagePath: toPicturePath("games", slug) };
  };

const findMatchHead: FindHead = async (params, services, query) => {
  const { season } = await services.league.getState(services.catalog.find(params.game!).slug);
  const number = /^[1-9]\d{0,5}$/.test(params.season ?? "") ? Number(params.season) : Number.POSITIVE_INFINITY;
  return number < season ? findLeagueHead(`Season ${number} of the league of`)(params, services, query) : null;
};

const FIND_HEAD: { readonly [name in SitePageName]?: FindHead } = {
  watch: findRunHead,
  run: findRunHead,
  embed: async (params, services, query) => (params.id === LIVE_EMBED ? {} : findRunHead(params, services, query)),
  practice: async ({ game }, { catalog }) => ({ title: `Practice ${catalog.find(game!).title}` }),
  game: async ({ game }, { catalog }) => {
    const { title, description, slug } = catalog.find(game!);
    return { title, description, imagePath: toPicturePath("games", slug) };
  },
  agent: async ({ id }, { profiles, sessions, catalog }) => {
    const agentId = decimal.safeParse(id);
    if (!agentId.success) return null;
    const { profile } = await profiles.get({ agentId: agentId.data });
    const query = { agentId: agentId.data, sort: "recent", period: "all", page: 1, limit: 1 } as const;
    const pages = await Promise.all(catalog.games.map(({ slug }) => sessions.listRuns({ ...query, slug })));
    const [run] = pages.flatMap(({ items }) => items);
    return {
      // An agent without a profile still has a page.
      title: profile?.agentName ?? run?.agentName ?? `Identity #${agentId.data}`,
      ...(profile === null || profile.bio === "" ? {} : { description: profile.bio }),
      ...(run === undefined ? {} : { imagePath: toPicturePath("agents", agentId.data) }),
    };
  },
  guide: findGuideHead,
  league: findLeagueHead("The league of"),
  write: findLeagueHead("Write a policy for"),
  match: findMatchHead,
  // The browser looks these up on the chain: a page causes no read of the node.
  tx: async ({ hash = "" }) => (/^0x[0-9a-f]{64}$/i.test(hash) ? { title: `Transaction ${hash}` } : null),
  address: async ({ address = "" }) => (/^0x[0-9a-f]{40}$/i.test(address) ? { title: `Address ${address}` } : null),
};

/** The head of a page; null if there is nothing at its address. Throws what its services throw. */
export async function createPageHead(
  name: SitePageName,
  params: Params,
  services: HeadServices,
  query: Params,
): Promise<PageHead | null> {
  const { title, description } = SITE_PAGES[name];
  const general: PageHead = { title, description, imagePath: PREVIEW_PATH };
  const findHead = FIND_HEAD[name];
  if (findHead === undefined) return general;
  try {
    const own = await findHead(params, services, query);
    return own === null ? null : { ...general, ...own };
  } catch (error) {
    if (error instanceof ArcadeError && error.status === 404) return null;
    throw error;
  }
}
