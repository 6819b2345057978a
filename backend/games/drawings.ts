/** How each game is drawn, by slug. Apart from the list of games, so that a server never loads it. */
import { draw as drawFlappybots } from "./flappybots/draw.ts";
import type { EntityClass } from "./game.ts";
import { type Drawing, drawStatus, fillBox, mix, mixEntities } from "./paint.ts";
import { draw as drawShellrunners } from "./shellrunners/draw.ts";

export const drawings: { readonly [slug: string]: Drawing } = {
  shellrunners: drawShellrunners,
  flappybots: drawFlappybots,
};

const CLASS_COLORS: { readonly [kind in EntityClass]: string } = {
  food: "#59e391",
  collectible: "#ffd166",
  powerup: "#4cc9f0",
  obstacle: "#8d99ae",
  gate: "rgba(159,243,255,0.2)",
};

/** A game's own drawing, or the plain one. */
export function findDrawing(slug: string): Drawing {
  return Object.hasOwn(drawings, slug) ? drawings[slug]! : drawPlainly;
}

/** Boxes coloured by class, on a background the caller has cleared. */
const drawPlainly: Drawing = (ctx, frame, previous, alpha) => {
  ctx.save();
  for (const { x, y, w, h, class: kind } of mixEntities(frame, previous, alpha)) {
    fillBox(ctx, x, y, w, h, 6, CLASS_COLORS[kind]);
  }
  const { x, y, w, h } = frame.pawn;
  const before = previous?.pawn ?? frame.pawn;
  fillBox(ctx, mix(before.x, x, alpha), mix(before.y, y, alpha), w, h, 8, "#ff5d73");
  drawStatus(ctx, frame, 480);
  ctx.restore();
};
