/** Agents and viewers of a fleet. They connect through its balancer, so to any node. */

import {
  type ArcadeClient,
  createClient,
  isApiError,
  mintOrUpgradeNft,
  type PlayOptions,
  playSession,
  registerAgent,
  spectate,
} from "../../../client/index.ts";
import { findGame } from "../../../games/index.ts";
import { type DrillAgent, fund, makeDrillAgent } from "./agent.ts";
import { openSession, snapshotScores } from "./agent-turns.ts";
import { type Confirmed, createConfirmed } from "./confirmed.ts";
import { sleep } from "./drill.ts";

export const SLUGS = ["shellrunners", "flappybots"];
/** The player ends a run after this time. */
const RUN_MS = 8_000;
const PAUSE_MS = 200;

interface Address {
  readonly httpUrl: string;
  readonly rpcUrl: string;
}

/** A player's socket that got `hello`, and then a frame. */
export interface Resume {
  readonly sessionId: string;
  readonly helloAtMs: number;
  frameAtMs: number | null;
}

/** One agent that plays, snapshots its scores and mints until `stop`. */
export class FleetAgent {
  readonly agent: DrillAgent = makeDrillAgent();
  readonly confirmed: Confirmed = createConfirmed();
  readonly resumes: Resume[] = [];
  /** Errors that no fault of the drill explains. */
  readonly unexpected: string[] = [];
  readonly #address: Address;
  #errors = 0;
  #isRunning = true;
  #done: Promise<void> = Promise.resolve();

  constructor(address: Address) {
    this.#address = address;
  }

  /** Errors that clients may retry. */
  get errorCount(): number {
    return this.#errors;
  }

  connect = (): ArcadeClient => this.agent.connect(this.#address);

  async start(number: number): Promise<void> {
    await fund(this.#address, this.agent.address);
    await registerAgent({ client: this.connect(), agentName: `Fleet ${number}` });
    this.#done = this.#live(number);
  }

  /** Resolves at the end of the current turn. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    await this.#done;
  }

  async #live(first: number): Promise<void> {
    for (let turn = first; this.#isRunning; turn += 1) {
      try {
        await this.#takeTurn(this.connect(), SLUGS[turn % SLUGS.length]!);
      } catch (error) {
        if (isApiError(error) && !error.retryable) this.unexpected.push(`${error.code}: ${error.message}`);
        this.#errors += 1;
        await sleep(PAUSE_MS);
      }
    }
  }

  async #takeTurn(client: ArcadeClient, slug: string): Promise<void> {
    const session = await openSession(client, slug);
    if (session !== null) await this.#play(client, slug, session);
    await snapshotScores(client, this.confirmed);
    await mintOrUpgradeNft({ client, slug });
  }

  async #play(client: ArcadeClient, slug: string, session: PlayOptions["session"]) {
    const { sessionId } = session;
    const endAtMs = performance.now() + RUN_MS;
    const bot = findGame(slug)!.bots.reference();
    let isEnding = false;
    let resume: Resume | null = null;
    const end = await playSession({
      client,
      session,
      onHello: () => {
        resume = { sessionId, helloAtMs: performance.now(), frameAtMs: null };
        this.resumes.push(resume);
      },
      onFrame: () => {
        if (resume !== null) resume.frameAtMs ??= performance.now();
      },
      bot: (frame) => {
        const isOver = performance.now() > endAtMs || !this.#isRunning;
        if (isOver && frame.score.current > 0 && !isEnding) {
          isEnding = true;
          client.sessions.end({ slug, sessionId }).catch(() => {
            isEnding = false;
          });
        }
        return bot(frame);
      },
    });
    this.confirmed.scores.set(`${slug}/${end.sessionId}`, end.score);
  }
}

/** Watches live sessions one after the other, and counts ticks that go backward. */
export class FleetViewer {
  /** How often a frame was older than the previous one, by session. */
  readonly backward = new Map<string, number>();
  frames = 0;
  readonly #client: ArcadeClient;
  readonly #leave = new AbortController();
  #done: Promise<void> = Promise.resolve();

  constructor(httpUrl: string) {
    this.#client = createClient({ baseUrl: httpUrl });
  }

  start(number: number): void {
    this.#done = this.#watch(number);
  }

  async stop(): Promise<void> {
    this.#leave.abort(new Error("left"));
    await this.#done;
  }

  async #watch(number: number): Promise<void> {
    const { signal } = this.#leave;
    while (!signal.aborted) {
      try {
        const slug = SLUGS[number % SLUGS.length]!;
        const { items } = await this.#client.sessions.live({ slug });
        const live = items[Math.floor(number / SLUGS.length) % Math.max(1, items.length)];
        if (live !== undefined) await this.#watchOne(slug, live.sessionId);
      } catch {
        // The session or its node has ended.
      }
      await sleep(PAUSE_MS);
    }
  }

  async #watchOne(slug: string, sessionId: string): Promise<void> {
    let last = -1;
    await spectate({
      client: this.#client,
      slug,
      sessionId,
      signal: this.#leave.signal,
      // The first frame after a reconnect may be older than the last one before it.
      onHello: () => {
        last = -1;
      },
      onFrame: ({ tick }) => {
        this.frames += 1;
        if (tick < last) this.backward.set(sessionId, (this.backward.get(sessionId) ?? 0) + 1);
        last = tick;
      },
    });
  }
}
