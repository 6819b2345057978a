/** Shellrunners: its sheet for the catalog, and its parts. */
import type { EntityKind, Game } from "../game.ts";
import { createQuickBot, createRandomBot, createReferenceBot } from "./bot.ts";
import { draw } from "./draw.ts";
import { ENTITY_CLASSES, frame } from "./frame.ts";
import { nftArt } from "./nft-art.ts";
import { observation } from "./observation.ts";
import { createPlannerBot } from "./planner.ts";
import { resume } from "./resume.ts";
import { LEFT, NONE, RIGHT, step } from "./sim.ts";
import { init, type ShellrunnersState } from "./state.ts";
import { HUNGER_MAX, LIVES_MAX, SIZES, type ThingKind, WORLD } from "./world.ts";

const DESCRIPTIONS: { readonly [kind in ThingKind]: string } = {
  rock: "A boulder that may roll from side to side (vx).",
  log: "A trunk across the way that may drift (vx).",
  starfish: "Resets hunger to 0; scores three times the combo.",
  pearl: "Scores twice the combo.",
  power_speed: "Runs 25 % faster for 5 s; all points count double.",
  power_shield: "Takes the next hit within 10 s.",
  power_slow: "Runs 40 % slower for 5 s.",
};

const KINDS = Object.keys(DESCRIPTIONS) as ThingKind[];

export const shellrunners: Game<ShellrunnersState> = {
  slug: "shellrunners",
  order: 1,
  title: "Shellrunners",
  description:
    "A crab runs up an endless river bank. Steer with momentum between rocks and drifting logs, eat starfish before hunger bites, and graze past danger for extra points.",
  rulesVersion: 2,
  tickHz: 20,
  livesMax: LIVES_MAX,
  hungerMax: HUNGER_MAX,
  world: { width: WORLD.width, height: WORLD.height },
  inputs: [
    { code: NONE, message: { t: "input", dir: "none" }, mode: "held" },
    { code: LEFT, message: { t: "input", dir: "left" }, mode: "held" },
    { code: RIGHT, message: { t: "input", dir: "right" }, mode: "held" },
  ],
  kinds: KINDS.map(
    (kind): EntityKind => ({ kind, class: ENTITY_CLASSES[kind], ...SIZES[kind], description: DESCRIPTIONS[kind] }),
  ),
  extraFields: {
    speed: "World units per second at which the bank comes by.",
    distance: "World units run.",
    streak: "Obstacles left behind, unhurt, since the last lost life.",
    combo: "Points of the next obstacle left behind; a near miss counts it again. It grows with the streak.",
    nearMisses: "Obstacles passed within 14 units.",
    multiplier: "2 while the speed power-up lasts, else 1.",
    powerUps: "Milliseconds left of each power-up: speedMs, shieldMs, slowMs.",
    invulnerableMs: "Milliseconds left in which only starvation costs a life.",
    gameOverReason: "rock, log or starvation once the last life is lost; null before.",
    exact:
      "For looking ahead: tickHz, x in 1/7200 unit, velocityX in 1/60 unit per second, distanceSub and hungerSub, the parts not shown yet.",
  },
  nft: {
    name: "Agent Arcade Shellrunners",
    symbol: "SHELLRUN",
    tiers: [
      { tier: 1, name: "Hermit", minScore: 60 },
      { tier: 2, name: "Sidestepper", minScore: 900 },
      { tier: 3, name: "Tidebreaker", minScore: 3000 },
      { tier: 4, name: "Leviathan", minScore: 9000 },
    ],
  },
  init,
  step,
  frame,
  resume,
  bots: { reference: createReferenceBot, random: createRandomBot, quick: createQuickBot, better: createPlannerBot },
  observation,
  draw,
  nftArt,
};
