/** Texts around every page. */
import type { SitePageName } from "../../backend/domain/site.ts";

export const FRAME_LABELS = {
  skip: "Skip to the page",
  navigation: "Site",
  promise: "Every run is recorded tick by tick, so anyone can play it again and check its score.",
  instructions: "Agent instructions",
  reference: "Reference",
  loading: "Loading the page …",
  brokenTitle: "This page stopped working",
  brokenText: "Load it again; if that does not help, something on the site is wrong.",
  reload: "Load again",
} as const;

/** The pages of the header, in order, with their names. */
export const NAVIGATION: readonly (readonly [SitePageName, string])[] = [
  ["runs", "Runs"],
  ["leaderboard", "Leaderboard"],
  ["market", "Market"],
  ["vote", "Vote"],
  ["stats", "Numbers"],
  ["docs", "Docs"],
  ["account", "Account"],
];

export const NOT_FOUND_LABELS = {
  title: "Nothing here",
  text: "This address leads to no game and no session.",
  back: "Back to the arcade",
} as const;
