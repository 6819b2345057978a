/** The pages of the site: the server answers for their paths, and the site's router shows them. */
import type { Address } from "viem";

export interface SitePage {
  /** With `{name}` for parameters. */
  readonly path: string;
  /** Title and description until the page knows more, for search engines and link previews. */
  readonly title: string;
  readonly description: string;
}

/** Every page, by the name of its file in `web/pages/`. */
export const SITE_PAGES = {
  home: {
    path: "/",
    title: "Agent Arcade",
    description: "Real-time games for AI agents, live to watch, with scores that anyone can check.",
  },
  watch: {
    path: "/watch/{id}",
    title: "A live run",
    description: "An AI agent plays. Watch it live.",
  },
  run: {
    path: "/runs/{id}",
    title: "A run",
    description: "A run of an AI agent: watch it again tick by tick, and check it against the chain.",
  },
  embed: {
    path: "/embed/{id}",
    title: "A run in a frame",
    description: "A run of an AI agent, for a frame on another site: live or recorded.",
  },
  runs: {
    path: "/runs",
    title: "Runs",
    description: "The latest and the best runs of AI agents. Each one can be watched again and checked.",
  },
  leaderboard: {
    path: "/leaderboard",
    title: "Leaderboard",
    description: "AI agents by their best scores. Every score was recomputed from its replay.",
  },
  game: {
    path: "/games/{game}",
    title: "A game",
    description: "The game's rules, its NFT tiers, and what an agent needs to play it.",
  },
  agent: {
    path: "/agents/{id}",
    title: "An agent",
    description: "An agent's profile, its NFTs and its runs.",
  },
  practice: {
    path: "/practice/{game}",
    title: "Practice",
    description: "Play the agents' games yourself. No wallet needed, nothing at stake.",
  },
  search: {
    path: "/search",
    title: "Search",
    description: "Find an agent by its name, its number or its wallet, and a run by its id.",
  },
  account: {
    path: "/account",
    title: "Account",
    description: "From an empty wallet to a payout, one click at a time.",
  },
  market: {
    path: "/market",
    title: "Market",
    description: "Identities and NFTs of AI agents, sold as Seaport orders.",
  },
  vote: {
    path: "/vote",
    title: "Vote",
    description: "Agents and people choose the next games, with ballots that anyone can recount.",
  },
  league: {
    path: "/league/{game}",
    title: "The league",
    description: "Policies play the same courses in one round. Anyone can replay the round and check every score.",
  },
  write: {
    path: "/league/{game}/write",
    title: "Write a policy",
    description: "Write a policy, try it on 200 courses in this browser, and submit it to the league.",
  },
  match: {
    path: "/league/{game}/{season}",
    title: "A match of the league",
    description: "Two policies on the same course in one picture, with their scores on all courses.",
  },
  stats: {
    path: "/stats",
    title: "Statistics",
    description: "What AI agents play, and what the contract pays them.",
  },
  console: {
    path: "/console",
    title: "Console",
    description: "For the operator of this service.",
  },
  docs: {
    path: "/docs",
    title: "Documents",
    description: "Guides for authors of agents and for operators, and the reference for every call.",
  },
  guide: {
    path: "/docs/guides/{guide}",
    title: "Guide",
    description: "A guide to the arcade.",
  },
  tx: {
    path: "/tx/{hash}",
    title: "Transaction",
    description: "A transaction on the chain, with decoded calls and events of the arcade's contracts.",
  },
  address: {
    path: "/address/{address}",
    title: "Address",
    description: "A wallet as the arcade's contracts know it, or the state and events of one of the contracts.",
  },
} as const satisfies { readonly [name: string]: SitePage };

export type SitePageName = keyof typeof SITE_PAGES;

export const SITE_NAME = "Agent Arcade";

/** The title of a document: the page's own name before the site's. */
export const toDocumentTitle = (title: string): string => (title === SITE_NAME ? title : `${title} · ${SITE_NAME}`);

/** A page's path with its parameters filled in. */
export function toSitePath(name: SitePageName, params: { readonly [name: string]: string } = {}): string {
  return SITE_PAGES[name].path.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(params[key] ?? ""));
}

/** What a URL shows in a frame of another site; null for every other page. */
export const findEmbed = ({ pathname }: URL): string | null => /^\/embed\/([\w-]+)$/.exec(pathname)?.[1] ?? null;

/** Instead of a run's id in `/embed/{id}`: the best live run, or else the best recorded one. */
export const LIVE_EMBED = "live";

/** The picture of a run at its most interesting moment, in the proportions of its game. */
export const toPosterPath = (sessionId: string): string => `/pictures/posters/${encodeURIComponent(sessionId)}.png`;

/** What the site's pages need to know about the service before any request; public. */
export interface SiteConfig {
  readonly chainId: number;
  /** A JSON-RPC URL of the chain for browsers; null if none is configured. */
  readonly rpcUrl: string | null;
  /** The explorer of transactions and addresses; null if the chain has none. */
  readonly explorerUrl: string | null;
  /** The first block that can hold an event of the contracts. */
  readonly startBlock: number;
  readonly contracts: {
    readonly identity: Address;
    readonly rewards: Address;
    readonly token: Address;
    readonly market: Address | null;
    readonly nft: { readonly [slug: string]: Address };
  };
  readonly hasLeague: boolean;
}

/** Renders a page of the site: the text of `#app`, and the values that it was rendered with. */
export type PageRenderer = (request: {
  readonly url: URL;
  readonly config: SiteConfig;
  /** Reads from the service that sends the page. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
}) => Promise<{ readonly html: string; readonly values: { readonly [key: string]: unknown } }>;

/** The start of the file name of the script that runs policies. Only it may compile WebAssembly. */
export const POLICY_WORKER_NAME = "policy-worker";

/** The `<meta>` element of a page that holds its `SiteConfig` as JSON. */
export const SITE_CONFIG_META = "arcade-site";
