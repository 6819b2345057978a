/** Who steers: a game's own bots, or one from a file. */
import { pathToFileURL } from "node:url";
import { findGame } from "../../backend/games/index.ts";
import type { Bot } from "../../client/play.ts";
import { CommandError, EXIT } from "../cli/failures.ts";

/** Makes a fresh bot for each session. */
export type BotMaker = (slug: string) => Bot;

const OWN = {
  reference: (slug) => findGame(slug)!.bots.reference(),
  random: (slug) => findGame(slug)!.bots.random(Math.floor(Math.random() * 2 ** 32)),
  quick: (slug) => {
    const { quick, reference } = findGame(slug)!.bots;
    return (quick ?? reference)();
  },
} as const satisfies { readonly [name: string]: BotMaker };

/** `bot`: `reference`, `random`, `quick`, or the absolute path of a module. Throws `CommandError`. */
export async function loadBot(bot: string): Promise<BotMaker> {
  if (Object.hasOwn(OWN, bot)) return OWN[bot as keyof typeof OWN];
  const example = 'export function makeBot(slug) { return (frame) => ({ t: "action", action: "FLAP" }); }';
  let module: { readonly makeBot?: unknown; readonly bot?: unknown; readonly default?: unknown };
  try {
    module = (await import(pathToFileURL(bot).href)) as typeof module;
  } catch (cause) {
    throw new CommandError(`The bot ${bot} cannot be loaded: ${(cause as Error).message}`, {
      exitCode: EXIT.usage,
      cause,
    });
  }
  if (typeof module.makeBot === "function") return module.makeBot as BotMaker;
  const single = module.bot ?? module.default;
  if (typeof single === "function") return () => single as Bot;
  throw new CommandError(`${bot} exports neither makeBot(slug) nor bot(frame).`, {
    exitCode: EXIT.usage,
    next: `for example: ${example}`,
  });
}
