/** The codes of a player's messages, for games without a server. */
import type { Bot, Game } from "../../games/game.ts";

/** The code that a replay stores for a bot's message; null means no message. */
export function toInputCodes(game: Game, message: ReturnType<Bot>): number[] {
  if (message === null) return [];
  const found = game.inputs.find((input) =>
    Object.entries(input.message).every(([field, value]) => (message as { [field: string]: unknown })[field] === value),
  );
  if (!found) throw new Error(`${game.slug} has no input ${JSON.stringify(message)}`);
  return found.mode === "idle" ? [] : [found.code];
}
