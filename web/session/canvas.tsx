/** A game's picture: a canvas that fills its box at the game's aspect ratio and draws at the display's rate. */
import { effect, type ReadonlySignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Game } from "../../games/game.ts";
import { drawSample } from "./drawing.ts";
import { animate, getPixelRatio } from "./frame-loop.ts";
import type { Sample } from "./timeline.ts";

interface GameCanvasProps {
  readonly game: Game;
  /** What to draw at a monotonic time; null draws nothing. */
  readonly sample: (nowMs: number) => Sample | null;
  /** False freezes the picture. */
  readonly isAnimated: boolean;
  /** A frozen picture is redrawn when this changes. */
  readonly version?: ReadonlySignal<number> | undefined;
  /** The description that screen readers read. */
  readonly label: string;
  /** Shown until the first picture is drawn. */
  readonly poster?: string;
  readonly children?: ComponentChildren;
}

export function GameCanvas({ game, sample, isAnimated, version, label, poster, children }: GameCanvasProps) {
  const canvasRef = useRef<HTMLCanvasElement>(null);
  const sampleRef = useRef(sample);
  sampleRef.current = sample;

  useEffect(() => {
    const canvas = canvasRef.current;
    const ctx = canvas?.getContext("2d");
    if (!canvas || !ctx) return;
    let boxWidth = 0;
    let stop = (): void => undefined;
    const paint = (nowMs: number): void => {
      const currentSample = boxWidth === 0 ? null : sampleRef.current(nowMs);
      if (currentSample === null) return;
      const width = Math.max(1, Math.round(boxWidth * getPixelRatio()));
      if (canvas.width !== width) {
        canvas.width = width;
        canvas.height = Math.round((width * game.world.height) / game.world.width);
      }
      canvas.dataset.drawn = "";
      const scale = width / game.world.width;
      ctx.setTransform(scale, 0, 0, scale, 0, 0);
      drawSample(ctx, game, currentSample);
    };
    const resizeObserver = new ResizeObserver(() => {
      boxWidth = canvas.clientWidth;
      paint(performance.now());
    });
    const intersectionObserver = new IntersectionObserver((entries) => {
      stop();
      if (isAnimated && entries.at(-1)!.isIntersecting) stop = animate(paint);
    });
    resizeObserver.observe(canvas);
    intersectionObserver.observe(canvas);
    const stopFollowing = effect(() => {
      if (isAnimated || version === undefined) return;
      version.value;
      paint(performance.now());
    });
    return () => {
      stop();
      stopFollowing();
      resizeObserver.disconnect();
      intersectionObserver.disconnect();
    };
  }, [game, isAnimated, version]);

  const { width, height } = game.world;
  return (
    <div class="screen" style={`--world-width: ${width}; --world-height: ${height}`}>
      <canvas ref={canvasRef} role="img" aria-label={label} />
      {poster !== undefined && <img class="poster" src={poster} alt="" width={width} height={height} />}
      {children}
    </div>
  );
}
