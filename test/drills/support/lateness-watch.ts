/** Whether a load delays the ticks of a game: its process beside one without load, in windows of the same time. */
import { sleep } from "./drill.ts";
import type { GameProcess } from "./game-process.ts";

const WINDOW_MS = 2000;
/** A load that is over sooner goes on until so many windows can be judged, or there are so many in all. */
const VALID_MIN = 4;
const WINDOWS_MAX = 10;
/** Ticks of the game without load that a window needs. */
const TICKS_MIN = 20;

interface Window {
  readonly controlMs: number;
  readonly loadedMs: number;
}

export class LatenessWatch {
  readonly #loaded: GameProcess;
  readonly #control: GameProcess;
  readonly #boundMs: number;
  readonly #windows: Window[] = [];
  #isStopped = false;
  readonly #watching: Promise<void>;

  /** Watches from now on. `boundMs`: how much later the 99th percentile of the ticks may be. */
  constructor(loaded: GameProcess, control: GameProcess, boundMs: number) {
    [this.#loaded, this.#control, this.#boundMs] = [loaded, control, boundMs];
    this.#watching = this.#watch();
  }

  /** Whether enough windows can be judged, or the machine is too busy for them. */
  get isEnough(): boolean {
    return this.#listValid().length >= VALID_MIN || this.#windows.length >= WINDOWS_MAX;
  }

  #listValid(): readonly Window[] {
    return this.#windows.filter(({ controlMs }) => controlMs < this.#boundMs);
  }

  async #watch(): Promise<void> {
    await this.#read();
    this.#windows.pop();
    while (!this.#isStopped) {
      const endMs = performance.now() + WINDOW_MS;
      while (!this.#isStopped && performance.now() < endMs) await sleep(100);
      await this.#read();
    }
  }

  async #read(): Promise<void> {
    const [loaded, control] = await Promise.all([this.#loaded.lateness(), this.#control.lateness()]);
    if (control.ticks >= TICKS_MIN || this.#windows.length === 0)
      this.#windows.push({ controlMs: control.p99Ms, loadedMs: loaded.p99Ms });
  }

  /**
   * Ends the watch, which has to happen before the load ends. Other programs can only make ticks later, so that the
   * best window counts. A window in which the game without load was later than the bound says nothing of the service:
   * where all were, `excessMs` is null.
   */
  async stop(): Promise<{ readonly excessMs: number | null; readonly figure: string }> {
    this.#isStopped = true;
    await this.#watching;
    const valid = this.#listValid();
    const excessMs = valid.length === 0 ? null : Math.min(...valid.map((one) => one.loadedMs - one.controlMs));
    const windows = this.#windows.map((one) => `${one.controlMs.toFixed(1)}/${one.loadedMs.toFixed(1)}`).join(" ");
    const verdict = excessMs === null ? "not judged, the machine was too busy" : `${excessMs.toFixed(1)} ms later`;
    return { excessMs, figure: `${verdict} (p99 without load/here: ${windows} ms)` };
  }
}
