import type { Clock, Log } from "../ports/system.ts";
import type { Recovery } from "./recovery.ts";

interface TakeoverOptions {
  readonly recovery: Pick<Recovery, "claimAbandoned" | "run">;
  readonly clock: Pick<Clock, "after">;
  readonly log: Log;
}

/** How often a node checks for sessions of nodes that have died or handed theirs over. */
const POLL_MS = 250;

/** Takes over the sessions of other nodes, and recovers them as after a restart. */
export class Takeover {
  readonly #options: TakeoverOptions;
  #cancel = (): void => undefined;
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;
  #isFailing = false;

  constructor(options: TakeoverOptions) {
    this.#options = options;
  }

  /** Checks for sessions to take over, repeatedly until `stop`. */
  start(): void {
    if (this.#isStopped) return;
    this.#cancel = this.#options.clock.after(POLL_MS, () => {
      this.#running = this.#poll().finally(() => this.start());
    });
  }

  /** Resolves when no claim is running. `Recovery.stop`, which may be called at once, ends the recovery. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#running;
  }

  async #poll(): Promise<void> {
    const { recovery, log } = this.#options;
    try {
      await recovery.claimAbandoned();
      if (this.#isFailing) log.info({}, "sessions of other nodes are taken over again");
      this.#isFailing = false;
    } catch (error) {
      // Logged once per outage: the next check follows soon.
      if (!this.#isFailing) log.warn({ err: error }, "sessions of other nodes could not be taken over yet");
      this.#isFailing = true;
    }
    // Not awaited: a session that cannot be recovered yet must not keep this node from taking over others.
    void recovery.run();
  }
}
