/** Agents and spectators that load a service through the client library. */

import type { StartedSession } from "../../client/api.ts";
import { type ArcadeClient, createClient } from "../../client/client.ts";
import { ArcadeApiError, ArcadeChannelError } from "../../client/errors.ts";
import { playSession } from "../../client/play.ts";
import { sleep } from "../../client/retry.ts";
import { spectate } from "../../client/spectate.ts";
import { findGame } from "../../games/index.ts";
import { LoadMeasurement } from "./measure.ts";
import { type ClientPorts, prepareAgents } from "./ranked.ts";

export interface LoadOptions {
  readonly url: string;
  readonly slugs: readonly string[];
  /** Sessions at once, each with the reference bot. */
  readonly agents: number;
  /** Ranked sessions of wallets with an identity from this folder; null: practice sessions. */
  readonly ranked: { readonly keysFolder: string; readonly isAgreed: boolean; readonly rpcUrl: string | null } | null;
  /** Spread over these sessions. */
  readonly spectators: number;
  readonly seconds: number;
}

/** Sessions start spread over this time, so that the load itself does not align all ticks. */
const RAMP_MS = 1000;
const PAUSE_AFTER_ERROR_MS = 1000;
const READ_EVERY_MS = 1000;

/** The key of an error in the report: its code, or its name and first line. */
export const toCode = (error: unknown): string => {
  if (error instanceof ArcadeApiError) return error.code;
  if (error instanceof ArcadeChannelError) return `CLOSE_${error.closeCode}`;
  return error instanceof Error ? `${error.name}: ${error.message.split("\n")[0]!.slice(0, 120)}` : "UNKNOWN";
};

class LoadRun {
  readonly measurement = new LoadMeasurement();
  readonly #options: LoadOptions;
  readonly #client: ArcadeClient;
  readonly #ports: ClientPorts;
  /** The clients of the wallets that play; empty for practice. */
  #agents: readonly ArcadeClient[] = [];
  #signal = new AbortController().signal;
  /** By the number of its agent. */
  readonly #running = new Map<number, StartedSession>();

  constructor(options: LoadOptions) {
    this.#options = options;
    const { fetch } = this.measurement;
    const WebSocket = this.measurement.createWebSocketClass();
    // Every failure counts: no retries behind the measurement.
    this.#ports = { fetch, WebSocket, retry: { retries: 0 } };
    this.#client = createClient({ baseUrl: options.url, ...this.#ports });
  }

  /** Registers and signs in the wallets of ranked sessions, before the measurement. */
  async prepare(): Promise<void> {
    const { url, agents, ranked } = this.#options;
    if (ranked === null) return;
    this.#agents = await prepareAgents({ url, agents, ...ranked }, this.#ports);
    this.measurement.startOver();
  }

  /** Repeats `work` until the run ends; counts a failure and pauses after it. */
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
    const client = this.#agents[index] ?? this.#client;
    const isRanked = this.#agents.length > 0;
    // A pending score must not block the next session.
    const session = await client.sessions.start(
      isRanked ? { slug, source: "agent_api", forfeitPending: true } : { slug, source: "browser_ws" },
    );
    const times = this.measurement.createFrameTimes();
    this.measurement.sessions += 1;
    this.#running.set(index, session);
    try {
      await playSession({
        client,
        session,
        signal: this.#signal,
        bot: findGame(slug)!.bots.reference(),
        onFrame: (frame) => times.record(frame, performance.now()),
        onReconnect: ({ closeCode }) => {
          this.measurement.addError(`CLOSE_${closeCode}`);
          times.restart();
        },
      });
    } finally {
      this.#running.delete(index);
      // End the session; otherwise the service would end it after a minute.
      if (this.#signal.aborted) await this.#end(client, session);
    }
  }

  async #end(client: ArcadeClient, { sessionId, session, practiceToken }: StartedSession): Promise<void> {
    const token = practiceToken === undefined ? {} : { token: practiceToken };
    await client.sessions.end({ slug: session.slug, sessionId }, token).catch(() => undefined);
  }

  async #watch(index: number): Promise<void> {
    const sessions = [...this.#running.values()];
    const watched = sessions[index % Math.max(1, sessions.length)];
    if (watched === undefined) return sleep(READ_EVERY_MS / 10, this.#signal).catch(() => undefined);
    const times = this.measurement.createFrameTimes();
    await spectate({
      client: this.#client,
      slug: watched.session.slug,
      sessionId: watched.sessionId,
      signal: this.#signal,
      onFrame: (frame) => times.record(frame, performance.now()),
      onReconnect: ({ closeCode }) => {
        this.measurement.addError(`CLOSE_${closeCode}`);
        times.restart();
      },
    });
  }

  /** The requests of a viewer's page, to measure response times while no session starts. */
  async #read(): Promise<void> {
    for (const slug of this.#options.slugs) await this.#client.sessions.live({ slug });
    await sleep(READ_EVERY_MS, this.#signal).catch(() => undefined);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { agents, spectators } = this.#options;
    this.#signal = signal;
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

/**
 * Loads the service for `seconds` and returns the measurements. Throws only if the service does not answer at all, or
 * if the wallets of ranked sessions cannot be prepared.
 */
export async function runLoad(options: LoadOptions): Promise<LoadMeasurement> {
  await createClient({ baseUrl: options.url, retry: { retries: 1, baseMs: 200 } }).games.catalog();
  const run = new LoadRun(options);
  await run.prepare();
  await run.run(AbortSignal.timeout(options.seconds * 1000));
  return run.measurement;
}
