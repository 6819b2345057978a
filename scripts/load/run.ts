/** Agents and spectators that load a service, over the client that any agent uses. */
import { findGame } from "../../backend/games/index.ts";
import type { StartedSession } from "../../client/api.ts";
import { type ArcadeClient, createClient } from "../../client/client.ts";
import { ArcadeApiError, ArcadeChannelError } from "../../client/errors.ts";
import { playSession, spectate } from "../../client/play.ts";
import { sleep } from "../../client/retry.ts";
import { LoadMeasurement } from "./measure.ts";

export interface LoadOptions {
  readonly url: string;
  readonly slugs: readonly string[];
  /** Practice sessions at once, each with the reference bot. */
  readonly agents: number;
  /** Spread over these sessions. */
  readonly spectators: number;
  readonly seconds: number;
}

/** Sessions begin spread over this time, so that not all ticks fall together by the load itself. */
const RAMP_MS = 1000;
const PAUSE_AFTER_ERROR_MS = 1000;
const READ_EVERY_MS = 1000;

const toCode = (error: unknown): string => {
  if (error instanceof ArcadeApiError) return error.code;
  if (error instanceof ArcadeChannelError) return `CLOSE_${error.closeCode}`;
  return error instanceof Error ? error.name : "UNKNOWN";
};

class LoadRun {
  readonly measurement = new LoadMeasurement();
  readonly #options: LoadOptions;
  readonly #client: ArcadeClient;
  readonly #signal: AbortSignal;
  /** By the number of its agent. */
  readonly #running = new Map<number, StartedSession>();

  constructor(options: LoadOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    const { fetch } = this.measurement;
    const WebSocket = this.measurement.createWebSocketClass();
    // Every failure counts: nothing is repeated behind the measurement.
    this.#client = createClient({ baseUrl: options.url, fetch, WebSocket, retry: { retries: 0 } });
  }

  /** Repeats `work` until the run ends; a failure is counted and followed by a pause. */
  async #repeat(work: () => Promise<unknown>): Promise<void> {
    while (!this.#signal.aborted) {
      await work().catch((error: unknown) => {
        if (this.#signal.aborted) return undefined;
        this.measurement.addError(toCode(error));
        return sleep(PAUSE_AFTER_ERROR_MS, this.#signal).catch(() => undefined);
      });
    }
  }

  async #play(index: number): Promise<void> {
    const { slugs } = this.#options;
    const slug = slugs[index % slugs.length]!;
    const session = await this.#client.sessions.start({ slug, source: "browser_ws" });
    const times = this.measurement.createFrameTimes();
    this.measurement.sessions += 1;
    this.#running.set(index, session);
    try {
      await playSession({
        ...{ client: this.#client, session, signal: this.#signal, bot: findGame(slug)!.bots.reference() },
        onFrame: (frame) => times.record(frame, performance.now()),
        onReconnect: ({ closeCode }) => {
          this.measurement.addError(`CLOSE_${closeCode}`);
          times.restart();
        },
      });
    } finally {
      this.#running.delete(index);
      // Leaves nothing behind; the service would end it after a minute.
      if (this.#signal.aborted) await this.#end(session);
    }
  }

  async #end({ sessionId, session, practiceToken }: StartedSession): Promise<void> {
    const token = practiceToken === undefined ? {} : { token: practiceToken };
    await this.#client.sessions.end({ slug: session.slug, sessionId }, token).catch(() => undefined);
  }

  async #watch(index: number): Promise<void> {
    const sessions = [...this.#running.values()];
    const watched = sessions[index % Math.max(1, sessions.length)];
    if (watched === undefined) return sleep(READ_EVERY_MS / 10, this.#signal).catch(() => undefined);
    const times = this.measurement.createFrameTimes();
    await spectate({
      ...{ client: this.#client, slug: watched.session.slug, sessionId: watched.sessionId, signal: this.#signal },
      onFrame: (frame) => times.record(frame, performance.now()),
      onReconnect: ({ closeCode }) => {
        this.measurement.addError(`CLOSE_${closeCode}`);
        times.restart();
      },
    });
  }

  /** What a viewer's page asks, so that answers are measured while nobody starts. */
  async #read(): Promise<void> {
    for (const slug of this.#options.slugs) await this.#client.sessions.live({ slug });
    await sleep(READ_EVERY_MS, this.#signal).catch(() => undefined);
  }

  async run(): Promise<void> {
    const { agents, spectators } = this.#options;
    const delay = (index: number, count: number) =>
      sleep((RAMP_MS * index) / count, this.#signal).catch(() => undefined);
    await Promise.all([
      this.#repeat(() => this.#read()),
      ...Array.from({ length: agents }, async (_, index) => {
        await delay(index, agents);
        await this.#repeat(() => this.#play(index));
      }),
      ...Array.from({ length: spectators }, async (_, index) => {
        await delay(index, spectators);
        await this.#repeat(() => this.#watch(index));
      }),
    ]);
  }
}

/** Loads the service for `seconds` and returns what was measured. Throws only where the service does not answer at all. */
export async function runLoad(options: LoadOptions): Promise<LoadMeasurement> {
  await createClient({ baseUrl: options.url, retry: { retries: 1, baseMs: 200 } }).games.catalog();
  const run = new LoadRun(options, AbortSignal.timeout(options.seconds * 1000));
  await run.run();
  return run.measurement;
}
