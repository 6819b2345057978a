/** Shellrunners under its first rules, for replays and for sessions that began under them. */
import type { Game } from "../../game.ts";
import { shellrunners } from "../game.ts";
import { frame } from "./frame.ts";
import { step } from "./sim.ts";
import { init, type ShellrunnersState } from "./state.ts";

const { slug, order, title, description, tickHz, livesMax, hungerMax, world, inputs, kinds, bots } = shellrunners;
const { extraFields, nft, draw, nftArt } = shellrunners;

export const shellrunnersV1: Game<ShellrunnersState> = {
  ...{ slug, order, title, description, tickHz, livesMax, hungerMax, world, inputs, kinds, extraFields, nft, bots },
  rulesVersion: 1,
  init,
  step,
  frame,
  ...(draw && { draw }),
  ...(nftArt && { nftArt }),
};
