/** An agent of a soak: it plays, leaves, comes back and puts its scores on chain until the soak is over. */

import { mintOrUpgradeNft, type PlayOptions, playSession } from "../../../client/index.ts";
import { findGame } from "../../../games/index.ts";
import type { createAnvilAgent } from "../../../test/helpers/anvil-agent.ts";
import { openSession, snapshotScores } from "./agent-turns.ts";
import { createConfirmed } from "./confirmed.ts";
import { sleep } from "./drill.ts";

/** Game time after which an agent ends its game, or leaves it and comes back. */
const ENDS_MS = { least: 5_000, most: 35_000 };
const LEAVES_MS = { least: 2_000, most: 62_000 };
/** The pause after a failure. */
const PAUSE_MS = 500;

/** The state that the agents of a soak share. */
export interface Soak {
  /** Whether the backend is running. */
  isUp: boolean;
  isOver: boolean;
  /** How often it was stopped or killed. */
  restarts: number;
  games: number;
  returns: number;
  /** Errors that no restart explains. */
  readonly unexpected: string[];
  readonly random: () => number;
}

export class SoakAgent {
  readonly agent: Awaited<ReturnType<typeof createAnvilAgent>>;
  readonly confirmed = createConfirmed();
  readonly #soak: Soak;
  readonly #slug: string;

  constructor(agent: SoakAgent["agent"], slug: string, soak: Soak) {
    [this.agent, this.#slug, this.#soak] = [agent, slug, soak];
  }

  /** Resolves after the end of the soak. */
  async live(): Promise<void> {
    const soak = this.#soak;
    while (!soak.isOver) {
      const { isUp, restarts } = soak;
      try {
        await this.#takeTurn();
      } catch (error) {
        // A stop or kill of the backend cut this off, so start again.
        const isCut = !isUp || soak.restarts !== restarts;
        if (!isCut && !soak.isOver) soak.unexpected.push(String(error));
        await sleep(PAUSE_MS);
      }
    }
  }

  async #takeTurn(): Promise<void> {
    const { client } = this.agent;
    const session = await openSession(client, this.#slug);
    if (session !== null && !(await this.#play(session))) return;
    await snapshotScores(client, this.confirmed);
    await mintOrUpgradeNft({ client, slug: this.#slug });
  }

  #draw({ least, most }: typeof ENDS_MS): number {
    return least + this.#soak.random() * (most - least);
  }

  /** Returns whether the game has ended: false if the agent has left it. */
  async #play(session: PlayOptions["session"]): Promise<boolean> {
    const { client } = this.agent;
    const slug = this.#slug;
    const soak = this.#soak;
    const [endsMs, leavesMs] = [this.#draw(ENDS_MS), this.#draw(LEAVES_MS)];
    const bot = findGame(slug)!.bots.reference();
    const leaving = new AbortController();
    let isEnding = false;
    const end = await playSession({
      client,
      session,
      signal: leaving.signal,
      bot: (frame) => {
        if (!isEnding && frame.tMs > endsMs && frame.score.current > 0) {
          isEnding = true;
          client.sessions.end({ slug, sessionId: session.sessionId }).catch(() => {
            isEnding = false;
          });
        }
        if (soak.isOver || frame.tMs > leavesMs) leaving.abort(new Error("left"));
        return bot(frame);
      },
    }).catch((error: unknown) => {
      if (!leaving.signal.aborted) throw error;
      soak.returns += 1;
      return null;
    });
    if (end === null) return false;
    this.confirmed.scores.set(`${slug}/${end.sessionId}`, end.score);
    soak.games += 1;
    return true;
  }
}
