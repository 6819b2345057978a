import { isDemoSession } from "../../domain/session.ts";
import type { Bot, Game, PlayFrame } from "../../games/game.ts";
import type { SessionRow } from "../ports/store/sessions.ts";
import type { Clock, Log } from "../ports/system.ts";
import type { LiveRegistry } from "./registry.ts";
import type { LiveSession } from "./session.ts";

interface DemoAgentOptions {
  readonly registry: Pick<LiveRegistry, "all" | "get">;
  readonly clock: Pick<Clock, "monotonicMs" | "after">;
  readonly games: readonly Game[];
  /** The maximum number of running sessions; demo agents use at most half of these places. */
  readonly sessionsMax: number;
  /** Stores and hosts a session without scores, rewards or boards. */
  readonly open: (slug: string) => Promise<SessionRow>;
  readonly log: Log;
}

const POLL_MS = 1000;

/**
 * One demo agent for each game without a player, so that there is always something to watch. It leaves within a second
 * when an agent plays the game, or when places become scarce.
 */
export class DemoAgents {
  readonly #options: DemoAgentOptions;
  #cancel: (() => void) | null = null;
  #isStopped = false;
  #openedCount = 0;
  #polling: Promise<void> = Promise.resolve();

  constructor(options: DemoAgentOptions) {
    this.#options = options;
  }

  /** Opens the first sessions and checks the games until `stop`. */
  async start(): Promise<void> {
    await this.#poll();
    this.#schedule();
  }

  /** Ends the sessions of the service's own agents; the registry stores them. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#polling;
    for (const session of this.#listRunning()) if (isDemoSession(session.row)) session.end("server_restart");
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#cancel = this.#options.clock.after(POLL_MS, () => {
      this.#polling = this.#poll().finally(() => this.#schedule());
    });
  }

  async #poll(): Promise<void> {
    for (const game of this.#options.games) {
      try {
        await this.#pollGame(game);
      } catch (error) {
        this.#options.log.warn({ err: error, slug: game.slug }, "a demo agent could not play");
      }
    }
  }

  async #pollGame(game: Game): Promise<void> {
    const { sessionsMax, open, registry } = this.#options;
    const running = this.#listRunning();
    const own = running.filter(({ row }) => row.slug === game.slug && isDemoSession(row));
    const isPlayed = running.some(({ row }) => row.slug === game.slug && row.source === "agent_api");
    const isScarce = (running.length - own.length + 1) * 2 > sessionsMax;
    if (isPlayed || isScarce) {
      for (const session of own) session.end("yielded");
      return;
    }
    if (own.length > 0 || this.#isStopped) return;
    const { sessionId } = await open(game.slug);
    const session = registry.get(sessionId);
    if (session !== undefined)
      playInProcess(session, this.#createBot(game, session), this.#options.clock.monotonicMs());
  }

  /**
   * Every second game is played by the planning bot, if the game has one. Its planning takes milliseconds on the thread
   * of the ticks, so the reference bot takes over while no one watches, or anyone else plays.
   */
  #createBot({ bots }: Game, { seats }: LiveSession): Bot {
    const reference = bots.reference();
    this.#openedCount += 1;
    if (bots.better === undefined || this.#openedCount % 2 === 1) return reference;
    const better = bots.better();
    return (frame) => (seats.connected === 0 || this.#isPlayedByOthers() ? reference : better)(frame);
  }

  #isPlayedByOthers(): boolean {
    for (const { row, phase } of this.#options.registry.all())
      if (phase !== "ended" && !isDemoSession(row)) return true;
    return false;
  }

  #listRunning(): LiveSession[] {
    return [...this.#options.registry.all()].filter(({ phase }) => phase !== "ended");
  }
}

/** Lets a bot play a session of this process, from its frames like any other player. */
function playInProcess(session: LiveSession, bot: Bot, nowMs: number): void {
  const { epoch } = session.connectPlayer(nowMs);
  session.subscribe({
    onTick: ({ frame: { frame } }) => {
      if (frame.phase !== "running") return;
      const move = bot(frame as unknown as PlayFrame);
      if (move !== null) session.acceptInput(epoch, move, undefined);
    },
    onEnd: () => {},
  });
}
