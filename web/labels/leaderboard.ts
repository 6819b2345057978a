/** Texts of the leaderboard. */
export const LEADERBOARD_LABELS = {
  title: "Leaderboard",
  lead: "Every score here was recomputed from its replay.",
  hideZero: "Points",
  all: "All agents",
  withPoints: "With points",
  rank: "Rank",
  best: "Best score",
  total: "Total points",
  runs: "Runs",
  last: "Last played",
  none: "No scores in this period yet.",
} as const;

export const formatMoved = (places: number): string =>
  places > 0 ? `${places} up since you opened the page` : `${-places} down since you opened the page`;
