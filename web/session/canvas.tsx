/** A game's picture: a canvas that fills its box at the game's own proportions and draws as often as the display. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Game } from "../../games/game.ts";
import { drawSample } from "./drawing.ts";
import type { Sample } from "./timeline.ts";

/** A higher pixel ratio costs up to four times the work without a visible gain. */
const PIXEL_RATIO_MAX = 2;

interface GameCanvasProps {
  readonly game: Game;
  /** What to draw at a monotonic time; null draws nothing. */
  readonly sample: (nowMs: number) => Sample | null;
  /** False holds the picture. */
  readonly isAnimated: boolean;
  /** A held picture is painted again when this changes. */
  readonly version?: number;
  /** The description that screen readers read. */
  readonly label: string;
  /** Shown until the first picture is drawn. */
  readonly poster?: string;
  readonly children?: ComponentChildren;
}

export function GameCanvas({ game, sample, isAnimated, version = 0, label, poster, children }: GameCanvasProps) {
  const canvasRef = useRef<HTMLCanvasElement>(null);
  const paintRef = useRef<(nowMs: number) => void>(() => undefined);
  const sampleRef = useRef(sample);
  sampleRef.current = sample;

  useEffect(() => {
    const canvas = canvasRef.current;
    const ctx = canvas?.getContext("2d");
    if (!canvas || !ctx) return;
    let animationFrameId = 0;
    let isVisible = true;
    const paint = (nowMs: number): void => {
      const currentSample = sampleRef.current(nowMs);
      if (currentSample === null) return;
      canvas.dataset.drawn = "";
      const scale = canvas.width / game.world.width;
      ctx.setTransform(scale, 0, 0, scale, 0, 0);
      drawSample(ctx, game, currentSample);
    };
    paintRef.current = paint;
    const loop = (nowMs: number): void => {
      paint(nowMs);
      animationFrameId = requestAnimationFrame(loop);
    };
    const schedule = (): void => {
      cancelAnimationFrame(animationFrameId);
      if (isAnimated && isVisible) animationFrameId = requestAnimationFrame(loop);
      else paint(performance.now());
    };
    const resizeObserver = new ResizeObserver(() => {
      const ratio = Math.min(PIXEL_RATIO_MAX, devicePixelRatio || 1);
      const width = Math.max(1, Math.round(canvas.clientWidth * ratio));
      if (canvas.width !== width) {
        canvas.width = width;
        canvas.height = Math.round((width * game.world.height) / game.world.width);
      }
      paint(performance.now());
    });
    const intersectionObserver = new IntersectionObserver(([entry]) => {
      isVisible = entry?.isIntersecting ?? true;
      schedule();
    });
    resizeObserver.observe(canvas);
    intersectionObserver.observe(canvas);
    schedule();
    return () => {
      cancelAnimationFrame(animationFrameId);
      resizeObserver.disconnect();
      intersectionObserver.disconnect();
    };
  }, [game, isAnimated]);

  useEffect(() => {
    if (!isAnimated) paintRef.current(performance.now());
  }, [version, isAnimated]);

  const { width, height } = game.world;
  return (
    <div class="screen" style={`--world-width: ${width}; --world-height: ${height}`}>
      <canvas ref={canvasRef} role="img" aria-label={label} />
      {poster !== undefined && <img class="poster" src={poster} alt="" width={width} height={height} />}
      {children}
    </div>
  );
}
