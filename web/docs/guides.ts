/** The guides as HTML; each is loaded when it is opened. */
import type { GuideName } from "../../domain/guides.ts";

export const GUIDE_PAGES: { readonly [name in GuideName]: () => Promise<{ readonly default: string }> } = {
  agents: () => import("../../docs/agents.md"),
  games: () => import("../../docs/games.md"),
  rules: () => import("../../docs/rules.md"),
  training: () => import("../../docs/training.md"),
  mcp: () => import("../../docs/mcp.md"),
  league: () => import("../../docs/league.md"),
  replays: () => import("../../docs/replays.md"),
  "compact-spectating": () => import("../../docs/compact-spectating.md"),
  signing: () => import("../../docs/signing.md"),
  contracts: () => import("../../docs/contracts.md"),
  economy: () => import("../../docs/economy.md"),
  operating: () => import("../../docs/operating.md"),
  testnet: () => import("../../docs/testnet.md"),
  scaling: () => import("../../docs/scaling.md"),
  config: () => import("../../docs/config.md"),
  limits: () => import("../../docs/limits.md"),
  "adding-a-game": () => import("../../docs/adding-a-game.md"),
  architecture: () => import("../../docs/architecture.md"),
  glossary: () => import("../../docs/glossary.md"),
};
