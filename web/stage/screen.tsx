/** A game's picture: a canvas that fills its box at the game's own proportions and draws as often as the display. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Game } from "../../backend/games/game.ts";
import { drawSample } from "./drawing.ts";
import type { Sample } from "./timeline.ts";

/** Sharper than this nobody sees, and it costs four times the work. */
const PIXEL_RATIO_MAX = 2;

interface ScreenProps {
  readonly game: Game;
  /** What to draw at a monotonic time; null draws nothing. */
  readonly sample: (nowMs: number) => Sample | null;
  /** False holds the picture. */
  readonly moving: boolean;
  /** What a person who cannot see it is told. */
  readonly label: string;
  readonly children?: ComponentChildren;
}

export function Screen({ game, sample, moving, label, children }: ScreenProps) {
  const canvasRef = useRef<HTMLCanvasElement>(null);
  const latest = useRef(sample);
  latest.current = sample;

  useEffect(() => {
    const canvas = canvasRef.current;
    const ctx = canvas?.getContext("2d");
    if (!canvas || !ctx) return;
    let request = 0;
    let visible = true;
    const paint = (nowMs: number): void => {
      const picture = latest.current(nowMs);
      if (picture === null) return;
      const scale = canvas.width / game.world.width;
      ctx.setTransform(scale, 0, 0, scale, 0, 0);
      drawSample(ctx, game, picture);
    };
    const loop = (nowMs: number): void => {
      paint(nowMs);
      request = requestAnimationFrame(loop);
    };
    const run = (): void => {
      cancelAnimationFrame(request);
      if (moving && visible) request = requestAnimationFrame(loop);
      else paint(performance.now());
    };
    const sizes = new ResizeObserver(() => {
      const ratio = Math.min(PIXEL_RATIO_MAX, devicePixelRatio || 1);
      const width = Math.max(1, Math.round(canvas.clientWidth * ratio));
      if (canvas.width !== width) {
        canvas.width = width;
        canvas.height = Math.round((width * game.world.height) / game.world.width);
      }
      paint(performance.now());
    });
    const sights = new IntersectionObserver(([entry]) => {
      visible = entry?.isIntersecting ?? true;
      run();
    });
    sizes.observe(canvas);
    sights.observe(canvas);
    run();
    return () => {
      cancelAnimationFrame(request);
      sizes.disconnect();
      sights.disconnect();
    };
  }, [game, moving]);

  const { width, height } = game.world;
  return (
    <div class="screen" style={`--world-width: ${width}; --world-height: ${height}`}>
      <canvas ref={canvasRef} role="img" aria-label={label} />
      {children}
    </div>
  );
}
