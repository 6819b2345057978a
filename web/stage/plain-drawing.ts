/** Draws any game from its frames' classes alone: what a game looks like until it has a drawing of its own. */
import type { Entity, EntityClass, PlayFrame } from "../../backend/games/game.ts";

const COLOURS: { readonly [kind in EntityClass]: string } = {
  food: "#f2d7a0",
  collectible: "#7fe0b0",
  powerup: "#8fc7ff",
  obstacle: "#4d6468",
  gate: "#ffffff12",
};

const between = (from: number, to: number, alpha: number): number => from + (to - from) * alpha;

function drawEntity(ctx: CanvasRenderingContext2D, entity: Entity, before: Entity | undefined, alpha: number): void {
  const x = between(before?.x ?? entity.x, entity.x, alpha);
  const y = between(before?.y ?? entity.y, entity.y, alpha);
  ctx.fillStyle = COLOURS[entity.class];
  ctx.beginPath();
  const radius = entity.class === "obstacle" || entity.class === "gate" ? 8 : Math.min(entity.w, entity.h) / 2;
  ctx.roundRect(x - entity.w / 2, y - entity.h / 2, entity.w, entity.h, radius);
  ctx.fill();
}

/** In world units; the caller has set the scale. */
export function drawPlain(
  ctx: CanvasRenderingContext2D,
  frame: PlayFrame,
  previous: PlayFrame | null,
  alpha: number,
  world: { readonly width: number; readonly height: number },
): void {
  ctx.fillStyle = "#142a2f";
  ctx.fillRect(0, 0, world.width, world.height);
  const before = new Map(previous?.entities.map((entity) => [entity.id, entity]));
  for (const entity of frame.entities) drawEntity(ctx, entity, before.get(entity.id), alpha);
  const { pawn } = frame;
  const was = previous?.pawn ?? pawn;
  ctx.fillStyle = "#ff8360";
  ctx.beginPath();
  const x = between(was.x, pawn.x, alpha) - pawn.w / 2;
  ctx.roundRect(x, between(was.y, pawn.y, alpha) - pawn.h / 2, pawn.w, pawn.h, 10);
  ctx.fill();
}
