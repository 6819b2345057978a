/** Draws pictures with the games' drawing code, in a separate thread. */
import { createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import { parseSeed, runInputs } from "../../../domain/replay/verify.ts";
import type { Game, GameState } from "../../../games/game.ts";
import type { GameList } from "../../../games/index.ts";
import { toPlayFrame } from "../../../games/play-frame.ts";
import type { PictureTask } from "../../ports/system.ts";

/** The size of link previews. */
const SHARE = { width: 1200, height: 630, margin: 48 } as const;
const POSTER_LONG_SIDE = 720;
/** The end of a run shows the most, but its last tick shows only the loss. */
const TELLING_SHARE = 0.8;
const DEMO_SECONDS = 20;
const FONT = '"DejaVu Sans", "Liberation Sans", "Noto Sans", "Noto Color Emoji", sans-serif';

const copyState = (state: GameState): GameState => JSON.parse(JSON.stringify(state)) as GameState;

function findMoment(game: Game, { replay, tick }: PictureTask): { state: GameState; previous: GameState | null } {
  if (replay === null) return playDemo(game);
  const wanted = Math.max(0, Math.min(replay.ticks, tick ?? Math.floor(replay.ticks * TELLING_SHARE)));
  let state = game.init(parseSeed(replay.seed), replay.tickHz);
  let previous: GameState | null = null;
  runInputs(game, { ...replay, ticks: wanted }, (now) => {
    if (now.tick >= wanted - 1) [previous, state] = [state, copyState(now)];
  });
  return { state, previous };
}

/** Always plays the same run. */
function playDemo(game: Game): { state: GameState; previous: GameState | null } {
  const state = game.init(new Uint8Array(32).fill(7), game.tickHz);
  const bot = game.bots.reference();
  let previous: GameState | null = null;
  while (!state.over && state.tick < DEMO_SECONDS * game.tickHz) {
    const message = JSON.stringify(bot(toPlayFrame(game, state)));
    const input = game.inputs.find((one) => one.mode !== "idle" && JSON.stringify(one.message) === message);
    previous = copyState(state);
    game.step(state, input === undefined ? [] : [input.code]);
  }
  return { state, previous };
}

function drawGame(ctx: SKRSContext2D, game: Game, task: PictureTask, scale: number): void {
  const { state, previous } = findMoment(game, task);
  const frame = toPlayFrame(game, state);
  ctx.save();
  ctx.scale(scale, scale);
  ctx.beginPath();
  ctx.rect(0, 0, game.world.width, game.world.height);
  ctx.clip();
  ctx.fillStyle = "#0a1011";
  ctx.fillRect(0, 0, game.world.width, game.world.height);
  const canvasContext = ctx as unknown as CanvasRenderingContext2D;
  game.draw?.(canvasContext, frame, previous === null ? null : toPlayFrame(game, previous), 1, "without_status");
  ctx.restore();
}

/** As large as fits; text that is too long at the smallest size is cut. */
function drawLine(ctx: SKRSContext2D, text: string, at: { x: number; y: number; width: number; size: number }): void {
  let { size } = at;
  const setFont = () => {
    ctx.font = `600 ${size}px ${FONT}`;
  };
  setFont();
  while (size > 22 && ctx.measureText(text).width > at.width) {
    size -= 2;
    setFont();
  }
  const characters = [...text];
  let shown = text;
  while (characters.length > 1 && ctx.measureText(shown).width > at.width) {
    characters.pop();
    shown = `${characters.join("")}…`;
  }
  ctx.fillText(shown, at.x, at.y);
}

function drawShare(game: Game, task: PictureTask, lines: readonly string[]) {
  const canvas = createCanvas(SHARE.width, SHARE.height);
  const ctx = canvas.getContext("2d");
  ctx.fillStyle = "#0f1719";
  ctx.fillRect(0, 0, SHARE.width, SHARE.height);
  const { width, height } = game.world;
  const scale = Math.min((SHARE.width * 0.6) / width, SHARE.height / height);
  ctx.save();
  ctx.translate(0, (SHARE.height - height * scale) / 2);
  drawGame(ctx, game, task, scale);
  ctx.restore();
  const x = width * scale + SHARE.margin;
  ctx.fillStyle = "#ff8360";
  drawLine(ctx, "AGENT ARCADE", { x, y: 110, width: SHARE.width - x - SHARE.margin, size: 30 });
  ctx.textBaseline = "alphabetic";
  for (const [index, line] of lines.entries()) {
    ctx.fillStyle = index === 0 ? "#ece9dd" : index === 1 ? "#f2d7a0" : "#9db0aa";
    const size = index < 2 ? 60 : 32;
    drawLine(ctx, line, { x, y: 230 + index * 88, width: SHARE.width - x - SHARE.margin, size });
  }
  return canvas;
}

function drawPoster(game: Game, task: PictureTask) {
  const { width, height } = game.world;
  const scale = POSTER_LONG_SIDE / Math.max(width, height);
  const canvas = createCanvas(Math.round(width * scale), Math.round(height * scale));
  drawGame(canvas.getContext("2d"), game, task, scale);
  return canvas;
}

/** `gamesUrl`: the module of the games' rules. */
export default async function draw({ task, gamesUrl }: { task: PictureTask; gamesUrl: string }): Promise<Uint8Array> {
  const { getRules } = (await import(gamesUrl)) as Pick<GameList, "getRules">;
  const game = getRules(task.slug, task.rulesVersion);
  if (!game) throw new Error(`there are no rules ${task.slug} ${task.rulesVersion}`);
  const canvas = task.lines === null ? drawPoster(game, task) : drawShare(game, task, task.lines);
  return canvas.encode("png");
}
