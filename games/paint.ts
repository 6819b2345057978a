/** Drawing helpers the games share. They draw in world units: the caller's transform maps the world onto the canvas. */
import type { Entity, PlayFrame } from "./game.ts";

/** The value between two others. */
export function lerp(from: number, to: number, alpha: number): number {
  return from + (to - from) * alpha;
}

/** A number field of a frame between the two frames; jumps where the earlier one lacks it or is not of this run. */
export function lerpField(frame: PlayFrame, previous: PlayFrame | null, field: string, alpha: number): number {
  const value = Number(frame[field] ?? 0);
  const previousValue = previous?.[field];
  return typeof previousValue === "number" && previousValue <= value ? lerp(previousValue, value, alpha) : value;
}

/** Entities at the moment between the frames; an entity that is only in the newer frame keeps its position there. */
export function lerpEntities(frame: PlayFrame, previous: PlayFrame | null, alpha: number): Entity[] {
  if (!previous || previous.tick >= frame.tick) return [...frame.entities];
  const previousById = new Map(previous.entities.map((entity) => [entity.id, entity]));
  return frame.entities.map((entity) => {
    const previousEntity = previousById.get(entity.id);
    return previousEntity
      ? { ...entity, x: lerp(previousEntity.x, entity.x, alpha), y: lerp(previousEntity.y, entity.y, alpha) }
      : entity;
  });
}

/** A wave between -1 and 1 with period 1, made of parabolas. */
export function parabolicWave(phase: number): number {
  const t = (phase - Math.floor(phase)) * 2;
  return t < 1 ? 4 * t * (1 - t) : -4 * (t - 1) * (2 - t);
}

/** Fills a rounded box given by its center. */
export function fillRoundedRect(
  ctx: CanvasRenderingContext2D,
  x: number,
  y: number,
  w: number,
  h: number,
  radius: number,
  fill: string | CanvasGradient,
): void {
  ctx.fillStyle = fill;
  ctx.beginPath();
  ctx.roundRect(x - w / 2, y - h / 2, w, h, radius);
  ctx.fill();
}

/** Fills an ellipse given by its center. */
export function fillEllipse(
  ctx: CanvasRenderingContext2D,
  x: number,
  y: number,
  rx: number,
  ry: number,
  fill: string | CanvasGradient,
): void {
  ctx.fillStyle = fill;
  ctx.beginPath();
  ctx.ellipse(x, y, rx, ry, 0, 0, Math.PI * 2);
  ctx.fill();
}

/** A soft round light. */
export function drawGlow(ctx: CanvasRenderingContext2D, x: number, y: number, radius: number, color: string): void {
  const light = ctx.createRadialGradient(x, y, 0, x, y, radius);
  light.addColorStop(0, color);
  light.addColorStop(1, "rgba(255,255,255,0)");
  fillEllipse(ctx, x, y, radius, radius, light);
}

/** Hearts, hunger bar and score along the upper edge. */
export function drawStatus(ctx: CanvasRenderingContext2D, frame: PlayFrame, width: number): void {
  ctx.save();
  for (let i = 0; i < frame.livesMax; i += 1) {
    drawHeart(ctx, 24 + i * 24, 24, i < frame.lives ? "#ff5d73" : "rgba(255,255,255,0.28)");
  }
  const remaining = 1 - frame.hunger / frame.hungerMax;
  fillRoundedRect(ctx, 72, 48, 120, 10, 5, "rgba(10,20,40,0.35)");
  if (remaining > 0) {
    const color = remaining > 0.5 ? "#7bd88f" : remaining > 0.25 ? "#ffc857" : "#ff5d73";
    fillRoundedRect(ctx, 12 + remaining * 60, 48, remaining * 120, 10, 5, color);
  }
  ctx.fillStyle = "#ffffff";
  ctx.strokeStyle = "rgba(10,20,40,0.55)";
  ctx.lineWidth = 4;
  ctx.lineJoin = "round";
  ctx.font = "700 26px system-ui, sans-serif";
  ctx.textAlign = "right";
  ctx.textBaseline = "middle";
  ctx.strokeText(String(frame.score.current), width - 14, 26);
  ctx.fillText(String(frame.score.current), width - 14, 26);
  const streak = Number(frame.streak ?? 0);
  if (streak > 1) {
    ctx.font = "600 15px system-ui, sans-serif";
    ctx.strokeText(`streak ${streak}`, width - 14, 50);
    ctx.fillText(`streak ${streak}`, width - 14, 50);
  }
  ctx.restore();
}

function drawHeart(ctx: CanvasRenderingContext2D, x: number, y: number, color: string): void {
  ctx.fillStyle = color;
  ctx.beginPath();
  ctx.moveTo(x, y + 9);
  ctx.bezierCurveTo(x - 16, y - 2, x - 7, y - 13, x, y - 5);
  ctx.bezierCurveTo(x + 7, y - 13, x + 16, y - 2, x, y + 9);
  ctx.fill();
}
