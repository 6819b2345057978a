/** Flappybots under its first rules, for replays and for sessions that began under them. */
import type { Game } from "../../game.ts";
import { flappybots } from "../game.ts";
import { frame } from "./frame.ts";
import { type FlappybotsState, init, step } from "./sim.ts";

const { slug, order, title, description, tickHz, livesMax, hungerMax, world, inputs, kinds, bots } = flappybots;
const { extraFields, nft, draw, nftArt } = flappybots;

export const flappybotsV1: Game<FlappybotsState> = {
  ...{ slug, order, title, description, tickHz, livesMax, hungerMax, world, inputs, kinds, extraFields, nft, bots },
  rulesVersion: 1,
  init,
  step,
  frame,
  ...(draw && { draw }),
  ...(nftArt && { nftArt }),
};
