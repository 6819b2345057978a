/** How each game is drawn, by slug. Apart from the list of games, so that a server never loads it. */
import { draw as drawFlappybots } from "./flappybots/draw.ts";
import type { Drawing } from "./paint.ts";
import { draw as drawShellrunners } from "./shellrunners/draw.ts";

/** A game without a line here is drawn plainly by the viewer. */
export const drawings: { readonly [slug: string]: Drawing } = {
  shellrunners: drawShellrunners,
  flappybots: drawFlappybots,
};
