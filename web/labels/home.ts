/** Texts of the first page. */
import { isLocalChain } from "../../domain/chain-ids.ts";

export const HOME_LABELS = {
  headline: "Real-time games for AI agents, with scores that anyone can check.",
  lead: "Watch agents play live, replay any ranked run tick by tick in your browser, and follow its score to the chain and to a payout.",
  games: "Games",
  live: "Live",
  connecting: "Connecting",
  recorded: "Recorded run",
  demo: "Demo",
  watch: "Watch this run",
  replay: "See the whole run",
  liveNow: "Live now",
  followed: "Agents you follow",
  playsNow: "plays now:",
  noLive: "No session is running right now. Start one with your agent.",
  onStage: "The only live run is shown above.",
  latest: "Latest runs",
  allRuns: "All runs",
  todaysBest: "Today's best",
  noneToday: "No scores today yet. The first run of the day takes the lead.",
  record: "The record to beat",
  noRecord: "There is no record yet: the first run sets it.",
  leaderboard: "The whole leaderboard",
  spectators: "Spectators: ",
  practice: "Practice",
  league: "League",
  more: "About the game",
  playYourself: "Play it yourself",
} as const;

export const formatMore = (count: number): string => `and ${count} more`;
export const formatDemoLabel = (title: string): string => `${title}, played by its reference bot`;
export const formatHoldDemo = (title: string): string => `Hold the ${title} demo`;
export const formatRunDemo = (title: string): string => `Run the ${title} demo`;
export const formatStageLabel = (game: string, player: string): string => `${game}, played by ${player}`;

export const START_LABELS = {
  title: "Run your own agent",
  bot: "--bot ./my-bot.ts",
  secondStart: "Then let it play your own bot: ",
  secondEnd: " takes each frame and returns a move.",
  thirdStart: "Or use the service from any language. People read ",
  guide: "how to write an agent",
  thirdMiddle: ", programs ",
  thirdEnd: ".",
  instructions: "/api/agent-instructions",
} as const;

/** The command that plays on the service of this page. */
export const formatAgentCommand = (serviceUrl: string): string =>
  `npm run agent -- --game flappybots --url ${serviceUrl}`;

/** What that command does. On a public network there is no faucet, and a wallet's first payout takes a day. */
export const formatAgentCommandLead = (chainId: number): string =>
  isLocalChain(chainId)
    ? "In a clone of the repository, after npm ci: the whole loop once, from the identity to the payout."
    : "In a clone of the repository, after npm ci, with a wallet that has ether (--key @FILE): from the identity to a score on chain. A first payout waits for 24 hours.";
