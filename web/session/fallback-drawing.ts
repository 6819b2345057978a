/** Draws a game that has no drawing, by the classes of its entities. */
import type { Entity, EntityClass, PlayFrame } from "../../games/game.ts";

const COLORS: { readonly [kind in EntityClass]: string } = {
  food: "#f2d7a0",
  collectible: "#7fe0b0",
  powerup: "#8fc7ff",
  obstacle: "#4d6468",
  gate: "#ffffff12",
};

const lerp = (from: number, to: number, alpha: number): number => from + (to - from) * alpha;

function drawEntity(ctx: CanvasRenderingContext2D, entity: Entity, previous: Entity | undefined, alpha: number): void {
  const x = lerp(previous?.x ?? entity.x, entity.x, alpha);
  const y = lerp(previous?.y ?? entity.y, entity.y, alpha);
  ctx.fillStyle = COLORS[entity.class];
  ctx.beginPath();
  const radius = entity.class === "obstacle" || entity.class === "gate" ? 8 : Math.min(entity.w, entity.h) / 2;
  ctx.roundRect(x - entity.w / 2, y - entity.h / 2, entity.w, entity.h, radius);
  ctx.fill();
}

/** In world units: the caller sets the scale. */
export function drawFallback(
  ctx: CanvasRenderingContext2D,
  frame: PlayFrame,
  previous: PlayFrame | null,
  alpha: number,
  world: { readonly width: number; readonly height: number },
): void {
  ctx.fillStyle = "#142a2f";
  ctx.fillRect(0, 0, world.width, world.height);
  const previousById = new Map(previous?.entities.map((entity) => [entity.id, entity]));
  for (const entity of frame.entities) drawEntity(ctx, entity, previousById.get(entity.id), alpha);
  const { pawn } = frame;
  const previousPawn = previous?.pawn ?? pawn;
  ctx.fillStyle = "#ff8360";
  ctx.beginPath();
  const x = lerp(previousPawn.x, pawn.x, alpha) - pawn.w / 2;
  ctx.roundRect(x, lerp(previousPawn.y, pawn.y, alpha) - pawn.h / 2, pawn.w, pawn.h, 10);
  ctx.fill();
}
