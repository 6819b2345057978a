import type { Clock } from "../ports/system.ts";

/** Work that repeats: each run begins some time after the previous one has ended. */
export class RepeatedJob {
  readonly #clock: Pick<Clock, "after">;
  readonly #run: () => Promise<number>;
  #cancel = (): void => undefined;
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;

  /** `run` never rejects. It returns the milliseconds until the next run. */
  constructor(clock: Pick<Clock, "after">, run: () => Promise<number>) {
    this.#clock = clock;
    this.#run = run;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  start(delayMs: number): void {
    this.#cancel = this.#clock.after(delayMs, () => {
      this.#running = this.#run().then((nextMs) => {
        if (!this.#isStopped) this.start(nextMs);
      });
    });
  }

  /** Resolves when the current run has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#running;
  }
}
