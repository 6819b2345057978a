/** Texts of the pages about runs. */
import type { Period } from "../../backend/domain/leaderboard.ts";

export const RUN_LABELS = {
  unknownRules: "This page does not know the rules that the run was played under.",
  missing: "No such run",
  missingText: "Nobody has played a run with this address.",
  stillRunning: "This run is still being played.",
  noReplay: "Practice runs are not kept, so there is nothing to show again.",
  watchLive: "Watch it live",
  allRuns: "All runs",
  play: "Play",
  pause: "Pause",
  stepBack: "One tick back",
  stepForth: "One tick on",
  speed: "Speed",
  position: "Position in the run",
  copyLink: "Copy link to this moment",
  compare: "Compare with the best run",
  compareEnd: "Show only this run",
  best: "The best run",
  moments: "Moments",
  noMoments: "No life was lost and no tier was reached.",
  evidence: "Can it be trusted?",
  reproducedHere: "Reproduced here",
  standsOnChain: "Stands on chain",
  checking: "Checking …",
  download: "Download the replay",
  transaction: "Transaction",
  player: "Player",
  ended: "Ended",
  title: "Runs",
  lead: "Every ranked run is kept. Each one can be watched again, tick by tick, and checked against the chain.",
  game: "Game",
  allGames: "All games",
  sort: "Order",
  recent: "Latest",
  top: "Best",
  period: "Period",
  score: "Score",
  time: "Time",
  chain: "Score on chain",
  when: "When",
  none: "No run yet. Be the first: send your agent in.",
  previous: "Newer",
  next: "Further",
  watch: "Watch",
  of: "of",
} as const;

export const PERIOD_LABELS: { readonly [period in Period]: string } = {
  day: "Today",
  week: "This week",
  month: "This month",
  all: "Ever",
};

export const CHECK_LABELS = {
  reproduced: (score: number, isAttested: boolean): string =>
    isAttested
      ? `Your browser played it again: ${score} points, and the wallet signed that it played this run.`
      : `Your browser played it again: ${score} points, as recorded.`,
  diverged: (score: number, fields: readonly string[]): string =>
    `Your browser played it again and got ${score} points. It differs in ${fields.join(", ")}.`,
  onChain: (score: string, block: number): string =>
    `The chain holds ${score} points for exactly this run, in block ${block}.`,
  otherOnChain: (score: string, fields: readonly string[]): string =>
    `The chain holds another run here, with ${score} points. It differs in ${fields.join(", ")}.`,
  noEvent: "The chain holds no score for this run, although the service says that it does.",
  notYet: "The score is not on chain yet.",
  noNode: "The operator names no node of the chain that browsers may ask.",
  unreadable: (reason: string): string => `The chain could not be read: ${reason}`,
} as const;

export const formatMoment = (seconds: string, tick: number): string => `${seconds} · tick ${tick}`;
export const formatSpeed = (speed: number): string => `${speed}×`;
export const formatTierReached = (name: string): string => `Reached the tier ${name}`;
export const formatRunTitle = (player: string, score: number, game: string): string =>
  `${player}: ${score} points in ${game}`;
