/** The list of games: one line a game. Their `order` says how they are shown, whatever the order of these lines. */
export { flappybots } from "./flappybots/game.ts";
export { shellrunners } from "./shellrunners/game.ts";
