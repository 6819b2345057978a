/** Draws a moment of any game. */
import type { Game } from "../../games/game.ts";
import { drawFallback } from "./fallback-drawing.ts";
import type { Sample } from "./timeline.ts";

/** Draws in world units; the caller has set the scale, and shows lives, hunger and score itself. A game without a drawing gets a plain one. */
export function drawSample(ctx: CanvasRenderingContext2D, game: Game, { frame, previous, alpha }: Sample): void {
  if (game.draw === undefined) drawFallback(ctx, frame, previous, alpha, game.world);
  else game.draw(ctx, frame, previous, alpha, "without_status");
}
