/** Draws a frame of any game. */
import type { Game } from "../../games/game.ts";
import { drawFallback } from "./fallback-drawing.ts";
import type { Sample } from "./timeline.ts";

/** In world units: the caller sets the scale, and shows lives, hunger and score. Falls back to a plain drawing. */
export function drawSample(ctx: CanvasRenderingContext2D, game: Game, { frame, previous, alpha, ghost }: Sample): void {
  if (game.draw === undefined) drawFallback(ctx, frame, previous, alpha, game.world);
  else game.draw(ctx, frame, previous, alpha, "without_status");
  if (ghost != null) drawGhost(ctx, ghost);
}

/** An outline over the picture. */
function drawGhost(ctx: CanvasRenderingContext2D, { x, y, w, h }: NonNullable<Sample["ghost"]>): void {
  ctx.save();
  ctx.beginPath();
  ctx.ellipse(x, y, w * 0.6, h * 0.6, 0, 0, 2 * Math.PI);
  ctx.fillStyle = "#ece9dd55";
  ctx.fill();
  ctx.lineWidth = Math.max(w, h) / 16;
  ctx.setLineDash([w / 5, w / 8]);
  ctx.strokeStyle = "#ffffff";
  ctx.stroke();
  ctx.restore();
}
