/** Flappybots on a canvas: a robot over a city, from dawn into the night as the distance grows. */
import type { Entity, PlayFrame, StatusVisibility } from "../game.ts";
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
import { PAWN, PIPE, WORLD } from "./world.ts";

const SKY_PERIOD = 24_000;
/** The sky's top and bottom through a day: red, green and blue of each. */
const SKIES = [
  [92, 170, 226, 250, 226, 180],
  [50, 120, 205, 178, 224, 240],
  [92, 62, 148, 250, 158, 116],
  [16, 20, 58, 62, 58, 128],
] as const;

export function draw(
  ctx: CanvasRenderingContext2D,
  frame: PlayFrame,
  previous: PlayFrame | null,
  alpha: number,
  status: StatusVisibility = "with_status",
): void {
  const distance = lerpField(frame, previous, "distance", alpha);
  ctx.save();
  ctx.beginPath();
  ctx.rect(0, 0, WORLD.width, WORLD.height);
  ctx.clip();
  drawSky(ctx, distance);
  drawCity(ctx, distance * 0.12, 150, 0.18, 61);
  drawCity(ctx, distance * 0.3, 90, 0.34, 37);
  const entities = lerpEntities(frame, previous, alpha);
  for (const entity of entities) if (entity.class === "obstacle") drawPipe(ctx, entity, distance);
  drawGround(ctx, distance);
  for (const entity of entities) {
    if (entity.kind === "battery") drawBattery(ctx, entity, distance);
    else if (entity.kind === "gear") drawGear(ctx, entity, distance);
  }
  drawBot(ctx, frame, previous, alpha);
  if (status === "with_status") drawStatus(ctx, frame, WORLD.width);
  ctx.restore();
}

function drawSky(ctx: CanvasRenderingContext2D, distance: number): void {
  const phase = ((distance % SKY_PERIOD) / SKY_PERIOD) * SKIES.length;
  const from = SKIES[Math.floor(phase) % SKIES.length]!;
  const to = SKIES[(Math.floor(phase) + 1) % SKIES.length]!;
  const getChannel = (i: number): number => lerp(from[i]!, to[i]!, phase % 1);
  const sky = ctx.createLinearGradient(0, 0, 0, WORLD.height);
  sky.addColorStop(0, `rgb(${getChannel(0)} ${getChannel(1)} ${getChannel(2)})`);
  sky.addColorStop(1, `rgb(${getChannel(3)} ${getChannel(4)} ${getChannel(5)})`);
  ctx.fillStyle = sky;
  ctx.fillRect(0, 0, WORLD.width, WORLD.height);
  const nightAlpha = Math.max(0, 1 - getChannel(1) / 70);
  if (nightAlpha > 0) {
    for (let i = 0; i < 40; i += 1) {
      const x = WORLD.width - ((i * 211 + distance * 0.03) % (WORLD.width + 20));
      ctx.globalAlpha = nightAlpha * (0.5 + 0.5 * parabolicWave(i * 0.37 + distance / 900));
      fillEllipse(ctx, x, (i * 97) % 260, 1.4, 1.4, "#ffffff");
    }
    ctx.globalAlpha = 1;
  }
  drawGlow(ctx, 600, 120, 110, nightAlpha > 0.3 ? "rgba(230,235,255,0.55)" : "rgba(255,246,214,0.75)");
  fillEllipse(ctx, 600, 120, 30, 30, nightAlpha > 0.3 ? "#eef0ff" : "#fff3cf");
}

/** A row of towers; `seedStep` makes the rows differ. */
function drawCity(
  ctx: CanvasRenderingContext2D,
  shift: number,
  height: number,
  strength: number,
  seedStep: number,
): void {
  const width = 58;
  const first = Math.floor(shift / width);
  for (let i = 0; i <= WORLD.width / width + 1; i += 1) {
    const n = first + i;
    const x = n * width - shift;
    const tower = height * (0.45 + (((n * seedStep) % 11) + 11) / 22);
    ctx.fillStyle = `rgba(22,30,66,${strength})`;
    ctx.fillRect(x, WORLD.height - tower, width - 6, tower);
    ctx.fillStyle = `rgba(255,226,150,${strength * 0.9})`;
    for (let row = 0; row < 4; row += 1) {
      if ((n + row * 3) % 3 !== 0)
        ctx.fillRect(x + 10 + ((row + n) & 1) * 18, WORLD.height - tower + 14 + row * 20, 8, 8);
    }
  }
}

function drawGround(ctx: CanvasRenderingContext2D, distance: number): void {
  ctx.fillStyle = "rgba(14,22,48,0.85)";
  ctx.fillRect(0, WORLD.height - 10, WORLD.width, 10);
  ctx.fillStyle = "#ffc857";
  for (let x = -(distance % 48); x < WORLD.width; x += 48) ctx.fillRect(x, WORLD.height - 10, 22, 3);
}

function drawPipe(ctx: CanvasRenderingContext2D, pipe: Entity, distance: number): void {
  const left = pipe.x - PIPE.w / 2;
  const hue = (170 + distance / 90) % 360;
  const gradient = ctx.createLinearGradient(left, 0, left + PIPE.w, 0);
  gradient.addColorStop(0, `hsl(${hue} 34% 24%)`);
  gradient.addColorStop(0.35, `hsl(${hue} 40% 52%)`);
  gradient.addColorStop(1, `hsl(${hue} 40% 18%)`);
  const isTop = pipe.kind === "pipe_top";
  const openingY = isTop ? pipe.y + PIPE.h / 2 : pipe.y - PIPE.h / 2;
  ctx.fillStyle = gradient;
  ctx.fillRect(left + 4, pipe.y - PIPE.h / 2, PIPE.w - 8, PIPE.h);
  ctx.fillStyle = "rgba(8,14,34,0.25)";
  for (let i = 1; i < 8; i += 1) ctx.fillRect(left + 4, openingY + (isTop ? -1 : 1) * (22 + i * 52), PIPE.w - 8, 4);
  fillRoundedRect(ctx, pipe.x, openingY + (isTop ? -11 : 11), PIPE.w, 22, 5, gradient);
  // A lit rim shows the true edge, and by its color whether the gate moves.
  ctx.fillStyle = pipe.vy ? "#ff8c5a" : "#9ff3ff";
  ctx.fillRect(left + 3, isTop ? openingY - 4 : openingY, PIPE.w - 6, 4);
}

function drawBattery(ctx: CanvasRenderingContext2D, item: Entity, distance: number): void {
  drawGlow(ctx, item.x, item.y, 30 + 4 * parabolicWave(distance / 160), "rgba(123,255,160,0.75)");
  fillRoundedRect(ctx, item.x, item.y - 13, 9, 6, 2, "#e8fff0");
  fillRoundedRect(ctx, item.x, item.y + 1, 19, 25, 4, "#1d3b36");
  fillRoundedRect(ctx, item.x, item.y + 1, 15, 21, 3, "#59e391");
  ctx.fillStyle = "#f6fff9";
  ctx.beginPath();
  ctx.moveTo(item.x + 2, item.y - 8);
  ctx.lineTo(item.x - 5, item.y + 3);
  ctx.lineTo(item.x - 1, item.y + 3);
  ctx.lineTo(item.x - 2, item.y + 10);
  ctx.lineTo(item.x + 5, item.y - 1);
  ctx.lineTo(item.x + 1, item.y - 1);
  ctx.fill();
}

function drawGear(ctx: CanvasRenderingContext2D, item: Entity, distance: number): void {
  ctx.save();
  ctx.translate(item.x, item.y);
  ctx.rotate(distance / 60);
  for (let i = 0; i < 8; i += 1) {
    fillRoundedRect(ctx, 0, -10.5, 5, 5, 1, "#ffd166");
    ctx.rotate(Math.PI / 4);
  }
  fillEllipse(ctx, 0, 0, 9.5, 9.5, "#ffb703");
  fillEllipse(ctx, 0, 0, 4, 4, "#7a4b00");
  ctx.restore();
}

function drawBot(ctx: CanvasRenderingContext2D, frame: PlayFrame, previous: PlayFrame | null, alpha: number): void {
  const bot = frame.bot as { x: number; y: number; rotation: number };
  const previousBot = (previous?.bot as typeof bot | undefined) ?? bot;
  const distance = lerpField(frame, previous, "distance", alpha);
  const invulnerableMs = Number(frame.invulnerableMs ?? 0);
  ctx.save();
  ctx.translate(bot.x, lerp(previousBot.y, bot.y, alpha));
  if (invulnerableMs > 0) drawGlow(ctx, 0, 0, 40, "rgba(160,220,255,0.8)");
  ctx.rotate((lerp(previousBot.rotation, bot.rotation, alpha) * Math.PI) / 240);
  if (invulnerableMs > 0) ctx.globalAlpha = 0.6 + 0.4 * parabolicWave(invulnerableMs / 240);
  if (frame.latestAction === "FLAP") {
    drawGlow(ctx, -8, 20, 20, "rgba(255,190,90,0.95)");
    fillEllipse(ctx, -8, 18, 4, 9, "#fff1c4");
  }
  const wingOffset = frame.latestAction === "FLAP" ? 9 : -5 + 3 * parabolicWave(distance / 70);
  ctx.fillStyle = "#ffd166";
  ctx.beginPath();
  ctx.moveTo(-4, -2);
  ctx.quadraticCurveTo(-20, -10 + wingOffset, -25, -4 + wingOffset * 1.6);
  ctx.quadraticCurveTo(-16, 4 + wingOffset, -4, 6);
  ctx.fill();
  const shell = ctx.createLinearGradient(0, -PAWN.h / 2, 0, PAWN.h / 2);
  shell.addColorStop(0, "#fdfdff");
  shell.addColorStop(1, "#9fb4d8");
  ctx.strokeStyle = "#33415e";
  ctx.lineWidth = 2;
  ctx.beginPath();
  ctx.moveTo(-2, -13);
  ctx.lineTo(-6, -21);
  ctx.stroke();
  fillEllipse(ctx, -6, -22, 3, 3, invulnerableMs > 0 ? "#8be9fd" : "#ff5d73");
  fillRoundedRect(ctx, 0, 0, PAWN.w, PAWN.h, 12, shell);
  fillRoundedRect(ctx, 7, -2, 19, 13, 6, "#1c2742");
  const eyeHeight = parabolicWave(distance / 700) > 0.985 ? 0.8 : 3.4;
  fillEllipse(ctx, 4, -2, 2.6, eyeHeight, "#6ef3ff");
  fillEllipse(ctx, 11, -2, 2.6, eyeHeight, "#6ef3ff");
  fillRoundedRect(ctx, -8, 9, 12, 3, 1.5, "#ff8c5a");
  ctx.restore();
}
