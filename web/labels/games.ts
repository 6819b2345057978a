/** Texts of a game's page. */
import type { EntityClass } from "../../games/game.ts";

export const GAME_LABELS = {
  practice: "Play it yourself",
  things: "Objects in the game",
  tiers: "Tiers and their NFTs",
  tiersLead:
    "A run that reaches a tier's score can mint the game's NFT with this picture; a later, higher score upgrades it.",
  bots: "For authors of agents",
  botsLead:
    "The service sends the state of the game as a frame, 20 times a second. The agent answers with one of these messages.",
  actions: "Messages that an agent may send",
  frame: "A frame of a demo run",
  frameHold: "Hold",
  frameRun: "Continue",
  best: "Best runs",
  scores: "Scores of the latest runs",
  scoresLead: "How many of the latest runs reached which score.",
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

/** Kinds whose names read better in another order. */
const KIND_NAMES: { readonly [kind: string]: string } = { pipe_top: "Upper pipe", pipe_bottom: "Lower pipe" };

/** `power_shield` as `Shield`: its class shows that it is a power-up. */
export const toKindLabel = (kind: string): string => {
  if (Object.hasOwn(KIND_NAMES, kind)) return KIND_NAMES[kind]!;
  const text = kind.replace(/^power_/, "").replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
};

export const formatPoints = (points: string): string => `${points} points`;

/** A field of a frame, such as `vx` or `gapTopY`. */
const FIELD_NAME = /\b(?:[xywh]|v[xy]|[a-z]+[A-Z]\w*)\b/;

/** A kind's description without its part about the frame's fields, which bots need and people do not. */
export const toKindText = (description: string): string => {
  const clauses = description.replaceAll(/ \([a-z][A-Za-z]*\)/g, "").split(/[;,] /);
  const kept = clauses.filter((clause) => !FIELD_NAME.test(clause));
  return `${kept.join(", ").replace(/\.$/, "")}.`;
};
