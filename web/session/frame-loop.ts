/** Draws all moving pictures in one loop. If frames take too long, reduces the pixels, then the frames. */

/** Half of a frame at 60 Hz. The other half is for the rest of the page and for input. */
const WORK_MAX_MS = 8;
/** With less work per frame than this, the pictures regain pixels and frames. */
const SPARE_WORK_MS = 2;
/** A longer gap between frames means that the display waited for the picture. */
const LATE_MS = 40;
const WINDOW_FRAMES = 10;

interface Level {
  /** A higher ratio costs up to four times the work. */
  readonly pixelRatioMax: number;
  /** The minimum time between two frames. */
  readonly gapMs: number;
}

const LEVELS: readonly [Level, ...Level[]] = [
  { pixelRatioMax: 2, gapMs: 0 },
  { pixelRatioMax: 1, gapMs: 0 },
  { pixelRatioMax: 1, gapMs: 30 },
];

/** Chooses how much to draw from how long the frames take. */
export class Pace {
  #index = 0;
  #frames = 0;
  #slow = 0;
  #spare = 0;

  get level(): Level {
    return LEVELS[this.#index]!;
  }

  /** `workMs`: the page's work for the frame. `gapMs`: since the display's previous frame. */
  note(workMs: number, gapMs: number): void {
    this.#frames += 1;
    if (workMs > WORK_MAX_MS || gapMs > LATE_MS) this.#slow += 1;
    else if (workMs < SPARE_WORK_MS) this.#spare += 1;
    if (this.#frames < WINDOW_FRAMES) return;
    if (this.#slow > WINDOW_FRAMES / 2) this.#index = Math.min(LEVELS.length - 1, this.#index + 1);
    else if (this.#spare === WINDOW_FRAMES) this.#index = Math.max(0, this.#index - 1);
    this.#frames = 0;
    this.#slow = 0;
    this.#spare = 0;
  }
}

const pace = new Pace();
const paints = new Set<(nowMs: number) => void>();
let animationFrameId = 0;
let displayedMs = 0;
let paintedMs = 0;

export const getPixelRatio = (): number => Math.min(pace.level.pixelRatioMax, devicePixelRatio || 1);

function loop(nowMs: number): void {
  animationFrameId = requestAnimationFrame(loop);
  const gapMs = nowMs - displayedMs;
  displayedMs = nowMs;
  if (nowMs - paintedMs < pace.level.gapMs) return;
  paintedMs = nowMs;
  const startedMs = performance.now();
  for (const paint of paints) paint(nowMs);
  // The message arrives after style, layout and paint of this frame.
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => pace.note(performance.now() - startedMs, gapMs);
  port2.postMessage(null);
}

/** Calls `paint` for every frame, until the returned function is called. */
export function animate(paint: (nowMs: number) => void): () => void {
  if (paints.size === 0) {
    displayedMs = performance.now();
    animationFrameId = requestAnimationFrame(loop);
  }
  paints.add(paint);
  return () => {
    paints.delete(paint);
    if (paints.size === 0) cancelAnimationFrame(animationFrameId);
  };
}
