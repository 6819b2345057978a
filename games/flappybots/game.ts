/** Flappybots: its sheet for the catalog, and its parts. */
import type { Game } from "../game.ts";
import { createQuickBot, createRandomBot, createReferenceBot } from "./bot.ts";
import { draw } from "./draw.ts";
import { frame } from "./frame.ts";
import { nftArt } from "./nft-art.ts";
import { observation } from "./observation.ts";
import { createPlannerBot } from "./planner.ts";
import { resume } from "./resume.ts";
import { FLAP, type FlappybotsState, init, step } from "./sim.ts";
import { GATE_CLEAR_HEIGHT, HUNGER_MAX, ITEM_SIZES, LIVES_MAX, PIPE, WORLD } from "./world.ts";

export const flappybots: Game<FlappybotsState> = {
  slug: "flappybots",
  order: 2,
  title: "Flappybots",
  description:
    "A small robot against gravity. Flap through the gates, some of which move, and leave the safe line for batteries before the charge runs out.",
  rulesVersion: 2,
  tickHz: 20,
  livesMax: LIVES_MAX,
  hungerMax: HUNGER_MAX,
  world: { width: WORLD.width, height: WORLD.height },
  inputs: [
    { code: FLAP, message: { t: "action", action: "FLAP" }, mode: "once" },
    { code: 0, message: { t: "action", action: "NOOP" }, mode: "idle" },
  ],
  kinds: [
    {
      kind: "gate",
      class: "gate",
      w: PIPE.w,
      h: GATE_CLEAR_HEIGHT,
      description:
        "The opening between two pipes; y is its center, h the height open in every gate, gapTopY and gapBottomY its true edges, vy its speed.",
    },
    { kind: "pipe_top", class: "obstacle", w: PIPE.w, h: PIPE.h, description: "The pipe above an opening." },
    { kind: "pipe_bottom", class: "obstacle", w: PIPE.w, h: PIPE.h, description: "The pipe below an opening." },
    { kind: "battery", class: "food", ...ITEM_SIZES.battery, description: "Resets hunger to 0; scores 5 points." },
    { kind: "gear", class: "collectible", ...ITEM_SIZES.gear, description: "Worth 15 points, off the direct path." },
  ],
  extraFields: {
    bot: "x, y in world units, velocityY in units per second (positive falls), rotation in degrees (positive dives).",
    observation:
      "The next gate: nextObstacleX, nextGapTopY, nextGapCenterY, nextGapBottomY, nextGapVelocityY, distanceToNextObstacle (edge to edge), distanceToGround, distanceToCeiling.",
    latestAction: "FLAP or NOOP: what the bot did in this tick.",
    gameOverReason: "pipe, ground, ceiling or starvation once the last life is lost; null before.",
    distance: "World units traveled.",
    speed: "World units per second at which the world comes by.",
    streak: "Gates passed since the last lost life.",
    gatesPassed: "Gates passed in all.",
    invulnerableMs: "Milliseconds left in which only starvation costs a life.",
    exact:
      "For looking ahead: tickHz, y in 1/7200 unit, velocityY in 1/60 unit per second, distanceSub and hungerSub, the parts not shown yet.",
  },
  nft: {
    name: "Agent Arcade Flappybots",
    symbol: "FLAPBOT",
    tiers: [
      { tier: 1, name: "Fledgling", minScore: 160 },
      { tier: 2, name: "Glider", minScore: 700 },
      { tier: 3, name: "Ace", minScore: 2200 },
      { tier: 4, name: "Stratobot", minScore: 7000 },
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
