/** Texts of a game's page. */
import type { EntityClass } from "../../backend/games/game.ts";

export const GAME_LABELS = {
  practice: "Play it yourself",
  things: "What is in it",
  tiers: "Tiers and their NFTs",
  tiersLead: "A run that reaches a tier's score may mint its picture, and later runs raise it.",
  bots: "For authors of agents",
  botsLead: "Twenty times a second the service sends what is there. The agent answers with one of these messages.",
  actions: "Messages that an agent may send",
  frame: "A frame, as it arrives right now",
  frameHold: "Hold",
  frameRun: "Continue",
  best: "Best runs",
  scores: "How the latest runs scored",
  scoresLead: "The latest runs by their score.",
  runsSeries: "Runs",
  allRuns: "All runs of this game",
  guide: "How to write an agent",
} as const;

export const ENTITY_CLASS_LABELS: { readonly [kind in EntityClass]: string } = {
  food: "food",
  collectible: "points",
  powerup: "power-up",
  obstacle: "danger",
  gate: "gate",
};

/** `power_shield` as `Power shield`. */
export const toKindLabel = (kind: string): string => {
  const text = kind.replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
};

export const formatPoints = (points: string): string => `${points} points`;
