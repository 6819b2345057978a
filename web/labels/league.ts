/** Texts of the league's pages. */
import { formatNumber, shortenHex } from "./shared.ts";

const BOTS: { readonly [id: string]: string } = {
  "bot:random": "Random bot",
  "bot:quick": "Quick bot",
  "bot:reference": "Reference bot",
};

/** What takes part is called by its identity; user names are on its page. */
export const formatEntrant = ({ id, agentId }: { readonly id: string; readonly agentId: string | null }): string =>
  BOTS[id] ?? (agentId === null ? shortenHex(id) : `Agent #${agentId}`);

const plural = (count: number, one: string, more: string): string =>
  `${formatNumber(count)} ${count === 1 ? one : more}`;
export const formatCourses = (count: number): string => plural(count, "course", "courses");

export const LEAGUE_LABELS = {
  title: (game: string): string => `The league of ${game}`,
  lead: "Authors submit policies: small programs that all play the same courses. Anyone can replay the round to check it.",
  write: "Write a policy",
  guide: "How it works",
  back: "The league",
  season: (season: number): string => `Season ${season}`,
  closes: "Closes",
  closedAt: "Closed",
  closed: "Closed; the round is being played",
  policies: "Policies so far",
  commitment: "Commitment to the courses",
  policiesDigest: "Digest of the policies",
  none: "No season has been played yet. The first table appears when this season closes.",
  table: (season: number): string => `Table of season ${season}`,
  tableLead: (courses: number): string =>
    `Each played ${formatCourses(courses)}. The bar is the 95 % interval of the rating; the reference bot is at 1500.`,
  rank: "Rank",
  entrant: "Policy",
  rating: "Rating",
  results: "Won/tied/lost",
  forfeits: "Forfeits",
  interval: (low: number, high: number): string => `95 %: ${low} to ${high}`,
  matrix: "What beat what",
  matrixLead: "The share of courses that the row's policy won against the column's. A tie counts as half.",
  share: (one: string, other: string, percent: number): string => `${one} against ${other}: ${percent} %`,
  compare: "Compare two policies",
  first: "First",
  second: "Second, as a dashed outline",
  thinkers: (season: number): string => `Thinkers of season ${season}`,
  thinkersLead:
    "The game waits for every decision, 120 on a course. The points of five courses count; each thinker has its own courses.",
  thinker: "Thinker",
  points: "Points",
  coursesColumn: "Courses",
  decisions: "Decisions",
  seasons: "Seasons",
  seasonColumn: "Season",
  policiesColumn: "Policies",
  winner: "Winner",
  file: "The file of the round",
  verify: "Or verify it with a copy of the repository",
  checkTitle: "Can it be trusted?",
  check: "Check the round in this browser",
  checkLead:
    "Your browser plays every policy and bot again on every course and compares moves, scores, fuel and ratings.",
  cancel: "Cancel",
  cancelled: "Cancelled.",
  courses: "Courses played",
  progress: (played: number, all: number): string => `${formatNumber(played)} of ${formatCourses(all)} played`,
  reproduced: "Reproduced: nothing differs from the file.",
  differs: (count: number): string => `It differs in ${plural(count, "place", "places")}:`,
  more: (count: number): string => `and ${formatNumber(count)} more`,
  unknownRules: "This page does not have the rules of that round, so it cannot check it.",
  stopped: "The policy did not return and was stopped.",
  workerFailed: "The engine could not be started in this browser.",
} as const;

export const MATCH_LABELS = {
  title: (one: string, other: string): string => `${one} against ${other}`,
  outcomes: (one: string, wins: number, losses: number, ties: number): string =>
    `${one} won ${formatCourses(wins)}, lost ${formatNumber(losses)} and tied ${formatNumber(ties)}.`,
  onCourse: (course: number): string => `On course ${course}`,
  scored: (name: string, score: number, time: string): string => `${name}: ${formatNumber(score)} points in ${time}`,
  forfeited: (name: string, tick: number, text: string): string => `${name} forfeited at tick ${tick}: ${text}`,
  differs: (tick: number): string => `Their moves first differ at tick ${tick}.`,
  sameMoves: "They made the same moves.",
  firstDifference: "First different move",
  against: "against",
  outlineHas: (name: string, score: number): string => `${name}, the dashed outline: ${formatNumber(score)}`,
  of: (name: string, text: string): string => `${name}: ${text}`,
  courses: "All courses",
  coursesLead: "Points of the first and the second policy. A dash is a forfeited course.",
  text: (name: string): string => `The text of ${name}`,
  picture: (game: string, one: string, other: string): string => `${game}: ${one}, with ${other} as an outline`,
  swap: "Swap the two",
} as const;

export const WRITE_LABELS = {
  title: (game: string): string => `Write a policy for ${game}`,
  lead: "A policy is one function that gets the frame of each tick and returns a move or null.",
  text: "Text of the policy",
  bytes: (bytes: number, most: number): string => `${formatNumber(bytes)} of ${formatNumber(most)} bytes`,
  example: "Start again from the example",
  try: (courses: number): string => `Try the policy on ${formatCourses(courses)}`,
  tryLead: "Each try uses the same courses. The text does not leave this browser.",
  median: "Median",
  best: "Best",
  worst: "Worst",
  reference: "Reference bot, median",
  beats: "Won against the reference bot",
  fuel: "Fuel per tick",
  fuelOf: (mean: number, most: number): string => `${formatNumber(mean)} of ${formatNumber(most)}`,
  forfeited: "forfeited",
  forfeits: (count: number): string => `Forfeits ${formatCourses(count)}:`,
  noForfeits: "No course was forfeited.",
  place: (line: number, column: number): string => `line ${line}, column ${column}`,
  refused: "The league would reject this policy:",
  unknown: (count: number, example: string): string =>
    `The game does not know ${plural(count, "move", "moves")}, such as ${example}. Each of them lost its tick.`,
  watchWorst: "Watch its worst moment",
  worstTitle: (course: number): string => `Its worst moment, on course ${course}`,
  picture: (game: string): string => `${game}, played by your policy`,
  submit: "Submit",
  submitTitle: "Submit it to the league",
  submitLead: (season: number, closes: string): string =>
    `The text above takes part in season ${season}. You can replace it until ${closes}. It is published after the round.`,
  submitClosed: "The season is closed and its round is being played. The next season opens soon.",
  own: (bytes: number, ago: string): string => `You submitted ${formatNumber(bytes)} bytes ${ago}.`,
  loadOwn: "Load that text",
  submitted: (season: number, bytes: number, digest: string): string =>
    `Submitted for season ${season}: ${formatNumber(bytes)} bytes with the digest ${shortenHex(digest)}.`,
} as const;
