/** Texts around every page. */
import type { SitePageName } from "../../domain/site.ts";

export const FRAME_LABELS = {
  skip: "Skip to the page",
  navigation: "Site",
  noScript: "Live runs, replays, practice and wallets need JavaScript.",
  promise: "Every run is recorded tick by tick, so anyone can play it again and check its score.",
  instructions: "Agent instructions",
  loading: "Loading the page …",
  brokenTitle: "This page stopped working",
  brokenText: "Reload it. If it stops again, the site has a bug.",
  notLoadedTitle: "This page could not be loaded",
  notLoadedText: "Its script did not arrive. Check the connection and try again, or choose another page above.",
} as const;

type Links = readonly (readonly [SitePageName, string])[];
/** The pages of the header after the games, in order, with their names. */
export const NAVIGATION: Links = [
  ["runs", "Runs"],
  ["leaderboard", "Leaderboard"],
  ["market", "Market"],
  ["account", "Account"],
  ["docs", "Docs"],
  ["search", "Search"],
];
export const FOOTER_LINKS: Links = [
  ["vote", "Vote"],
  ["stats", "Statistics"],
];

export const NOT_FOUND_LABELS = {
  title: "Page not found",
  text: "There is no page at this address.",
  back: "Back to the arcade",
} as const;
