/** The frames before a bot's failure: recorded while it plays, saved to a file, and replayed. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BotRunner } from "../../client/bot-runner.ts";
import { ArcadeBotError } from "../../client/errors.ts";
import type { PlayFrame } from "../../games/game.ts";
import { CommandError, EXIT } from "../cli/failures.ts";
import type { BotFactory } from "./bots.ts";
import { settle } from "./settle.ts";

/** Ten seconds: enough for a bot that remembers earlier frames. */
const FRAMES_MAX = 200;

interface SavedFrames {
  readonly slug: string;
  readonly error: string;
  /** The last one is the frame that failed. */
  readonly frames: readonly PlayFrame[];
}

/** The bot's error behind the error of a step. */
function findBotError(error: unknown): ArcadeBotError | null {
  for (let each = error; each instanceof Error; each = each.cause) if (each instanceof ArcadeBotError) return each;
  return null;
}

/**
 * Creates bots whose frames are recorded. If a bot has failed, `save` writes its frames and returns the file's path.
 */
export function recordFrames(makeBot: BotFactory) {
  let frames: PlayFrame[] = [];
  return {
    makeBot: ((slug) => {
      const bot = makeBot(slug);
      frames = [];
      return (frame) => {
        frames.push(frame);
        if (frames.length > FRAMES_MAX) frames.shift();
        return bot(frame);
      };
    }) as BotFactory,
    save(error: unknown, folder: string): string | null {
      const failure = findBotError(error);
      if (failure === null) return null;
      const { slug, tick, message } = failure;
      const path = join(folder, `bot-failure-${slug}-${tick}.json`);
      const saved: SavedFrames = { slug, error: message, frames };
      writeFileSync(path, `${JSON.stringify(saved)}\n`);
      return path;
    },
  };
}

function readFrames(path: string): SavedFrames {
  const failure = (cause: unknown) =>
    new CommandError(`--frames: expected a file of \`npm run agent -- --debug\`, received ${path}`, {
      exitCode: EXIT.usage,
      cause,
    });
  try {
    const saved = JSON.parse(readFileSync(path, "utf8")) as SavedFrames;
    if (typeof saved.slug === "string" && Array.isArray(saved.frames)) return saved;
  } catch (cause) {
    throw failure(cause);
  }
  throw failure(undefined);
}

/** Gives saved frames to a new bot, in order. Rejects with its `ArcadeBotError`. */
export async function replayFrames(path: string, makeBot: BotFactory): Promise<readonly (object | null)[]> {
  const { slug, frames } = readFrames(path);
  const runner = new BotRunner({ slug, bot: makeBot(slug) });
  const moves: (object | null)[] = [];
  for (const frame of frames) {
    let move: object | null = null;
    const pending = runner.onFrame(frame, (message) => {
      move = message;
    });
    if (pending !== undefined) await settle(pending, () => runner.createUnsettledError(frame));
    moves.push(move);
  }
  return moves;
}
