import type { SessionRow, SessionStore } from "../ports/store/sessions.ts";
import type { Clock, Log } from "../ports/system.ts";

interface ReclaimOptions {
  readonly sessions: Pick<SessionStore, "listOpen">;
  readonly isOwn: (row: SessionRow) => boolean;
  /** Whether the session runs in this process, or waits to be recovered. */
  readonly isKnown: (sessionId: string) => boolean;
  readonly onFound: (rows: readonly SessionRow[]) => void;
  readonly clock: Pick<Clock, "after">;
  readonly log: Log;
}

const LOOK_MS = 1_000;
/** Several, since a write without a response may be committed later. */
const LOOKS = 10;

/**
 * Finds open sessions that this process owns but does not run, because the response to the write that claimed them was
 * lost. No other process would take them over, and their wallets could start no others.
 */
export class Reclaim {
  readonly #options: ReclaimOptions;
  #looksLeft = 0;
  #looking: Promise<void> | null = null;
  #cancelWait = (): void => undefined;
  #isStopped = false;
  #isFailing = false;
  /** The sessions that were not running at the last look. */
  #idleIds: ReadonlySet<string> = new Set();

  constructor(options: ReclaimOptions) {
    this.#options = options;
  }

  /** Looks several times from now on. */
  start(): void {
    this.#looksLeft = LOOKS;
    this.#looking ??= this.#lookAgain().finally(() => {
      this.#looking = null;
    });
  }

  /** Resolves when no search is running. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelWait();
    await this.#looking;
  }

  async #lookAgain(): Promise<void> {
    while (this.#looksLeft > 0 && !this.#isStopped) {
      await this.#wait();
      if (this.#isStopped) return;
      this.#looksLeft -= 1;
      await this.#look().catch((error: unknown) => {
        this.#looksLeft = LOOKS;
        this.#onFailure(error);
      });
    }
    this.#idleIds = new Set();
  }

  /** A session that is starting or ending may not be running at one look; by the next it is, or has ended. */
  async #look(): Promise<void> {
    const { sessions, isOwn, isKnown, onFound } = this.#options;
    const idle = (await sessions.listOpen()).filter((row) => isOwn(row) && !isKnown(row.sessionId));
    if (this.#isFailing) this.#options.log.info({}, "sessions that may have been stored are looked for again");
    this.#isFailing = false;
    const found = idle.filter(({ sessionId }) => this.#idleIds.has(sessionId));
    this.#idleIds = new Set(idle.map(({ sessionId }) => sessionId));
    if (found.length > 0) onFound(found);
  }

  /** Logged once per outage: the store is read every second. */
  #onFailure(error: unknown): void {
    if (!this.#isFailing)
      this.#options.log.warn({ err: error }, "sessions that may have been stored could not be looked for yet");
    this.#isFailing = true;
  }

  #wait(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(LOOK_MS, resolve);
      this.#cancelWait = () => {
        cancel();
        resolve();
      };
    });
  }
}
