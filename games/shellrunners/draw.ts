/** Shellrunners on a canvas: a crab on the wet sand between two arms of a river. */
import type { PlayFrame, StatusVisibility } from "../game.ts";
import {
  drawGlow,
  drawStatus,
  fillEllipse,
  fillRoundedRect,
  lerp,
  lerpEntities,
  lerpField,
  parabolicWave,
} from "../paint.ts";
import { drawEntity, drawPowerUpIcon } from "./draw-entities.ts";
import { PAWN, WORLD } from "./world.ts";

interface PowerUpTimers {
  readonly speedMs: number;
  readonly shieldMs: number;
  readonly slowMs: number;
}

export function draw(
  ctx: CanvasRenderingContext2D,
  frame: PlayFrame,
  previous: PlayFrame | null,
  alpha: number,
  status: StatusVisibility = "with_status",
): void {
  const distance = lerpField(frame, previous, "distance", alpha);
  const powers = frame.powerUps as PowerUpTimers;
  ctx.save();
  ctx.beginPath();
  ctx.rect(0, 0, WORLD.width, WORLD.height);
  ctx.clip();
  drawSand(ctx, distance);
  drawWater(ctx, distance, -1);
  drawWater(ctx, distance, 1);
  if (powers.speedMs > 0) drawStreaks(ctx, distance);
  for (const entity of lerpEntities(frame, previous, alpha)) drawEntity(ctx, entity, distance);
  drawCrab(ctx, frame, previous, alpha, powers);
  if (powers.slowMs > 0) {
    ctx.fillStyle = "rgba(120,80,200,0.12)";
    ctx.fillRect(0, 0, WORLD.width, WORLD.height);
  }
  if (status === "with_status") drawStatus(ctx, frame, WORLD.width);
  drawPowerUpTimers(ctx, powers);
  ctx.restore();
}

function drawSand(ctx: CanvasRenderingContext2D, distance: number): void {
  // The light goes from noon to evening and back as the run gets longer.
  const evening = (parabolicWave(distance / 40_000 - 0.25) + 1) / 2;
  const sand = ctx.createLinearGradient(0, 0, 0, WORLD.height);
  sand.addColorStop(0, `hsl(${lerp(44, 18, evening)} 62% ${lerp(80, 58, evening)}%)`);
  sand.addColorStop(1, `hsl(${lerp(40, 12, evening)} 55% ${lerp(70, 46, evening)}%)`);
  ctx.fillStyle = sand;
  ctx.fillRect(0, 0, WORLD.width, WORLD.height);
  ctx.lineWidth = 3;
  ctx.strokeStyle = "rgba(120,80,40,0.13)";
  for (let y = (distance % 90) - 90; y < WORLD.height; y += 90) {
    const n = Math.floor((y - distance) / 90);
    ctx.beginPath();
    ctx.moveTo(0, y);
    ctx.quadraticCurveTo(120, y + 22 * parabolicWave(n * 0.31), 240, y);
    ctx.quadraticCurveTo(360, y - 22 * parabolicWave(n * 0.31), 480, y);
    ctx.stroke();
    for (let i = 0; i < 3; i += 1) {
      const x = (((n * 151 + i * 173) % 440) + 440) % 440;
      fillEllipse(ctx, x + 20, y + 20 + i * 24, 3, 2, "rgba(110,70,40,0.22)");
    }
  }
}

/** Water along one bank (-1 left, 1 right) with a line of foam. It lies outside of where the crab's center can be. */
function drawWater(ctx: CanvasRenderingContext2D, distance: number, side: -1 | 1): void {
  const edge = side < 0 ? 0 : WORLD.width;
  const shore = (y: number): number => edge - side * (13 + 5 * parabolicWave((y - distance) / 210 + (side + 1) / 5));
  const layers = [
    { shift: 6, fill: "rgba(255,255,255,0.6)" },
    { shift: 0, fill: "#3aa6b9" },
    { shift: -6, fill: "#2d8aa6" },
  ];
  for (const { shift, fill } of layers) {
    ctx.fillStyle = fill;
    ctx.beginPath();
    ctx.moveTo(edge, 0);
    for (let y = 0; y <= WORLD.height; y += 20) ctx.lineTo(shore(y) - side * shift, y);
    ctx.lineTo(edge, WORLD.height);
    ctx.fill();
  }
}

function drawStreaks(ctx: CanvasRenderingContext2D, distance: number): void {
  ctx.fillStyle = "rgba(255,255,255,0.35)";
  for (let i = 0; i < 14; i += 1) {
    const y = (i * 137 + distance * 1.8) % (WORLD.height + 90);
    ctx.fillRect(30 + ((i * 73) % 420), y - 90, 3, 60);
  }
}

function drawPowerUpTimers(ctx: CanvasRenderingContext2D, powers: PowerUpTimers): void {
  const active = [
    ["power_speed", powers.speedMs / 5000],
    ["power_shield", powers.shieldMs / 10_000],
    ["power_slow", powers.slowMs / 5000],
  ] as const;
  let x = 30;
  for (const [kind, fraction] of active) {
    if (fraction <= 0) continue;
    fillEllipse(ctx, x, 80, 15, 15, "rgba(255,255,255,0.85)");
    drawPowerUpIcon(ctx, kind, x, 80);
    ctx.beginPath();
    ctx.arc(x, 80, 17, -Math.PI / 2, -Math.PI / 2 + Math.PI * 2 * Math.min(1, fraction));
    ctx.stroke();
    x += 42;
  }
}

function drawCrab(
  ctx: CanvasRenderingContext2D,
  frame: PlayFrame,
  previous: PlayFrame | null,
  alpha: number,
  powers: PowerUpTimers,
): void {
  const velocity = Number(frame.pawn.velocityX ?? 0);
  const distance = lerpField(frame, previous, "distance", alpha);
  const invulnerableMs = Number(frame.invulnerableMs ?? 0);
  ctx.save();
  ctx.translate(lerp(previous?.pawn.x ?? frame.pawn.x, frame.pawn.x, alpha), frame.pawn.y);
  fillEllipse(ctx, 3, 8, 22, 14, "rgba(60,35,20,0.25)");
  ctx.rotate(velocity / 1500);
  if (invulnerableMs > 0) ctx.globalAlpha = 0.6 + 0.4 * parabolicWave(invulnerableMs / 240);
  ctx.strokeStyle = "#b5382a";
  ctx.lineWidth = 4;
  ctx.lineCap = "round";
  for (const side of [-1, 1]) {
    for (let leg = 0; leg < 3; leg += 1) {
      const lift = 4 * parabolicWave(distance / 46 + leg / 3 + (side > 0 ? 0.5 : 0));
      ctx.beginPath();
      ctx.moveTo(side * 12, -2 + leg * 6);
      ctx.lineTo(side * 20, -4 + leg * 8 + lift);
      ctx.lineTo(side * 23, 4 + leg * 8 + lift);
      ctx.stroke();
    }
    ctx.beginPath();
    ctx.moveTo(side * 12, -8);
    ctx.lineTo(side * 19, -18);
    ctx.stroke();
    const open = 2 + 2 * parabolicWave(distance / 300);
    fillEllipse(ctx, side * 19 - open, -23, 5, 8, "#e5533d");
    fillEllipse(ctx, side * 19 + open, -22, 4, 7, "#c8402d");
  }
  const shell = ctx.createRadialGradient(-5, -6, 2, 0, 0, 22);
  shell.addColorStop(0, "#ff9a76");
  shell.addColorStop(1, "#d1422e");
  fillEllipse(ctx, 0, 0, PAWN.w / 2 - 1, PAWN.h / 2, shell);
  for (const spot of [-7, 0, 7]) fillEllipse(ctx, spot, 5 - Math.abs(spot) / 3, 2, 2, "rgba(255,230,200,0.6)");
  for (const side of [-1, 1]) {
    fillRoundedRect(ctx, side * 6, -15, 3, 9, 1, "#b5382a");
    fillEllipse(ctx, side * 6, -20, 4.5, 4.5, "#ffffff");
    fillEllipse(ctx, side * 6 + velocity / 260, -21, 2.2, 2.2, "#20232a");
  }
  ctx.globalAlpha = 1;
  if (powers.shieldMs > 0) {
    ctx.strokeStyle = "rgba(76,201,240,0.9)";
    ctx.lineWidth = 3;
    ctx.beginPath();
    ctx.arc(0, -3, 33 + parabolicWave(distance / 90), 0, Math.PI * 2);
    ctx.stroke();
    drawGlow(ctx, 0, -3, 34, "rgba(76,201,240,0.35)");
  }
  ctx.restore();
}
