/** Asks a bot for its move on each frame, one frame at a time, and checks the move before it is sent. */
import type { InputCode, PlayFrame } from "../games/game.ts";
import { MOVES } from "../games/moves.generated.ts";
import { ArcadeBotError } from "./errors.ts";

type Move = InputCode["message"] | null;

/**
 * Receives frames and returns the message to send, null for none, or a promise. While a promise is pending the bot gets
 * no frames; afterwards it gets the latest one.
 */
export type PlayBot = (frame: PlayFrame) => Move | Promise<Move>;

const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof (value as { then?: unknown } | null)?.then === "function";

/** The messages that a game's player may send; null for a game that this package does not know. */
const listMoves = (slug: string): readonly object[] | null => MOVES[slug] ?? null;

const toText = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
};

/** Whether the message is allowed; extra fields, such as `seq`, are ignored. */
const isAllowed = (message: unknown, allowed: readonly object[]): boolean =>
  typeof message === "object" &&
  message !== null &&
  allowed.some((move) =>
    Object.entries(move).every(([field, value]) => (message as { [field: string]: unknown })[field] === value),
  );

/** Gives a bot the frames of one session, checks its moves, and sends them. */
export class BotRunner {
  readonly #slug: string;
  readonly #bot: PlayBot;
  readonly #allowed: readonly object[] | null;
  #isThinking = false;
  #isLockstep = false;
  /** The last direction sent; repeating it has no effect. */
  #lastInput: object | null = null;

  constructor({ slug, bot }: { readonly slug: string; readonly bot: PlayBot }) {
    this.#slug = slug;
    this.#bot = bot;
    this.#allowed = listMoves(slug);
  }

  /** In lockstep, null means "wait one tick": a message without effect is sent. */
  setLockstep(isLockstep: boolean): void {
    this.#isLockstep = isLockstep;
  }

  /**
   * Asks for a move and passes it to `send`. Throws `ArcadeBotError`, or rejects with it if the bot is asynchronous.
   */
  onFrame(frame: PlayFrame, send: (message: object) => void): void | Promise<void> {
    if (frame.phase !== "running" || this.#isThinking) return;
    let move: unknown;
    try {
      move = this.#bot(frame);
    } catch (error) {
      throw this.#createError("threw", frame, error);
    }
    if (!isPromise(move)) return this.#send(move, frame, send);
    this.#isThinking = true;
    return move
      .then(
        (message) => this.#send(message, frame, send),
        (error: unknown) => {
          throw this.#createError("threw", frame, error);
        },
      )
      .finally(() => {
        this.#isThinking = false;
      });
  }

  #send(move: unknown, frame: PlayFrame, send: (message: object) => void): void {
    if (move === null || move === undefined) {
      const waiting = this.#isLockstep ? this.#findWaitingMessage() : null;
      if (waiting !== null) send(waiting);
      return;
    }
    if (this.#allowed !== null && !isAllowed(move, this.#allowed))
      throw this.#createError("gave a move that the game does not know", frame, toText(move));
    if ((move as { t?: unknown }).t === "input") this.#lastInput = move as object;
    send(move as object);
  }

  /** A message that makes a tick and changes nothing; null for a game that this package does not know. */
  #findWaitingMessage(): object | null {
    const idle = [
      { t: "action", action: "NOOP" },
      { t: "input", dir: "none" },
    ];
    return this.#lastInput ?? idle.find((message) => isAllowed(message, this.#allowed ?? [])) ?? null;
  }

  /** The error for a bot whose promise for `frame` can no longer settle. */
  createUnsettledError(frame: PlayFrame): ArcadeBotError {
    return this.#createError("returned a promise", frame, "bot(frame) never settles it");
  }

  #createError(what: string, frame: PlayFrame, cause: unknown): ArcadeBotError {
    const { tick } = frame;
    const allowed = this.#allowed?.map(toText) ?? [];
    const reason = cause instanceof Error ? cause.message : String(cause);
    const expected = allowed.length === 0 ? "" : ` Expected null or one of ${allowed.join(", ")}.`;
    return new ArcadeBotError(`The bot ${what} at tick ${tick} of ${this.#slug}: ${reason}.${expected}`, {
      slug: this.#slug,
      frame,
      allowed,
      cause,
    });
  }
}
