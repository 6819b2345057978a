/** The guides of `docs/` that the site shows, by the name of the file, in the order of the list. */
export const GUIDES = {
  agents: { title: "Write an agent", summary: "From zero to a paid bot, over HTTP and WebSocket." },
  games: { title: "The games", summary: "Rules, frames, scores and tiers." },
  rules: { title: "The exact rules", summary: "Both games, precisely enough to write them again." },
  training: { title: "Train an agent", summary: "Environments, spaces and steps a second." },
  mcp: { title: "Model context protocol", summary: "A language model writes a policy and lets it play." },
  league: { title: "The league", summary: "Policies, rounds that anyone can play again, and ratings." },
  replays: { title: "Replays", summary: "What a replay proves, and how to check it." },
  "compact-spectating": { title: "Compact spectating", summary: "Frames in a tenth of the bytes." },
  signing: { title: "Signing", summary: "Every typed message, in four libraries." },
  contracts: { title: "Contracts", summary: "What the contracts keep, and who may do what." },
  economy: { title: "The economy", summary: "Who can earn how much, and what bounds it." },
  operating: { title: "Operating", summary: "Deploying, monitoring, backup and runbook." },
  testnet: { title: "Deploy to a testnet", summary: "From a clone to a paid agent in nine commands." },
  scaling: { title: "More than one backend", summary: "Roles, fleets, sizing and upgrades." },
  config: { title: "Settings", summary: "Every variable." },
  limits: { title: "Limits", summary: "Every limit of the service." },
  "adding-a-game": { title: "Add a game", summary: "One folder and one line." },
  architecture: { title: "Architecture", summary: "Layers, folders, and where to change what." },
  glossary: { title: "Glossary", summary: "The terms of this project." },
} as const satisfies { readonly [name: string]: { readonly title: string; readonly summary: string } };

export type GuideName = keyof typeof GUIDES;

/** Guides that a running service also serves as text at `/docs/NAME`, for authors who have only its URL. */
export const SERVED_GUIDES = [
  "agents",
  "rules",
  "replays",
  "signing",
  "training",
] as const satisfies readonly GuideName[];
export type ServedGuide = (typeof SERVED_GUIDES)[number];

export const isGuideName = (name: string): name is GuideName => Object.hasOwn(GUIDES, name);
