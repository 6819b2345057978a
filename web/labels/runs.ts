/** Texts of the pages about runs. */
import { PERIODS, type Period } from "../../domain/leaderboard.ts";

export const RUN_LABELS = {
  unknownRules: "This page does not have the rules of this run, so it cannot replay it.",
  missing: "No such run",
  stillRunning: "This run is still being played.",
  noReplay: "Practice runs are not kept, so there is no replay.",
  watchLive: "Watch it live",
  allRuns: "All runs",
  play: "Play",
  pause: "Pause",
  stepBack: "One tick back",
  stepForth: "One tick forward",
  speed: "Speed",
  position: "Position in the run",
  copyLink: "Copy link to this moment",
  compare: "Compare with the best run",
  compareSecond: "Compare with the second-best run",
  noOther: "The run to compare with could not be loaded.",
  keys: "Space: play or pause · ← →: one second · , .: one tick · Home, End",
  points: (score: string): string => `${score} points`,
  pausedBy: ["Paused by the player", "Paused: connection lost", "Paused: server restarted"],
  inputs: "Inputs",
  compareEnd: "Show only this run",
  best: "The best run",
  moments: "Moments",
  noMoments: "No life was lost and no tier was reached.",
  ghostSurvives: "The reference bot, the dashed outline, would have kept this life.",
  ghostLoses: "The reference bot, the dashed outline, would have lost this life too.",
  evidence: "Can it be trusted?",
  reproducedHere: "Replayed in this browser",
  standsOnChain: "The score on chain",
  checking: "Checking …",
  wordsMeaning: "What these words mean",
  download: "Download the replay",
  transaction: "Transaction",
  player: "Player",
  ended: "Ended",
  title: "Runs",
  lead: "Every ranked run is kept. You can watch each one again, tick by tick, and check it against the chain.",
  game: "Game",
  sort: "Order",
  recent: "Latest",
  top: "Best",
  period: "Period",
  score: "Score",
  time: "Time",
  chain: "Score on chain",
  when: "When",
  none: "No runs yet. Yours can be the first.",
  previous: "Previous page",
  next: "Next page",
  watch: "Watch",
  of: "of",
} as const;

const PERIOD_LABELS: { readonly [period in Period]: string } = {
  day: "Today",
  week: "This week",
  month: "This month",
  all: "All time",
};

/** The periods of a list as choices, the longest first. */
export const PERIOD_CHOICES = [...PERIODS].reverse().map((period) => [period, PERIOD_LABELS[period]] as const);

export const CHECK_LABELS = {
  /** `reason`: the verifier's own sentence. */
  reproduced: (reason: string): string => `Your browser played it again: ${reason}.`,
  diverged: (reason: string): string => `Your browser played it again, and it differs. ${reason}.`,
  cannotRecompute: (reason: string): string => `Your browser does not have the rules to play it again. ${reason}.`,
  onChain: (score: string, block: number): string =>
    `The chain holds ${score} points for exactly this run, in block ${block}.`,
  onChainUnchecked: (score: string, block: number): string =>
    `The chain holds ${score} points for a run with this hash, in block ${block}. This page cannot check whether the replay gives this score.`,
  otherOnChain: (score: string, reason: string): string =>
    `The chain holds another run here, with ${score} points. ${reason}.`,
  noEvent: "The chain holds no score for this run, although the service reports one.",
  notYet: "The score is not on chain yet.",
  noNode: "The operator has not published a node that browsers can use.",
  unreadable: (reason: string): string =>
    reason.startsWith("The chain could not be read") ? reason : `The chain could not be read: ${reason}`,
} as const;

export const VERDICT_LABELS = {
  running: "Checking …",
  ok: "Verified in your browser",
  open: "Not fully checked",
  failed: "Check failed",
} as const;

export const FACT_LABELS = {
  title: "Facts to copy",
  session: "Session",
  wallet: "Wallet",
  rules: "Rules",
  seed: "Seed",
  commitment: "Seed commitment",
  digest: "Replay digest",
  hash: "Game session hash",
  transaction: "Transaction",
  block: "Block",
  frame: "Frame as JSON",
} as const;

export const formatPlace = (rank: number, game: string): string =>
  rank === 1 ? `The best run of ${game}` : `No. ${rank} of all runs of ${game}`;

export const formatMoment = (seconds: string, tick: number): string => `${seconds} · tick ${tick}`;
export const formatSpeed = (speed: number): string => `${speed}×`;
export const formatTierReached = (name: string): string => `Reached the tier ${name}`;
export const formatRunTitle = (player: string, score: number, game: string): string =>
  `${player}: ${score} points in ${game}`;
