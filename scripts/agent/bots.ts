/** The bot that plays: a built-in one, or one from a file. */
import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { steerAhead } from "../../client/ahead.ts";
import type { PlayBot } from "../../client/play.ts";
import { findGame } from "../../games/index.ts";
import { CommandError, EXIT, listOwnFrames } from "../cli/failures.ts";
import { settle } from "./settle.ts";

/** Creates a bot for each session. */
export type BotFactory = (slug: string) => PlayBot;

const BUILT_IN_BOTS = {
  // Looks ahead to the frame in which its move takes effect.
  reference: (slug) => steerAhead(findGame(slug)!.bots.reference()),
  random: (slug) => findGame(slug)!.bots.random(Math.floor(Math.random() * 2 ** 32)),
  quick: (slug) => {
    const { quick, reference } = findGame(slug)!.bots;
    return (quick ?? reference)();
  },
} as const satisfies { readonly [name: string]: BotFactory };

/** The error of an import with file, line and code; Node leaves out the line of a JavaScript syntax error. */
async function describeLoadError(path: string, cause: unknown): Promise<string> {
  if (!(cause instanceof Error)) return String(cause);
  const stack = cause.stack ?? "";
  const place =
    /^\S+:\d+\n[\s\S]*?\n\n/.exec(stack)?.[0] ?? (cause instanceof SyntaxError ? await checkSyntax(path) : "");
  if (place !== "") return `${cause.message}\n\n${place.trimEnd()}`;
  const frames = listOwnFrames(stack);
  return frames === "" ? cause.message : `${cause.message}\n${frames}`;
}

/** What `node --check` reports about a file's syntax: position, line and mark; empty if it is correct. */
const checkSyntax = (path: string): Promise<string> =>
  new Promise((resolve) => {
    execFile(process.execPath, ["--check", path], (_, __, text) =>
      resolve(/^\S+:\d+\n[\s\S]*?\n\n/.exec(text)?.[0] ?? ""),
    );
  });

/** `bot`: `reference`, `random`, `quick`, or the absolute path of a module. Throws `CommandError`. */
export async function loadBot(bot: string): Promise<BotFactory> {
  if (Object.hasOwn(BUILT_IN_BOTS, bot)) return BUILT_IN_BOTS[bot as keyof typeof BUILT_IN_BOTS];
  const facts = await stat(bot).catch(() => null);
  if (facts?.isFile() !== true)
    throw new CommandError(`--bot: expected a file, received ${facts === null ? "no file" : "a folder"} at ${bot}.`, {
      exitCode: EXIT.usage,
      next: "correct the path",
    });
  const example = 'export function makeBot(slug) { return (frame) => ({ t: "action", action: "FLAP" }); }';
  let module: { readonly makeBot?: unknown; readonly bot?: unknown; readonly default?: unknown };
  try {
    const unsettled = () => new Error("a promise at its top level (`await`) never settles");
    const imported = (await settle(import(pathToFileURL(bot).href), unsettled)) as typeof module;
    // Node finds only some of the exports of a CommonJS module; `default` has them all.
    module = { ...(imported.default as object), ...imported };
  } catch (cause) {
    throw new CommandError(`The bot ${bot} cannot be loaded: ${await describeLoadError(bot, cause)}`, {
      exitCode: EXIT.usage,
      next: "correct the file and run it again",
      cause,
    });
  }
  if (typeof module.makeBot === "function") {
    const { makeBot } = module;
    return (slug) => {
      const made: unknown = makeBot(slug);
      if (typeof made === "function") return made as PlayBot;
      const received =
        made instanceof Promise ? "a promise; prepare the bot with `await` at the top level" : String(made);
      throw new CommandError(`makeBot(slug) of ${bot}: expected a function of a frame, received ${received}.`, {
        exitCode: EXIT.usage,
        next: `for example: ${example}`,
      });
    };
  }
  const single = module.bot ?? module.default;
  if (typeof single === "function") return () => single as PlayBot;
  throw new CommandError(`${bot} exports neither makeBot(slug) nor bot(frame).`, {
    exitCode: EXIT.usage,
    next: `for example: ${example}`,
  });
}
