/** What lies on the river bank, one figure each. */
import type { Entity } from "../game.ts";
import { drawGlow, fillEllipse, fillRoundedRect, parabolicWave } from "../paint.ts";
import { WORLD } from "./world.ts";

const POWER_UP_COLORS: { readonly [kind: string]: string } = {
  power_speed: "#ff9f1c",
  power_shield: "#4cc9f0",
  power_slow: "#b388eb",
};

/** Draws one entity of a frame; what is off the screen is left out. */
export function drawEntity(ctx: CanvasRenderingContext2D, entity: Entity, distance: number): void {
  const { x, y, w, h } = entity;
  if (y < -h || y > WORLD.height + h) return;
  if (entity.class === "obstacle") fillEllipse(ctx, x + 4, y + 6, w / 2, h / 2, "rgba(60,35,20,0.25)");
  if (entity.kind === "rock") drawRock(ctx, entity);
  else if (entity.kind === "log") drawLog(ctx, entity);
  else if (entity.kind === "starfish") drawStarfish(ctx, x, y, distance);
  else if (entity.kind === "pearl") {
    drawGlow(ctx, x, y, 18, "rgba(255,255,255,0.8)");
    fillEllipse(ctx, x, y, 9, 9, "#f3ecff");
    fillEllipse(ctx, x - 3, y - 3, 3, 3, "#ffffff");
  } else drawPowerUp(ctx, entity, distance);
}

function drawRock(ctx: CanvasRenderingContext2D, { id, x, y, w, h, vx }: Entity): void {
  const body = ctx.createLinearGradient(0, y - h / 2, 0, y + h / 2);
  body.addColorStop(0, vx ? "#a98467" : "#9aa3ad");
  body.addColorStop(1, vx ? "#5e4634" : "#525b66");
  fillRoundedRect(ctx, x, y, w, h, [18, 14, 20, 16][id % 4]!, body);
  fillEllipse(ctx, x - w / 6, y - h / 5, w / 5, h / 9, "rgba(255,255,255,0.35)");
  fillEllipse(ctx, x + w / 5, y + h / 6, 4, 3, "rgba(20,20,30,0.25)");
}

function drawLog(ctx: CanvasRenderingContext2D, { x, y, w, h, vx }: Entity): void {
  const bark = ctx.createLinearGradient(0, y - h / 2, 0, y + h / 2);
  bark.addColorStop(0, "#9c6b3f");
  bark.addColorStop(0.5, "#7b4f2b");
  bark.addColorStop(1, "#4f311a");
  fillRoundedRect(ctx, x, y, w, h, 12, bark);
  ctx.fillStyle = "rgba(40,22,10,0.35)";
  for (let i = -2; i <= 1; i += 1) ctx.fillRect(x + i * 28, y - 8 + (i & 1) * 12, 20, 3);
  for (const end of [-1, 1]) {
    fillEllipse(ctx, x + end * (w / 2 - 8), y, 8, h / 2 - 2, "#d9a566");
    fillEllipse(ctx, x + end * (w / 2 - 8), y, 4, h / 4 - 1, "#a8743f");
  }
  if (vx) fillEllipse(ctx, x - Math.sign(vx) * (w / 2 - 2), y + h / 2, 12, 4, "rgba(255,255,255,0.5)");
}

function drawStarfish(ctx: CanvasRenderingContext2D, x: number, y: number, distance: number): void {
  drawGlow(ctx, x, y, 28, "rgba(255,220,140,0.7)");
  ctx.save();
  ctx.translate(x, y);
  ctx.rotate(distance / 240);
  for (let arm = 0; arm < 5; arm += 1) {
    ctx.fillStyle = "#ff7b54";
    ctx.beginPath();
    ctx.moveTo(-7, 0);
    ctx.quadraticCurveTo(-4, -12, 0, -18);
    ctx.quadraticCurveTo(4, -12, 7, 0);
    ctx.fill();
    fillEllipse(ctx, 0, -9, 1.8, 1.8, "#ffd9a0");
    ctx.rotate((Math.PI * 2) / 5);
  }
  fillEllipse(ctx, 0, 0, 7, 7, "#ff7b54");
  fillEllipse(ctx, 0, 0, 2.5, 2.5, "#ffd9a0");
  ctx.restore();
}

function drawPowerUp(ctx: CanvasRenderingContext2D, { kind, x, y }: Entity, distance: number): void {
  const color = POWER_UP_COLORS[kind] ?? "#ffffff";
  drawGlow(ctx, x, y, 32 + 3 * parabolicWave(distance / 120), color);
  fillEllipse(ctx, x, y, 16, 16, color);
  fillEllipse(ctx, x, y, 13, 13, "rgba(255,255,255,0.85)");
  drawPowerUpIcon(ctx, kind, x, y);
}

/** The sign of a power-up: arrows, a shield, or the hands of a clock. */
export function drawPowerUpIcon(ctx: CanvasRenderingContext2D, kind: string, x: number, y: number): void {
  ctx.strokeStyle = POWER_UP_COLORS[kind] ?? "#ffffff";
  ctx.lineWidth = 3;
  ctx.lineCap = "round";
  ctx.beginPath();
  if (kind === "power_speed") {
    for (const dy of [-5, 2]) {
      ctx.moveTo(x - 6, y + dy + 5);
      ctx.lineTo(x, y + dy);
      ctx.lineTo(x + 6, y + dy + 5);
    }
  } else if (kind === "power_shield") {
    ctx.moveTo(x - 6, y - 6);
    ctx.lineTo(x + 6, y - 6);
    ctx.quadraticCurveTo(x + 7, y + 4, x, y + 8);
    ctx.quadraticCurveTo(x - 7, y + 4, x - 6, y - 6);
  } else {
    ctx.moveTo(x, y);
    ctx.lineTo(x, y - 7);
    ctx.moveTo(x, y);
    ctx.lineTo(x + 5, y + 3);
  }
  ctx.stroke();
}
